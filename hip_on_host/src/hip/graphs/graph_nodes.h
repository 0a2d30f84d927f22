// Helpers that the functions about graph nodes share.
#pragma once
#include <vector>

#include "hip/api.h"
#include "hip/graphs/graph.h"
#include "hip/graphs/graph_exec.h"

namespace cuda_shim {

// The nodes behind handles; hipErrorInvalidValue when one is none.
hipError_t resolve_nodes(const hipGraphNode_t* handles, size_t count, std::vector<GraphNode*>& nodes);

// Adds a node with the command that `make` makes (hipError_t make(CommandPtr&)).
template <class Make>
hipError_t add_node(hipGraphNode_t* out, hipGraph_t graph_handle, const hipGraphNode_t* dependencies, size_t count,
                    Make&& make) {
    Graph* graph = Graph::resolve(graph_handle);
    if (!out || !graph) return hipErrorInvalidValue;
    std::vector<GraphNode*> nodes;
    CUDA_SHIM_TRY(resolve_nodes(dependencies, count, nodes));
    CUDA_SHIM_TRY(graph->check_dependencies(nodes));
    CommandPtr command;
    CUDA_SHIM_TRY(make(command));
    *out = graph->add(std::move(command), nodes).handle();
    return hipSuccess;
}

// Gives a node, or a node of an instantiated graph, another command of its type.
template <class Make>
hipError_t change_node(hipGraphNode_t handle, hipGraphNodeType type, Make&& make) {
    GraphNode* node = GraphNode::resolve(handle);
    if (!node || node->type() != type) return hipErrorInvalidValue;
    CommandPtr command;
    CUDA_SHIM_TRY(make(command));
    node->set_command(std::move(command));
    return hipSuccess;
}

template <class Make>
hipError_t change_exec_node(hipGraphExec_t exec_handle, hipGraphNode_t handle, hipGraphNodeType type, Make&& make) {
    GraphExec* exec = GraphExec::resolve(exec_handle);
    GraphNode* node = GraphNode::resolve(handle);
    if (!exec || !node || node->type() != type) return hipErrorInvalidValue;
    CommandPtr command;
    CUDA_SHIM_TRY(make(command));
    return exec->replace(*node, std::move(command));
}

// Looks at a node's command as the class that its type stands for; hipErrorInvalidValue for another type.
template <class CommandType, class Use>
hipError_t with_command(hipGraphNode_t handle, hipGraphNodeType type, Use&& use) {
    GraphNode* node = GraphNode::resolve(handle);
    if (!node || node->type() != type) return hipErrorInvalidValue;
    auto* command = dynamic_cast<CommandType*>(&node->command());
    return command ? use(*command) : hipErrorInvalidValue;
}

// Makers of commands from nodes' parameters.
hipError_t make_copy(const hipMemcpy3DParms* params, CommandPtr& command);
hipError_t make_driver_copy(const HIP_MEMCPY3D* params, CommandPtr& command);
hipError_t make_copy_1d(void* dst, const void* src, size_t bytes, hipMemcpyKind kind, CommandPtr& command);
hipError_t make_fill(const hipMemsetParams* params, CommandPtr& command);
hipError_t make_host(const hipHostNodeParams* params, CommandPtr& command);
hipError_t make_event_record(hipEvent_t event, CommandPtr& command);
hipError_t make_event_wait(hipEvent_t event, CommandPtr& command);
hipError_t make_child(hipGraph_t child, CommandPtr& command);
hipError_t make_batch_mem_op(const hipBatchMemOpNodeParams* params, CommandPtr& command);
hipError_t make_kernel(const hipKernelNodeParams* params, CommandPtr& command);
// Makes a command from the parameters of any type of node; sets params.alloc.dptr for allocations.
hipError_t make_any(hipGraphNodeParams& params, CommandPtr& command);

}  // namespace cuda_shim
