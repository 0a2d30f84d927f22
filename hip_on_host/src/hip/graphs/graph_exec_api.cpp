// Instantiating, launching and updating graphs.
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <memory>

#include "hip/api.h"
#include "hip/graphs/graph_exec.h"
#include "hip/graphs/graph_memory.h"
#include "hip/handle_table.h"
#include "hip/streams/stream.h"

namespace cuda_shim {
namespace {

constexpr unsigned long long kFlags = hipGraphInstantiateFlagAutoFreeOnLaunch | hipGraphInstantiateFlagUpload |
                                      hipGraphInstantiateFlagDeviceLaunch | hipGraphInstantiateFlagUseNodePriority;
// CUDA's result for a graph with a condition that no node uses, which HIP has no name for.
constexpr auto kConditionUnused = static_cast<hipGraphInstantiateResult>(5);

// Graphs that kernels may launch hold work of the device alone. Kernels have no call for it here; from the host they
// are launched as any other.
bool may_be_launched_by_kernels(const Graph& graph) {
    return std::all_of(graph.nodes().begin(), graph.nodes().end(), [](const auto& node) {
        const hipGraphNodeType type = node->type();
        if (auto* child = dynamic_cast<const ChildGraphCommand*>(&node->command())) {
            return may_be_launched_by_kernels(child->graph());
        }
        return type == hipGraphNodeTypeKernel || type == hipGraphNodeTypeMemcpy || type == hipGraphNodeTypeMemset;
    });
}

bool bodies_are_allowed(const Graph& graph) {
    return std::all_of(graph.nodes().begin(), graph.nodes().end(), [](const auto& node) {
        auto* conditional = dynamic_cast<const ConditionalCommand*>(&node->command());
        if (!conditional) return true;
        return std::all_of(conditional->bodies().begin(), conditional->bodies().end(),
                           [](const auto& body) { return body->may_be_body() && bodies_are_allowed(*body); });
    });
}

hipGraphInstantiateResult judge(Graph& graph, unsigned long long flags) {
    if (graph.is_body() || graph.has_cycle()) return hipGraphInstantiateInvalidStructure;
    const auto& conditions = graph.conditions().all;
    const bool all_used = std::all_of(conditions.begin(), conditions.end(), [](const auto& one) { return one->used; });
    if (!all_used) return kConditionUnused;
    const bool device_launch = flags & hipGraphInstantiateFlagDeviceLaunch;
    if (!bodies_are_allowed(graph) || (device_launch && !may_be_launched_by_kernels(graph)))
        return hipGraphInstantiateNodeOperationNotSupported;
    if (graph.has_memory_nodes() && graph.has_instance()) return hipGraphInstantiateNodeOperationNotSupported;
    return hipGraphInstantiateSuccess;
}

hipError_t instantiate(hipGraphExec_t* out, hipGraph_t handle, unsigned long long flags,
                       hipGraphInstantiateResult& result) {
    result = hipGraphInstantiateError;
    Graph* graph = Graph::resolve(handle);
    if (!out || !graph || (flags & ~kFlags)) return hipErrorInvalidValue;
    result = judge(*graph, flags);
    // CUDA's two statuses: for such a graph by itself, and for nodes that a conditional node's graph may not hold.
    if (graph->is_body()) return hipErrorNotSupported;
    if (!bodies_are_allowed(*graph)) return hipErrorInvalidValue;
    if (result == hipGraphInstantiateNodeOperationNotSupported) return hipErrorNotSupported;
    if (result != hipGraphInstantiateSuccess) return hipErrorInvalidValue;
    *out = (new GraphExec(*graph, flags))->handle();
    return hipSuccess;
}

hipError_t instantiate(hipGraphExec_t* out, hipGraph_t handle, unsigned long long flags) {
    hipGraphInstantiateResult result;
    return instantiate(out, handle, flags, result);
}

hipError_t instantiate_with_params(hipGraphExec_t* out, hipGraph_t graph, hipGraphInstantiateParams* params) {
    if (!params) return hipErrorInvalidValue;
    params->errNode_out = nullptr;
    return instantiate(out, graph, params->flags, params->result_out);
}

hipError_t launch(hipGraphExec_t exec_handle, hipStream_t stream_handle) {
    GraphExec* exec = GraphExec::resolve(exec_handle);
    if (!exec) return hipErrorInvalidValue;
    return with_stream(stream_handle, [&](Stream& stream) {
        CUDA_SHIM_TRY(check_graph_memory(*exec));
        return stream.submit(GraphLaunchCommand(*exec));
    });
}

hipError_t update(hipGraphExec_t exec_handle, hipGraph_t graph_handle, hipGraphNode_t* culprit_out,
                  hipGraphExecUpdateResult* result_out) {
    GraphExec* exec = GraphExec::resolve(exec_handle);
    Graph* graph = Graph::resolve(graph_handle);
    if (!exec || !graph || !culprit_out || !result_out) return hipErrorInvalidValue;
    GraphNode* culprit = nullptr;
    *result_out = exec->update(*graph, culprit);
    *culprit_out = culprit ? culprit->handle() : nullptr;
    return *result_out == hipGraphExecUpdateSuccess ? hipSuccess : hipErrorGraphExecUpdateFailure;
}

template <class Use>
hipError_t with_exec_node(hipGraphExec_t exec_handle, hipGraphNode_t node_handle, Use&& use) {
    GraphExec* exec = GraphExec::resolve(exec_handle);
    GraphNode* node = GraphNode::resolve(node_handle);
    return exec && node ? use(*exec, *node) : hipErrorInvalidValue;
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

// Nothing is written into the log, as in AMD's HIP: there is never more to say than the status does.
hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t* error_node, char*, size_t) {
    return api(__func__, [&] {
        if (error_node) *error_node = nullptr;
        return instantiate(exec, graph, 0);
    });
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* exec, hipGraph_t graph, unsigned long long flags) {
    return api(__func__, [&] { return instantiate(exec, graph, flags); });
}

hipError_t hipGraphInstantiateWithParams(hipGraphExec_t* exec, hipGraph_t graph, hipGraphInstantiateParams* params) {
    return api(__func__, [&] { return instantiate_with_params(exec, graph, params); });
}

hipError_t hipGraphExecDestroy(hipGraphExec_t handle) {
    return api(__func__, [&] {
        // Launches that are still to run hold the program that they need.
        return claim_handle<GraphExec>(handle) ? hipSuccess : hipErrorInvalidValue;
    });
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t handle, unsigned long long* flags) {
    return api(__func__, [&] {
        GraphExec* exec = GraphExec::resolve(handle);
        if (!exec || !flags) return hipErrorInvalidValue;
        *flags = exec->flags();
        return hipSuccess;
    });
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
    return api(__func__, [&] { return launch(exec, stream); });
}

hipError_t hipGraphLaunch_spt(hipGraphExec_t exec, hipStream_t stream) {
    return api(__func__, [&] { return launch(exec, stream ? stream : per_thread_stream_handle()); });
}

hipError_t hipGraphUpload(hipGraphExec_t handle, hipStream_t stream) {
    return api(__func__, [&] {
        // There is nowhere to upload to; the memory of its nodes counts from now on.
        GraphExec* exec = GraphExec::resolve(handle);
        if (!exec) return hipErrorInvalidValue;
        return with_stream(stream, [&](Stream&) {
            hold_graph_memory(*exec);
            return hipSuccess;
        });
    });
}

hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t* error_node,
                              hipGraphExecUpdateResult* result) {
    return api(__func__, [&] { return update(exec, graph, error_node, result); });
}

hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned int enabled) {
    return api(__func__, [&] {
        return with_exec_node(exec, node, [&](GraphExec& instance, GraphNode& which) {
            return instance.set_enabled(which, enabled != 0);
        });
    });
}

hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned int* enabled) {
    return api(__func__, [&] {
        if (!enabled) return hipErrorInvalidValue;
        return with_exec_node(exec, node, [&](GraphExec& instance, GraphNode& which) {
            bool answer = false;
            hipError_t status = instance.get_enabled(which, answer);
            if (status == hipSuccess) *enabled = answer;
            return status;
        });
    });
}
