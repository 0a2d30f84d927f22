#include "hip/modules/function_attributes.h"

#include <algorithm>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/launch/clusters.h"
#include "hip/rocm.h"

namespace cuda_shim {
namespace {

// The general registers that this machine's calling convention names.
#if defined(__x86_64__)
constexpr int kRegisters = 16;
#else
constexpr int kRegisters = 31;
#endif

// The part of `bytes` that a kernel's static shared memory leaves.
int shared_room(const Function& function, size_t bytes) {
    return std::max(static_cast<int>(bytes) - static_cast<int>(function.symbol.static_shared_bytes), 0);
}

// The dynamic bytes that hipFuncSetAttribute allowed; negative where no call did, or where a kernel needs no such call.
int shared_asked_for(const Function& function) {
    if (as_rocm(RocmDifference::SharedMemoryUnasked)) return -1;
    return function.max_dynamic_shared.load(std::memory_order_relaxed);
}

int compute_capability(const Device& device) { return device.properties().major * 10 + device.properties().minor; }

// The function's number of blocks in a cluster along the axis of the attribute.
template <class Of>
auto& side_of_cluster(Of& function, hipFunction_attribute attribute) {
    return function.required_cluster[attribute - HIP_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH];
}

bool is_cache_config(hipFuncCache_t config) {
    return config == hipFuncCachePreferNone || config == hipFuncCachePreferShared || config == hipFuncCachePreferL1 ||
           config == hipFuncCachePreferEqual;
}

}  // namespace

hipError_t get_function_attribute(const Function& function, const Device& device, hipFunction_attribute attribute,
                                  int& value) {
    switch (attribute) {
        case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
            value = static_cast<int>(function.symbol.max_threads_per_block);
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
            value = static_cast<int>(function.symbol.static_shared_bytes);
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
            value = static_cast<int>(function.code.constant_bytes());
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_NUM_REGS:
            value = kRegisters;
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
        case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
            value = compute_capability(device);
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
            const int set = shared_asked_for(function);
            value = set >= 0 ? set : shared_room(function, device.properties().sharedMemPerBlock);
            return hipSuccess;
        }
        case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
            value = function.shared_carveout.load(std::memory_order_relaxed);
            return hipSuccess;
        // __cluster_dims__ says how large the clusters are, and so that they must not be left out.
        case HIP_FUNC_ATTRIBUTE_CLUSTER_DIM_MUST_BE_SET:
            value = function.symbol.cluster[0] != 0;
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
        case HIP_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
        case HIP_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
            value = static_cast<int>(side_of_cluster(function, attribute).load(std::memory_order_relaxed));
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
            value = function.large_clusters.load(std::memory_order_relaxed);
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
            value = function.cluster_scheduling.load(std::memory_order_relaxed);
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
            value = static_cast<int>(function.symbol.local_bytes);
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
            value = 0;
            return hipSuccess;
        default:
            return hipErrorInvalidValue;
    }
}

size_t max_dynamic_shared(const Function& function, const Device& device) {
    const int set = shared_asked_for(function);
    return static_cast<size_t>(std::max(set, shared_room(function, device.properties().sharedMemPerBlock)));
}

hipError_t set_function_attribute(Function& function, const Device& device, hipFunction_attribute attribute,
                                  int value) {
    switch (attribute) {
        case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
            if (value < 0 || value > shared_room(function, device.properties().sharedMemPerBlockOptin)) {
                return hipErrorInvalidValue;
            }
            function.max_dynamic_shared.store(value, std::memory_order_relaxed);
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
            if (value < -1 || value > 100) return hipErrorInvalidValue;
            function.shared_carveout.store(value, std::memory_order_relaxed);
            return hipSuccess;
        // The launch checks that the sides fit each other and the grid, as in CUDA.
        case HIP_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
        case HIP_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
        case HIP_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
            if (value < 0 || function.symbol.cluster[0]) return hipErrorInvalidValue;
            if (value > 1 && !device_has_clusters()) return hipErrorInvalidValue;
            side_of_cluster(function, attribute).store(static_cast<uint32_t>(value), std::memory_order_relaxed);
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
            function.large_clusters.store(value != 0, std::memory_order_relaxed);
            return hipSuccess;
        case HIP_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
            if (value < hipClusterSchedulingPolicyDefault || value > hipClusterSchedulingPolicyLoadBalancing) {
                return hipErrorInvalidValue;
            }
            function.cluster_scheduling.store(value, std::memory_order_relaxed);
            return hipSuccess;
        default:
            return hipErrorInvalidValue;
    }
}

}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attrib, hipFunction_t hfunc) {
    return api(__func__, [&]() -> hipError_t {
        if (!value) return hipErrorInvalidValue;
        const Function* function = Function::resolve(hfunc);
        if (!function) return hipErrorInvalidResourceHandle;
        return get_function_attribute(*function, current_device(), attrib, *value);
    });
}

hipError_t hipFuncGetAttributes(hipFuncAttributes* attr, const void* func) {
    return api(__func__, [&]() -> hipError_t {
        if (!attr) return hipErrorInvalidValue;
        const Function* function = Function::resolve(func);
        if (!function || as_rocm(RocmDifference::HostFunctionsAlone)) return hipErrorInvalidDeviceFunction;
        const Device& device = current_device();
        *attr = {};
        attr->binaryVersion = attr->ptxVersion = compute_capability(device);
        attr->constSizeBytes = function->code.constant_bytes();
        attr->maxThreadsPerBlock = static_cast<int>(function->symbol.max_threads_per_block);
        attr->numRegs = kRegisters;
        attr->sharedSizeBytes = function->symbol.static_shared_bytes;
        attr->localSizeBytes = function->symbol.local_bytes;
        CUDA_SHIM_TRY(get_function_attribute(*function, device, HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                             attr->maxDynamicSharedSizeBytes));
        return get_function_attribute(*function, device, HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                      attr->preferredShmemCarveout);
    });
}

hipError_t hipFuncSetAttribute(const void* func, hipFuncAttribute attr, int value) {
    return api(__func__, [&]() -> hipError_t {
        Function* function = Function::resolve(func);
        if (!function) return hipErrorInvalidDeviceFunction;
        // Both enums number the attributes that may be set alike.
        return set_function_attribute(*function, current_device(), static_cast<hipFunction_attribute>(attr), value);
    });
}

// Preferences for caches that a program cannot partition here: accepted, as HIP does on hardware without the choice.
hipError_t hipFuncSetCacheConfig(const void* func, hipFuncCache_t config) {
    return api(__func__, [&]() -> hipError_t {
        if (!Function::resolve(func)) return hipErrorInvalidDeviceFunction;
        return is_cache_config(config) ? hipSuccess : hipErrorInvalidValue;
    });
}

hipError_t hipFuncSetSharedMemConfig(const void* func, hipSharedMemConfig) {
    return api(__func__, [&] { return Function::resolve(func) ? hipSuccess : hipErrorInvalidDeviceFunction; });
}

const char* hipKernelNameRef(const hipFunction_t f) {
    const Function* function = Function::resolve(f);
    return function ? function->name.c_str() : nullptr;
}

const char* hipKernelNameRefByPtr(const void* hostFunction, hipStream_t) {
    const Function* function = Function::resolve(hostFunction);
    return function ? function->name.c_str() : nullptr;
}
