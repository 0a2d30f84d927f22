// Attributes of streams and of kernel nodes. They are hints about caches, synchronisation and priority: kept, given
// back, and without effect on host cores, except where a value would change the results of a program.
#include "hip/launch/launch_attributes.h"

#include "hip/api.h"
#include "hip/graphs/graph.h"
#include "hip/launch/kernel_command.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

bool for_streams(hipLaunchAttributeID attribute) {
    return attribute == hipLaunchAttributeAccessPolicyWindow || attribute == hipLaunchAttributeSynchronizationPolicy ||
           attribute == hipLaunchAttributeMemSyncDomainMap || attribute == hipLaunchAttributeMemSyncDomain ||
           attribute == hipLaunchAttributePriority;
}

bool for_kernels(hipLaunchAttributeID attribute) {
    return attribute == hipLaunchAttributeAccessPolicyWindow || attribute == hipLaunchAttributeCooperative ||
           attribute == hipLaunchAttributePriority || attribute == hipLaunchAttributeMemSyncDomainMap ||
           attribute == hipLaunchAttributeMemSyncDomain;
}

hipError_t check_value(hipLaunchAttributeID attribute, const hipLaunchAttributeValue& value) {
    if (attribute == hipLaunchAttributeAccessPolicyWindow) {
        const hipAccessPolicyWindow& window = value.accessPolicyWindow;
        bool hit = window.hitProp >= hipAccessPropertyNormal && window.hitProp <= hipAccessPropertyPersisting;
        bool miss = window.missProp == hipAccessPropertyNormal || window.missProp == hipAccessPropertyStreaming;
        bool ratio = window.hitRatio >= 0 && window.hitRatio <= 1;
        return hit && miss && ratio && window.num_bytes <= kMaxWindowBytes ? hipSuccess : hipErrorInvalidValue;
    }
    if (attribute == hipLaunchAttributeSynchronizationPolicy) {
        bool is_valid = value.syncPolicy >= hipSyncPolicyAuto && value.syncPolicy <= hipSyncPolicyBlockingSync;
        return is_valid ? hipSuccess : hipErrorInvalidValue;
    }
    return hipSuccess;
}

// The cooperative attribute is part of the launch itself; the others are kept beside it.
hipError_t set_for_kernel(GraphNode& node, hipLaunchAttributeID attribute, const hipLaunchAttributeValue& value) {
    if (attribute == hipLaunchAttributeCooperative) return set_cooperative(node.command(), value.cooperative != 0);
    return node.attributes.set(attribute, value);
}

hipLaunchAttributeValue get_for_kernel(const GraphNode& node, hipLaunchAttributeID attribute) {
    hipLaunchAttributeValue value = node.attributes.get(attribute);
    if (attribute == hipLaunchAttributeCooperative) value.cooperative = is_cooperative(node.command());
    return value;
}

GraphNode* kernel_node(hipGraphNode_t handle) {
    GraphNode* node = GraphNode::resolve(handle);
    return node && node->type() == hipGraphNodeTypeKernel ? node : nullptr;
}

}  // namespace

hipError_t LaunchAttributes::set(hipLaunchAttributeID attribute, const hipLaunchAttributeValue& value) {
    CUDA_SHIM_TRY(check_value(attribute, value));
    std::lock_guard<std::mutex> lock(mutex_);
    values_[attribute] = value;
    return hipSuccess;
}

hipLaunchAttributeValue LaunchAttributes::get(hipLaunchAttributeID attribute) const {
    std::lock_guard<std::mutex> lock(mutex_);
    auto entry = values_.find(attribute);
    if (entry != values_.end()) return entry->second;
    hipLaunchAttributeValue unset{};
    if (attribute == hipLaunchAttributeSynchronizationPolicy) unset.syncPolicy = hipSyncPolicyAuto;
    return unset;
}

void LaunchAttributes::copy_from(const LaunchAttributes& other) {
    if (&other == this) return;
    std::scoped_lock lock(mutex_, other.mutex_);
    values_ = other.values_;
}

}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipStreamSetAttribute(hipStream_t stream, hipLaunchAttributeID attribute,
                                 const hipLaunchAttributeValue* value) {
    return api(__func__, [&] {
        return with_stream(stream, [&](Stream& target) {
            if (!value || !for_streams(attribute)) return hipErrorInvalidValue;
            return target.attributes.set(attribute, *value);
        });
    });
}

hipError_t hipStreamGetAttribute(hipStream_t stream, hipLaunchAttributeID attribute, hipLaunchAttributeValue* value) {
    return api(__func__, [&] {
        return with_stream(stream, [&](Stream& target) {
            if (!value || !for_streams(attribute)) return hipErrorInvalidValue;
            *value = target.attributes.get(attribute);
            if (attribute == hipLaunchAttributePriority) value->priority = target.priority();
            return hipSuccess;
        });
    });
}

hipError_t hipStreamCopyAttributes(hipStream_t target, hipStream_t source) {
    return api(__func__, [&] {
        return with_stream(target, [&](Stream& to) {
            return with_stream(source, [&](Stream& from) {
                to.attributes.copy_from(from.attributes);
                return hipSuccess;
            });
        });
    });
}

hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t handle, hipLaunchAttributeID attribute,
                                          const hipLaunchAttributeValue* value) {
    return api(__func__, [&] {
        GraphNode* node = kernel_node(handle);
        if (!node || !value || !for_kernels(attribute)) return hipErrorInvalidValue;
        return set_for_kernel(*node, attribute, *value);
    });
}

hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t handle, hipLaunchAttributeID attribute,
                                          hipLaunchAttributeValue* value) {
    return api(__func__, [&] {
        GraphNode* node = kernel_node(handle);
        if (!node || !value || !for_kernels(attribute)) return hipErrorInvalidValue;
        *value = get_for_kernel(*node, attribute);
        return hipSuccess;
    });
}

hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t source, hipGraphNode_t target) {
    return api(__func__, [&]() -> hipError_t {
        GraphNode* from = kernel_node(source);
        GraphNode* to = kernel_node(target);
        if (!from || !to) return hipErrorInvalidValue;
        CUDA_SHIM_TRY(set_cooperative(to->command(), is_cooperative(from->command())));
        to->attributes.copy_from(from->attributes);
        return hipSuccess;
    });
}
