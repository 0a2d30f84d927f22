// Graph nodes that copy and set memory: adding them, asking for their parameters, changing these.
#include <string.h>

#include "hip/contexts/context.h"
#include "hip/graphs/graph_nodes.h"
#include "hip/memory/copy.h"
#include "hip/memory/fill.h"
#include "hip/modules/symbols.h"

namespace cuda_shim {
namespace {

constexpr hipGraphNodeType kCopy = hipGraphNodeTypeMemcpy;
constexpr hipGraphNodeType kFill = hipGraphNodeTypeMemset;

hipError_t check_context(hipCtx_t context) {
    return !context || Context::resolve(context) ? hipSuccess : hipErrorInvalidContext;
}

hipError_t make_from_symbol(void* dst, const void* symbol, size_t bytes, size_t offset, hipMemcpyKind kind,
                            CommandPtr& command) {
    char* address;
    CUDA_SHIM_TRY(symbol_range(symbol, bytes, offset, address));
    return make_copy_1d(dst, address, bytes, kind, command);
}

hipError_t make_to_symbol(const void* symbol, const void* src, size_t bytes, size_t offset, hipMemcpyKind kind,
                          CommandPtr& command) {
    char* address;
    CUDA_SHIM_TRY(symbol_range(symbol, bytes, offset, address));
    return make_copy_1d(address, src, bytes, kind, command);
}

}  // namespace
}  // namespace cuda_shim

using namespace cuda_shim;

hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                 size_t count, const hipMemcpy3DParms* params) {
    return api(__func__, [&] {
        return add_node(node, graph, dependencies, count,
                        [&](CommandPtr& command) { return make_copy(params, command); });
    });
}

hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms* params) {
    return api(__func__, [&] {
        if (!params) return hipErrorInvalidValue;
        return with_command<CopyCommand>(node, kCopy, [&](CopyCommand& copy) {
            *params = copy.params();
            return hipSuccess;
        });
    });
}

hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms* params) {
    return api(__func__, [&] {
        return change_node(node, kCopy, [&](CommandPtr& command) { return make_copy(params, command); });
    });
}

hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipMemcpy3DParms* params) {
    return api(__func__, [&] {
        return change_exec_node(exec, node, kCopy, [&](CommandPtr& command) { return make_copy(params, command); });
    });
}

hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                    size_t count, const HIP_MEMCPY3D* params, hipCtx_t context) {
    return api(__func__, [&]() -> hipError_t {
        CUDA_SHIM_TRY(check_context(context));
        return add_node(node, graph, dependencies, count,
                        [&](CommandPtr& command) { return make_driver_copy(params, command); });
    });
}

hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, HIP_MEMCPY3D* params) {
    return api(__func__, [&] {
        if (!params) return hipErrorInvalidValue;
        return with_command<CopyCommand>(node, kCopy, [&](CopyCommand& copy) {
            *params = copy.driver_params();
            return hipSuccess;
        });
    });
}

hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const HIP_MEMCPY3D* params) {
    return api(__func__, [&] {
        return change_node(node, kCopy, [&](CommandPtr& command) { return make_driver_copy(params, command); });
    });
}

hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const HIP_MEMCPY3D* params,
                                              hipCtx_t context) {
    return api(__func__, [&]() -> hipError_t {
        CUDA_SHIM_TRY(check_context(context));
        return change_exec_node(exec, node, kCopy,
                                [&](CommandPtr& command) { return make_driver_copy(params, command); });
    });
}

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                   size_t count, void* dst, const void* src, size_t bytes, hipMemcpyKind kind) {
    return api(__func__, [&] {
        return add_node(node, graph, dependencies, count,
                        [&](CommandPtr& command) { return make_copy_1d(dst, src, bytes, kind, command); });
    });
}

hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* dst, const void* src, size_t bytes,
                                         hipMemcpyKind kind) {
    return api(__func__, [&] {
        return change_node(node, kCopy,
                           [&](CommandPtr& command) { return make_copy_1d(dst, src, bytes, kind, command); });
    });
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void* dst, const void* src,
                                             size_t bytes, hipMemcpyKind kind) {
    return api(__func__, [&] {
        return change_exec_node(exec, node, kCopy,
                                [&](CommandPtr& command) { return make_copy_1d(dst, src, bytes, kind, command); });
    });
}

hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                           size_t count, void* dst, const void* symbol, size_t bytes, size_t offset,
                                           hipMemcpyKind kind) {
    return api(__func__, [&] {
        return add_node(node, graph, dependencies, count, [&](CommandPtr& command) {
            return make_from_symbol(dst, symbol, bytes, offset, kind, command);
        });
    });
}

hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void* dst, const void* symbol, size_t bytes,
                                                 size_t offset, hipMemcpyKind kind) {
    return api(__func__, [&] {
        return change_node(node, kCopy, [&](CommandPtr& command) {
            return make_from_symbol(dst, symbol, bytes, offset, kind, command);
        });
    });
}

hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t exec, hipGraphNode_t node, void* dst,
                                                     const void* symbol, size_t bytes, size_t offset,
                                                     hipMemcpyKind kind) {
    return api(__func__, [&] {
        return change_exec_node(exec, node, kCopy, [&](CommandPtr& command) {
            return make_from_symbol(dst, symbol, bytes, offset, kind, command);
        });
    });
}

hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                         size_t count, const void* symbol, const void* src, size_t bytes, size_t offset,
                                         hipMemcpyKind kind) {
    return api(__func__, [&] {
        return add_node(node, graph, dependencies, count,
                        [&](CommandPtr& command) { return make_to_symbol(symbol, src, bytes, offset, kind, command); });
    });
}

hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void* symbol, const void* src, size_t bytes,
                                               size_t offset, hipMemcpyKind kind) {
    return api(__func__, [&] {
        return change_node(node, kCopy, [&](CommandPtr& command) {
            return make_to_symbol(symbol, src, bytes, offset, kind, command);
        });
    });
}

hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t exec, hipGraphNode_t node, const void* symbol,
                                                   const void* src, size_t bytes, size_t offset, hipMemcpyKind kind) {
    return api(__func__, [&] {
        return change_exec_node(exec, node, kCopy, [&](CommandPtr& command) {
            return make_to_symbol(symbol, src, bytes, offset, kind, command);
        });
    });
}

hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                 size_t count, const hipMemsetParams* params) {
    return api(__func__, [&] {
        return add_node(node, graph, dependencies, count,
                        [&](CommandPtr& command) { return make_fill(params, command); });
    });
}

hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                    size_t count, const hipMemsetParams* params, hipCtx_t context) {
    return api(__func__, [&]() -> hipError_t {
        CUDA_SHIM_TRY(check_context(context));
        return add_node(node, graph, dependencies, count,
                        [&](CommandPtr& command) { return make_fill(params, command); });
    });
}

hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* params) {
    return api(__func__, [&] {
        if (!params) return hipErrorInvalidValue;
        return with_command<FillCommand>(node, kFill, [&](FillCommand& fill) {
            *params = fill.params();
            return hipSuccess;
        });
    });
}

hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams* params) {
    return api(__func__, [&] {
        return change_node(node, kFill, [&](CommandPtr& command) { return make_fill(params, command); });
    });
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams* params) {
    return api(__func__, [&] {
        return change_exec_node(exec, node, kFill, [&](CommandPtr& command) { return make_fill(params, command); });
    });
}

hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams* params,
                                              hipCtx_t context) {
    return api(__func__, [&]() -> hipError_t {
        CUDA_SHIM_TRY(check_context(context));
        return change_exec_node(exec, node, kFill, [&](CommandPtr& command) { return make_fill(params, command); });
    });
}
