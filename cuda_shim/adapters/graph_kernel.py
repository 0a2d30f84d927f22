"""Kernel nodes of graphs: the parts of them that HIP's description lacks, or expresses otherwise.

CUDA 12 takes a CUkernel in place of a CUfunction, and so does the runtime of CUDA 13; HIP takes the function alone.
The `extra` form of the parameters ends with a mark that HIP numbers otherwise.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.binding import launch_extra
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.structs import duplicate

__all__ = ["node_call"]

Call = Callable[..., tuple[Any, ...]]

_TYPES = ("CU_GRAPH_NODE_TYPE_KERNEL", "cudaGraphNodeTypeKernel")
_KERNEL_FUNCTION_TYPE = 2  # cudaKernelFunctionTypeKernel


def node_call(binding: Binding) -> Call:
    """Serve calls that make a kernel node or change one, and those for nodes of any type.

    cuGraphAddKernelNode, cuGraphKernelNodeSetParams, cuGraphExecKernelNodeSetParams, their like in the runtime;
    cuGraphAddNode and its like, where only the descriptions of kernel nodes are looked at.
    """
    call, outcome = generated_call(binding), binding.outcome
    cls = binding.class_of(binding.row.inputs[-1].base)
    of_any_type = hasattr(cls, "kernel")
    function_of = _function_of(binding, type(cls().kernel) if of_any_type else cls)

    def serve(*arguments: Any) -> tuple[Any, ...]:
        *others, parameters = arguments
        if not isinstance(parameters, cls) or (of_any_type and parameters.type.name not in _TYPES):
            return call(*arguments)
        node = parameters.kernel if of_any_type else parameters
        function, buffer = function_of(node), launch_extra.in_hip(node.extra)
        if function is None and buffer is None:
            return call(*arguments)
        changed = duplicate(parameters)
        node = changed.kernel if of_any_type else changed
        node.extra = 0 if buffer is None else ctypes.addressof(buffer)
        if function is not None:
            status, node.func = function
            if status:
                return (outcome.codes.cls(int(status)), *outcome.failure_outputs())
        return call(*others, changed)

    return serve


def _function_of(binding: Binding, description: Any) -> Callable[[Any], Any]:
    """Return the look-up of the function of a node's kernel: a status and the function, None for no kernel."""
    if not hasattr(description, "kern"):
        return lambda node: None
    look_up = binding.catalogue.object("driver", "cuKernelGetFunction")
    if hasattr(description, "functionType"):
        return lambda node: look_up(node.kern) if int(node.functionType) == _KERNEL_FUNCTION_TYPE else None
    return lambda node: look_up(node.kern) if int(node.kern) and not int(node.func) else None
