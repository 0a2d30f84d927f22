#include "hip/graphs/graph_nodes.h"

#include "hip/graphs/graph_memory.h"
#include "hip/launch/kernel_command.h"
#include "hip/memory/copy.h"
#include "hip/memory/fill.h"
#include "hip/streams/event.h"
#include "hip/streams/host_commands.h"
#include "hip/streams/memory_operations.h"

namespace cuda_shim {
namespace {

// A call may copy nothing from nowhere; a node is of some copy.
bool has_ends(const hipMemcpy3DParms& params) {
    return (params.srcArray || params.srcPtr.ptr) && (params.dstArray || params.dstPtr.ptr);
}

}  // namespace

hipError_t resolve_nodes(const hipGraphNode_t* handles, size_t count, std::vector<GraphNode*>& nodes) {
    if (count && !handles) return hipErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
        GraphNode* node = GraphNode::resolve(handles[i]);
        if (!node) return hipErrorInvalidValue;
        nodes.push_back(node);
    }
    return hipSuccess;
}

hipError_t make_copy(const hipMemcpy3DParms* params, CommandPtr& command) {
    if (!params || !has_ends(*params)) return hipErrorInvalidValue;
    CopyPlan plan;
    CUDA_SHIM_TRY(plan_3d(*params, plan));
    auto copy = std::make_unique<CopyCommand>(plan);
    copy->remember(*params);
    command = std::move(copy);
    return hipSuccess;
}

hipError_t make_driver_copy(const HIP_MEMCPY3D* params, CommandPtr& command) {
    if (!params || params->srcMemoryType == hipMemoryTypeUnregistered ||
        params->dstMemoryType == hipMemoryTypeUnregistered) {
        return hipErrorInvalidValue;
    }
    CopyPlan plan;
    CUDA_SHIM_TRY(plan_driver_3d(*params, plan));
    auto copy = std::make_unique<CopyCommand>(plan);
    copy->remember(*params);
    command = std::move(copy);
    return hipSuccess;
}

hipError_t make_copy_1d(void* dst, const void* src, size_t bytes, hipMemcpyKind kind, CommandPtr& command) {
    if (!dst || !src || bytes == 0) return hipErrorInvalidValue;
    CopyPlan plan;
    CUDA_SHIM_TRY(plan_linear(dst, src, bytes, kind, plan));
    command = std::make_unique<CopyCommand>(plan);
    return hipSuccess;
}

hipError_t make_fill(const hipMemsetParams* params, CommandPtr& command) {
    if (!params) return hipErrorInvalidValue;
    FillRegion region;
    CUDA_SHIM_TRY(region_of(*params, region));
    command = std::make_unique<FillCommand>(region);
    return hipSuccess;
}

hipError_t make_host(const hipHostNodeParams* params, CommandPtr& command) {
    if (!params || !params->fn) return hipErrorInvalidValue;
    command = std::make_unique<HostCommand>(*params);
    return hipSuccess;
}

hipError_t make_event_record(hipEvent_t event, CommandPtr& command) {
    if (!Event::resolve(event)) return hipErrorInvalidValue;
    command = std::make_unique<EventRecordCommand>(event);
    return hipSuccess;
}

hipError_t make_event_wait(hipEvent_t event, CommandPtr& command) {
    if (!Event::resolve(event)) return hipErrorInvalidValue;
    command = std::make_unique<EventWaitCommand>(event);
    return hipSuccess;
}

hipError_t make_child(hipGraph_t handle, CommandPtr& command) {
    Graph* child = Graph::resolve(handle);
    if (!child) return hipErrorInvalidValue;
    if (child->has_memory_nodes() || child->has_conditional_nodes()) return hipErrorNotSupported;
    // A copy of the graph as it is now, as in HIP: so a graph may be added to itself, which CUDA refuses.
    command = std::make_unique<ChildGraphCommand>(child->clone());
    return hipSuccess;
}

hipError_t make_kernel(const hipKernelNodeParams* params, CommandPtr& command) {
    return params ? make_kernel_command(*params, command) : hipErrorInvalidValue;
}

hipError_t make_any(hipGraphNodeParams& params, CommandPtr& command) {
    switch (params.type) {
        case hipGraphNodeTypeKernel:
            return make_kernel(&params.kernel, command);
        case hipGraphNodeTypeMemcpy:
            return make_copy(&params.memcpy.copyParams, command);
        case hipGraphNodeTypeMemset:
            return make_fill(&params.memset, command);
        case hipGraphNodeTypeHost:
            return make_host(&params.host, command);
        case hipGraphNodeTypeGraph:
            return make_child(params.graph.graph, command);
        case hipGraphNodeTypeEmpty:
            command = std::make_unique<EmptyCommand>();
            return hipSuccess;
        case hipGraphNodeTypeWaitEvent:
            return make_event_wait(params.eventWait.event, command);
        case hipGraphNodeTypeEventRecord:
            return make_event_record(params.eventRecord.event, command);
        case hipGraphNodeTypeMemAlloc:
            return make_graph_alloc(params.alloc, command);
        case hipGraphNodeTypeMemFree:
            return make_graph_free(params.free.dptr, command);
        case hipGraphNodeTypeExtSemaphoreSignal:
        case hipGraphNodeTypeExtSemaphoreWait:
            return hipErrorNotSupported;
        default:
            return hipErrorInvalidValue;
    }
}

}  // namespace cuda_shim
