// Graph nodes other than copies and sets: kernels, host functions, events, child graphs, memory, values.
#include <string.h>

#include "hip/graphs/graph_memory.h"
#include "hip/graphs/graph_nodes.h"
#include "hip/launch/kernel_command.h"
#include "hip/streams/event.h"
#include "hip/streams/host_commands.h"
#include "hip/streams/memory_operations.h"

namespace cuda_shim {
namespace {

hipError_t add_allocation(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, size_t count,
                          hipMemAllocNodeParams* params) {
    if (!params) return hipErrorInvalidValue;
    return add_node(node, graph, dependencies, count,
                    [&](CommandPtr& command) { return make_graph_alloc(*params, command); });
}

hipError_t add_free(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, size_t count,
                    void* pointer) {
    Graph* target = Graph::resolve(graph);
    if (target && target->frees(pointer)) return hipErrorInvalidValue;
    return add_node(node, graph, dependencies, count,
                    [&](CommandPtr& command) { return make_graph_free(pointer, command); });
}

// New parameters leave a node's attributes as they are.
hipError_t make_kernel_for(hipGraphNode_t handle, const hipKernelNodeParams* params, CommandPtr& command) {
    CUDA_SHIM_TRY(make_kernel(params, command));
    return set_cooperative(*command, is_cooperative(GraphNode::resolve(handle)->command()));
}

// Parameters of any type go by its own function; events and children have no struct there.
hipError_t change_any(GraphNode& node, hipGraphNodeParams* params) {
    if (!params || params->type != node.type() || params->type == hipGraphNodeTypeMemAlloc) return hipErrorInvalidValue;
    CommandPtr command;
    CUDA_SHIM_TRY(make_any(*params, command));
    node.set_command(std::move(command));
    return hipSuccess;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipGraphAddNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, size_t count,
                           hipGraphNodeParams* params) {
    return api(__func__, [&] {
        if (!params) return hipErrorInvalidValue;
        return add_node(node, graph, dependencies, count,
                        [&](CommandPtr& command) { return make_any(*params, command); });
    });
}

hipError_t hipGraphNodeSetParams(hipGraphNode_t handle, hipGraphNodeParams* params) {
    return api(__func__, [&] {
        GraphNode* node = GraphNode::resolve(handle);
        return node ? change_any(*node, params) : hipErrorInvalidValue;
    });
}

hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipGraphNodeParams* params) {
    return api(__func__, [&] {
        if (!params || params->type == hipGraphNodeTypeMemAlloc) return hipErrorInvalidValue;
        return change_exec_node(exec, node, params->type,
                                [&](CommandPtr& command) { return make_any(*params, command); });
    });
}

// --- kernels

hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                 size_t count, const hipKernelNodeParams* params) {
    return api(__func__, [&] {
        return add_node(node, graph, dependencies, count,
                        [&](CommandPtr& command) { return make_kernel(params, command); });
    });
}

hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams* params) {
    return api(__func__, [&] {
        if (!params) return hipErrorInvalidValue;
        return with_command<Command>(node, hipGraphNodeTypeKernel, [&](Command& kernel) {
            describe_kernel_command(kernel, *params);
            return hipSuccess;
        });
    });
}

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams* params) {
    return api(__func__, [&] {
        return change_node(node, hipGraphNodeTypeKernel,
                           [&](CommandPtr& command) { return make_kernel_for(node, params, command); });
    });
}

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipKernelNodeParams* params) {
    return api(__func__, [&] {
        return change_exec_node(exec, node, hipGraphNodeTypeKernel,
                                [&](CommandPtr& command) { return make_kernel_for(node, params, command); });
    });
}

// --- host functions

hipError_t hipGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, size_t count,
                               const hipHostNodeParams* params) {
    return api(__func__, [&] {
        return add_node(node, graph, dependencies, count,
                        [&](CommandPtr& command) { return make_host(params, command); });
    });
}

hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams* params) {
    return api(__func__, [&] {
        if (!params) return hipErrorInvalidValue;
        return with_command<HostCommand>(node, hipGraphNodeTypeHost, [&](HostCommand& host) {
            *params = host.params();
            return hipSuccess;
        });
    });
}

hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams* params) {
    return api(__func__, [&] {
        return change_node(node, hipGraphNodeTypeHost, [&](CommandPtr& command) { return make_host(params, command); });
    });
}

hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipHostNodeParams* params) {
    return api(__func__, [&] {
        return change_exec_node(exec, node, hipGraphNodeTypeHost,
                                [&](CommandPtr& command) { return make_host(params, command); });
    });
}

// --- child graphs and empty nodes

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                     size_t count, hipGraph_t child) {
    return api(__func__, [&] {
        return add_node(node, graph, dependencies, count,
                        [&](CommandPtr& command) { return make_child(child, command); });
    });
}

hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* graph) {
    return api(__func__, [&] {
        if (!graph) return hipErrorInvalidValue;
        return with_command<ChildGraphCommand>(node, hipGraphNodeTypeGraph, [&](ChildGraphCommand& child) {
            *graph = child.graph().handle();
            return hipSuccess;
        });
    });
}

hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t exec_handle, hipGraphNode_t node_handle,
                                               hipGraph_t child_handle) {
    return api(__func__, [&] {
        GraphExec* exec = GraphExec::resolve(exec_handle);
        GraphNode* node = GraphNode::resolve(node_handle);
        Graph* child = Graph::resolve(child_handle);
        if (!exec || !node || !child || node->type() != hipGraphNodeTypeGraph) return hipErrorInvalidValue;
        return exec->replace_child(*node, *child);
    });
}

hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                size_t count) {
    return api(__func__, [&] {
        return add_node(node, graph, dependencies, count, [](CommandPtr& command) {
            command = std::make_unique<EmptyCommand>();
            return hipSuccess;
        });
    });
}

// --- events

hipError_t hipGraphAddEventRecordNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                      size_t count, hipEvent_t event) {
    return api(__func__, [&] {
        return add_node(node, graph, dependencies, count,
                        [&](CommandPtr& command) { return make_event_record(event, command); });
    });
}

hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t* event) {
    return api(__func__, [&] {
        if (!event) return hipErrorInvalidValue;
        return with_command<EventRecordCommand>(node, hipGraphNodeTypeEventRecord, [&](EventRecordCommand& record) {
            *event = record.event();
            return hipSuccess;
        });
    });
}

hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
    return api(__func__, [&] {
        return change_node(node, hipGraphNodeTypeEventRecord,
                           [&](CommandPtr& command) { return make_event_record(event, command); });
    });
}

hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node, hipEvent_t event) {
    return api(__func__, [&] {
        return change_exec_node(exec, node, hipGraphNodeTypeEventRecord,
                                [&](CommandPtr& command) { return make_event_record(event, command); });
    });
}

hipError_t hipGraphAddEventWaitNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                    size_t count, hipEvent_t event) {
    return api(__func__, [&] {
        return add_node(node, graph, dependencies, count,
                        [&](CommandPtr& command) { return make_event_wait(event, command); });
    });
}

hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t* event) {
    return api(__func__, [&] {
        if (!event) return hipErrorInvalidValue;
        return with_command<EventWaitCommand>(node, hipGraphNodeTypeWaitEvent, [&](EventWaitCommand& wait) {
            *event = wait.event();
            return hipSuccess;
        });
    });
}

hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event) {
    return api(__func__, [&] {
        return change_node(node, hipGraphNodeTypeWaitEvent,
                           [&](CommandPtr& command) { return make_event_wait(event, command); });
    });
}

hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node, hipEvent_t event) {
    return api(__func__, [&] {
        return change_exec_node(exec, node, hipGraphNodeTypeWaitEvent,
                                [&](CommandPtr& command) { return make_event_wait(event, command); });
    });
}

// --- memory

hipError_t hipGraphAddMemAllocNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                   size_t count, hipMemAllocNodeParams* params) {
    return api(__func__, [&] { return add_allocation(node, graph, dependencies, count, params); });
}

hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams* params) {
    return api(__func__, [&] {
        if (!params) return hipErrorInvalidValue;
        return with_command<GraphAllocCommand>(node, hipGraphNodeTypeMemAlloc, [&](GraphAllocCommand& allocation) {
            *params = allocation.params();
            return hipSuccess;
        });
    });
}

hipError_t hipGraphAddMemFreeNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                  size_t count, void* pointer) {
    return api(__func__, [&] { return add_free(node, graph, dependencies, count, pointer); });
}

hipError_t hipDrvGraphAddMemFreeNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                     size_t count, void* pointer) {
    return api(__func__, [&] { return add_free(node, graph, dependencies, count, pointer); });
}

hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void* pointer) {
    return api(__func__, [&] {
        if (!pointer) return hipErrorInvalidValue;
        return with_command<FreeCommand>(node, hipGraphNodeTypeMemFree, [&](FreeCommand& release) {
            void* base = release.base();
            memcpy(pointer, &base, sizeof base);
            return hipSuccess;
        });
    });
}

// --- values

hipError_t hipGraphAddBatchMemOpNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                     size_t count, const hipBatchMemOpNodeParams* params) {
    return api(__func__, [&] {
        return add_node(node, graph, dependencies, count,
                        [&](CommandPtr& command) { return make_batch_mem_op(params, command); });
    });
}

hipError_t hipGraphBatchMemOpNodeGetParams(hipGraphNode_t node, hipBatchMemOpNodeParams* params) {
    return api(__func__, [&] {
        if (!params) return hipErrorInvalidValue;
        return with_command<MemoryOperationCommand>(node, hipGraphNodeTypeBatchMemOp,
                                                    [&](MemoryOperationCommand& batch) {
                                                        if (!batch.params()) return hipErrorInvalidValue;
                                                        *params = *batch.params();
                                                        return hipSuccess;
                                                    });
    });
}

hipError_t hipGraphBatchMemOpNodeSetParams(hipGraphNode_t node, hipBatchMemOpNodeParams* params) {
    return api(__func__, [&] {
        return change_node(node, hipGraphNodeTypeBatchMemOp,
                           [&](CommandPtr& command) { return make_batch_mem_op(params, command); });
    });
}

hipError_t hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                               const hipBatchMemOpNodeParams* params) {
    return api(__func__, [&] {
        return change_exec_node(exec, node, hipGraphNodeTypeBatchMemOp,
                                [&](CommandPtr& command) { return make_batch_mem_op(params, command); });
    });
}
