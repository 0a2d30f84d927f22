// Extensions of this runtime, which HIP has no functions for: conditional nodes, as CUDA 12.9's
// cudaGraphConditionalHandleCreate and cudaGraphAddNode make them.
#include "hip/api.h"
#include "hip/graphs/graph_nodes.h"

extern "C" {
// The handle that kernels set by cudaGraphSetConditional. With a flag of 1, each launch begins with the default.
CUDA_SHIM_API hipError_t hipExtGraphConditionalHandleCreate(uint64_t* handle, hipGraph_t graph,
                                                            unsigned int default_value, unsigned int flags);
// Types are 0 for IF, 1 for WHILE, 2 for SWITCH. `bodies` becomes an array of `size` empty graphs, the node's own.
CUDA_SHIM_API hipError_t hipExtGraphAddConditionalNode(hipGraphNode_t* node, hipGraph_t graph,
                                                       const hipGraphNode_t* dependencies, size_t count,
                                                       uint64_t handle, int type, unsigned int size,
                                                       hipGraph_t** bodies);
CUDA_SHIM_API hipError_t hipExtGraphConditionalNodeGetParams(hipGraphNode_t node, uint64_t* handle, int* type,
                                                             unsigned int* size, hipGraph_t** bodies);
// The type that hipGraphNodeGetType returns for a conditional node.
CUDA_SHIM_API int hipExtGraphConditionalNodeType();
}

namespace cuda_shim {
namespace {

constexpr unsigned kAssignDefault = 1;
constexpr unsigned kMaxBodies = 1u << 16;  // more are a mistake, and would take the memory of the process

hipError_t create_condition(uint64_t* out, hipGraph_t handle, unsigned default_value, unsigned flags) {
    Graph* graph = Graph::resolve(handle);
    if (!out || !graph || (flags & ~kAssignDefault)) return hipErrorInvalidValue;
    std::shared_ptr<Condition> condition = Condition::create(*graph, default_value, flags & kAssignDefault);
    if (!condition) return hipErrorOutOfMemory;
    *out = condition->handle();
    graph->conditions().all.push_back(std::move(condition));
    return hipSuccess;
}

hipError_t make_conditional(Graph& graph, uint64_t handle, int type, unsigned size, CommandPtr& command) {
    const std::shared_ptr<Condition> condition = graph.find_condition(handle);
    if (!condition || condition->used) return hipErrorInvalidValue;
    const auto kind = static_cast<ConditionalType>(type);
    if (!may_have_bodies(kind, size) || size > kMaxBodies) return hipErrorInvalidValue;
    command = std::make_unique<ConditionalCommand>(condition, kind, size);
    return hipSuccess;
}

hipError_t describe_conditional(hipGraphNode_t node, uint64_t* handle, int* type, unsigned* size, hipGraph_t** bodies) {
    return with_command<ConditionalCommand>(node, kConditionalNode, [&](ConditionalCommand& conditional) {
        if (handle) *handle = conditional.condition()->handle();
        if (type) *type = static_cast<int>(conditional.type());
        if (size) *size = static_cast<unsigned>(conditional.bodies().size());
        if (bodies) *bodies = conditional.handles();
        return hipSuccess;
    });
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipExtGraphConditionalHandleCreate(uint64_t* handle, hipGraph_t graph, unsigned int default_value,
                                              unsigned int flags) {
    return api(__func__, [&] { return create_condition(handle, graph, default_value, flags); });
}

hipError_t hipExtGraphAddConditionalNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                         size_t count, uint64_t handle, int type, unsigned int size,
                                         hipGraph_t** bodies) {
    return api(__func__, [&]() -> hipError_t {
        CUDA_SHIM_TRY(add_node(node, graph, dependencies, count, [&](CommandPtr& command) {
            return make_conditional(*Graph::resolve(graph), handle, type, size, command);
        }));
        return describe_conditional(*node, nullptr, nullptr, nullptr, bodies);
    });
}

hipError_t hipExtGraphConditionalNodeGetParams(hipGraphNode_t node, uint64_t* handle, int* type, unsigned int* size,
                                               hipGraph_t** bodies) {
    return api(__func__, [&] { return describe_conditional(node, handle, type, size, bodies); });
}

int hipExtGraphConditionalNodeType() { return kConditionalNode; }
