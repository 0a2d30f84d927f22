// Graphs as a whole: life, edges, contents, memory, pictures.
#include <algorithm>

#include "hip/api.h"
#include "hip/contexts/device.h"
#include "hip/graphs/graph.h"
#include "hip/graphs/graph_dot.h"
#include "hip/graphs/graph_memory.h"
#include "hip/graphs/graph_nodes.h"
#include "hip/handle_table.h"
#include "hip/values.h"

namespace cuda_shim {
namespace {

// HIP's way of returning lists: without a list, the count; with one, at most *count entries, the rest null.
template <class Handle>
hipError_t answer_list(const std::vector<GraphNode*>& nodes, Handle* list, size_t* count) {
    if (!count) return hipErrorInvalidValue;
    if (!list) {
        *count = nodes.size();
        return hipSuccess;
    }
    for (size_t i = 0; i < *count; ++i) list[i] = i < nodes.size() ? nodes[i]->handle() : nullptr;
    *count = std::min(*count, nodes.size());
    return hipSuccess;
}

hipError_t answer_edges(const std::vector<Edge>& edges, hipGraphNode_t* from, hipGraphNode_t* to, size_t* count) {
    if (!count || !from != !to) return hipErrorInvalidValue;
    if (!from) {
        *count = edges.size();
        return hipSuccess;
    }
    for (size_t i = 0; i < *count; ++i) {
        from[i] = i < edges.size() ? edges[i].first->handle() : nullptr;
        to[i] = i < edges.size() ? edges[i].second->handle() : nullptr;
    }
    *count = std::min(*count, edges.size());
    return hipSuccess;
}

hipError_t change_edges(hipGraph_t handle, const hipGraphNode_t* from, const hipGraphNode_t* to, size_t count,
                        bool connect) {
    Graph* graph = Graph::resolve(handle);
    if (!graph) return hipErrorInvalidValue;
    std::vector<GraphNode*> sources, targets;
    CUDA_SHIM_TRY(resolve_nodes(from, count, sources));
    CUDA_SHIM_TRY(resolve_nodes(to, count, targets));
    for (size_t i = 0; i < count; ++i) {
        bool memory = is_memory_node(sources[i]->type()) || is_memory_node(targets[i]->type());
        if (memory && !connect) return hipErrorNotSupported;
        CUDA_SHIM_TRY(connect ? graph->connect(*sources[i], *targets[i]) : graph->disconnect(*sources[i], *targets[i]));
    }
    return hipSuccess;
}

template <class Use>
hipError_t with_graph(hipGraph_t handle, Use&& use) {
    Graph* graph = Graph::resolve(handle);
    return graph ? use(*graph) : hipErrorInvalidValue;
}

template <class Use>
hipError_t with_node(hipGraphNode_t handle, Use&& use) {
    GraphNode* node = GraphNode::resolve(handle);
    return node ? use(*node) : hipErrorInvalidValue;
}

hipError_t find_in_clone(hipGraphNode_t* out, hipGraphNode_t original_handle, hipGraph_t clone_handle) {
    GraphNode* original = GraphNode::resolve(original_handle);
    Graph* clone = Graph::resolve(clone_handle);
    if (!out || !original || !clone) return hipErrorInvalidValue;
    for (const auto& node : clone->nodes()) {
        if (node->cloned_from != original->id()) continue;
        *out = node->handle();
        return hipSuccess;
    }
    return hipErrorInvalidValue;
}

hipError_t graph_memory_attribute(int ordinal, hipGraphMemAttributeType attribute, void* value, bool set) {
    if (!device_at(ordinal)) return hipErrorInvalidDevice;
    if (!value) return hipErrorInvalidValue;
    if (set) {
        bool used = attribute == hipGraphMemAttrUsedMemHigh;
        if (!used && attribute != hipGraphMemAttrReservedMemHigh) return hipErrorInvalidValue;
        if (value_at<uint64_t>(value) != 0) return hipErrorInvalidValue;
        reset_graph_memory_mark(ordinal, used ? &GraphMemoryUse::used_high : &GraphMemoryUse::reserved_high);
        return hipSuccess;
    }
    GraphMemoryUse use = graph_memory_use(ordinal);
    switch (attribute) {
        case hipGraphMemAttrUsedMemCurrent:
        case hipGraphMemAttrReservedMemCurrent:
            return answer<uint64_t>(value, use.current);
        case hipGraphMemAttrUsedMemHigh:
            return answer<uint64_t>(value, use.used_high);
        case hipGraphMemAttrReservedMemHigh:
            return answer<uint64_t>(value, use.reserved_high);
        default:
            return hipErrorInvalidValue;
    }
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipGraphCreate(hipGraph_t* graph, unsigned int flags) {
    return api(__func__, [&] {
        if (!graph || flags != 0) return hipErrorInvalidValue;
        *graph = (new Graph)->handle();
        return hipSuccess;
    });
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
    return api(__func__, [&] {
        return with_graph(graph, [](Graph& target) {
            if (target.embedded) return hipErrorInvalidValue;
            return claim_handle<Graph>(&target) ? hipSuccess : hipErrorInvalidValue;
        });
    });
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to,
                                   size_t count) {
    return api(__func__, [&] { return change_edges(graph, from, to, count, true); });
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to,
                                      size_t count) {
    return api(__func__, [&] { return change_edges(graph, from, to, count, false); });
}

hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t* from, hipGraphNode_t* to, size_t* count) {
    return api(__func__, [&] {
        return with_graph(graph, [&](Graph& target) { return answer_edges(target.edges(), from, to, count); });
    });
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* list, size_t* count) {
    return api(__func__, [&] {
        return with_graph(graph, [&](Graph& target) {
            std::vector<GraphNode*> nodes;
            for (const auto& node : target.nodes()) nodes.push_back(node.get());
            return answer_list(nodes, list, count);
        });
    });
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* list, size_t* count) {
    return api(__func__, [&] {
        return with_graph(graph, [&](Graph& target) { return answer_list(target.roots(), list, count); });
    });
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t* list, size_t* count) {
    return api(__func__, [&] {
        return with_node(node, [&](GraphNode& target) { return answer_list(target.dependencies(), list, count); });
    });
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t* list, size_t* count) {
    return api(__func__, [&] {
        return with_node(node, [&](GraphNode& target) { return answer_list(target.dependents(), list, count); });
    });
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* type) {
    return api(__func__, [&] {
        if (!type) return hipErrorInvalidValue;
        return with_node(node, [&](GraphNode& target) {
            *type = target.type();
            return hipSuccess;
        });
    });
}

hipError_t hipGraphDestroyNode(hipGraphNode_t node) {
    return api(__func__, [&] {
        return with_node(node, [](GraphNode& target) {
            if (is_memory_node(target.type())) return hipErrorNotSupported;
            target.graph().remove(target);
            return hipSuccess;
        });
    });
}

hipError_t hipGraphClone(hipGraph_t* clone, hipGraph_t original) {
    return api(__func__, [&] {
        if (!clone) return hipErrorInvalidValue;
        return with_graph(original, [&](Graph& target) {
            if (target.has_memory_nodes() || target.has_conditional_nodes()) return hipErrorNotSupported;
            *clone = target.clone().release()->handle();
            return hipSuccess;
        });
    });
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t* node, hipGraphNode_t original, hipGraph_t clone) {
    return api(__func__, [&] { return find_in_clone(node, original, clone); });
}

hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char* path, unsigned int flags) {
    return api(__func__, [&] {
        if (!path) return hipErrorInvalidValue;
        return with_graph(graph, [&](Graph& target) {
            return write_dot(target, path, flags) ? hipSuccess : hipErrorOperatingSystem;
        });
    });
}

hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attribute, void* value) {
    return api(__func__, [&] { return graph_memory_attribute(device, attribute, value, false); });
}

hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attribute, void* value) {
    return api(__func__, [&] { return graph_memory_attribute(device, attribute, value, true); });
}

hipError_t hipDeviceGraphMemTrim(int device) {
    return api(__func__, [&] {
        Device* target = device_at(device);
        if (!target) return hipErrorInvalidDevice;
        trim_graph_memory(*target);
        return hipSuccess;
    });
}
