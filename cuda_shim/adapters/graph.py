"""Graphs: updates of executable ones, and the calls that write into a struct they are given."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import address
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.structs import take_back

__all__ = ["exec_update", "instantiate", "instantiate_with_parameters", "memory_node"]

_UPLOAD = 2  # CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD
_WRITTEN_BACK = {"driver": ("hErrNode_out", "result_out"), "runtime": ("errNode_out", "result_out")}


def exec_update(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuGraphExecUpdate, cudaGraphExecUpdate; HIP's is hipGraphExecUpdate.

    CUDA 11 returns the node and the reason of a failed update beside the status; later ones return both in one
    struct, and None for it with a failed update.
    """
    outcome, driver = binding.outcome, binding.api == "driver"
    pointer = ctypes.c_void_p
    update = binding.native(binding.row.hip or "", pointer, pointer, pointer, pointer)
    reasons = binding.enums("CUgraphExecUpdateResult" if driver else "cudaGraphExecUpdateResult").from_hip
    node_class = binding.class_of("CUgraphNode" if driver else "cudaGraphNode_t")
    in_struct = len(binding.row.outputs) == 1
    info_class = binding.class_of(binding.row.outputs[0].base)

    def serve(executable: Any, graph: Any) -> tuple[Any, ...]:
        node, reason = ctypes.c_void_p(), ctypes.c_int()
        status = update(address(executable), address(graph), ctypes.byref(node), ctypes.byref(reason))
        if not in_struct:
            code = outcome.codes.from_hip[status] if status else outcome.success
            return code, node_class(node.value or 0), reasons[reason.value]
        if status:
            return outcome.failed(status)
        info = info_class()
        info.result = reasons[reason.value]
        info.errorNode = node_class(node.value or 0)
        return outcome.success, info

    return serve


def instantiate(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuGraphInstantiate, cudaGraphInstantiate with flags: none asks for an upload, for which there is no stream."""
    call, outcome, number = generated_call(binding), binding.outcome, C_INTEGERS["unsigned long long"].check

    def serve(graph: Any, flags: Any) -> tuple[Any, ...]:
        return outcome.invalid() if number(flags) & _UPLOAD else call(graph, flags)

    return serve


def instantiate_with_parameters(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuGraphInstantiateWithParams, cudaGraphInstantiateWithParams: the parameters report a failure as well."""
    call, members = generated_call(binding), _WRITTEN_BACK[binding.api]

    def serve(graph: Any, parameters: Any) -> tuple[Any, ...]:
        result = call(graph, parameters)
        if parameters is not None:
            take_back(parameters, *members)
        return result

    return serve


def memory_node(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuGraphAddMemAllocNode, cudaGraphAddMemAllocNode: the parameters receive the address of the allocation."""
    call = generated_call(binding)

    def serve(graph: Any, dependencies: Any, count: Any, parameters: Any) -> tuple[Any, ...]:
        result = call(graph, dependencies, count, parameters)
        if parameters is not None:
            take_back(parameters, "dptr")
        return result

    return serve
