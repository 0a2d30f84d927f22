"""Conditional nodes of graphs: handles that kernels set, and nodes that run graphs of their own by them.

HIP has none. The CPU backend's library has calls of its own for them, which are looked up in it by name; where they are
missing, as in AMD's, the reason is reported.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import Any

from cuda_shim.adapters.extension import extension
from cuda_shim.binding.arguments import address
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.lists import check_list

__all__ = ["ConditionalNodes", "create"]

_REASON = "HIP graphs have no conditional nodes; take the branch on the host"
_TYPE_NAMES = ("CU_GRAPH_NODE_TYPE_CONDITIONAL", "cudaGraphNodeTypeConditional")
_TYPES = {"driver": "CUgraphNodeType", "runtime": "cudaGraphNodeType"}
#: The struct's members as C has them.
_MEMBERS = {"handle": "Q", "type": "i", "size": "I", "phGraph_out": "P"}


def create(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cuGraphConditionalHandleCreate, cudaGraphConditionalHandleCreate, with a context or without."""
    outcome, handle_class = binding.outcome, binding.class_of(binding.row.outputs[0].base)
    number, word = C_INTEGERS["unsigned int"].check, ctypes.c_uint
    native = extension(binding, "hipExtGraphConditionalHandleCreate", ctypes.c_void_p, ctypes.c_void_p, word, word)
    refused = _refusal(binding)
    enter = binding.native("hipCtxPushCurrent", ctypes.c_void_p)
    leave = binding.native("hipCtxPopCurrent", ctypes.c_void_p)

    def make(graph: int, default: Any, flags: Any) -> tuple[Any, ...]:
        if native is None:
            return refused()
        handle = ctypes.c_uint64()
        status = native(ctypes.byref(handle), graph, number(default), number(flags))
        return outcome.failed(status) if status else (outcome.success, handle_class(handle.value))

    def of_context(graph: Any, context: Any, default: Any, flags: Any) -> tuple[Any, ...]:
        there = address(context)
        if native is None or not address(graph):
            return make(address(graph), default, flags)
        if not there:
            return outcome.named("CUDA_ERROR_INVALID_CONTEXT")
        status = enter(there)
        if status:
            return outcome.failed(status)
        try:
            return make(address(graph), default, flags)
        finally:
            leave(None)

    def of_execution_context(graph: Any, context: Any, default: Any, flags: Any) -> tuple[Any, ...]:
        address(context)  # a part of the device: the value is the whole device's
        return make(address(graph), default, flags)

    if len(binding.row.inputs) == 3:
        return lambda graph, default, flags: make(address(graph), default, flags)
    return of_context if binding.api == "driver" else of_execution_context


class ConditionalNodes:
    """Adding conditional nodes and reading them, for the calls that serve nodes of every type."""

    def __init__(self, binding: Binding) -> None:
        self._outcome = binding.outcome
        self._binding = binding
        members = binding.class_of(_TYPES[binding.api]).__members__
        self._type = next((members[name] for name in _TYPE_NAMES if name in members), None)
        self._refused = _refusal(binding)
        self._number_in_library: int | None = None

    def kind(self, number: int) -> Any:
        """CUDA's constant where the library's number is that of conditional nodes, None for all others."""
        if self._type is None:
            return None
        if self._number_in_library is None:
            type_number = extension(self._binding, "hipExtGraphConditionalNodeType")
            self._number_in_library = -1 if type_number is None else type_number()
        return self._type if number == self._number_in_library else None

    def add(self, graph: Any, dependencies: Any, count: Any, node: Any) -> tuple[Any, ...] | None:
        """Add a conditional node; None for parameters of others."""
        if self._type is None or not hasattr(node, "conditional") or int(node.type) != int(self._type):
            return None
        pointer, word = ctypes.c_void_p, ctypes.c_uint
        native = extension(
            self._binding, "hipExtGraphAddConditionalNode", pointer, pointer, pointer, ctypes.c_size_t,
            ctypes.c_uint64, ctypes.c_int, word, pointer,
        )  # fmt: skip
        if native is None:
            return self._refused()
        row, conditional, handle, graphs = self._binding.row, node.conditional, pointer(), pointer()
        before = check_list(row.inputs[1].name, row.inputs[1].base, self._binding.scope)(dependencies, count)
        status = native(
            ctypes.byref(handle), address(graph), (pointer * len(before))(*map(int, before)), len(before),
            int(conditional.handle), int(conditional.type), int(conditional.size), ctypes.byref(graphs),
        )  # fmt: skip
        if status:
            return self._outcome.failed(status)
        _write(node, "phGraph_out", graphs.value or 0)
        return self._outcome.success, self._binding.class_of(row.outputs[0].base)(handle.value or 0)

    def describe(self, node: int, params: Any) -> int:
        """Fill in the parameters of a conditional node; HIP's status."""
        pointer = ctypes.c_void_p
        native = self._binding.native("hipExtGraphConditionalNodeGetParams", *(pointer,) * 5)
        cells: dict[str, Any] = {
            "handle": ctypes.c_uint64(), "type": ctypes.c_int(), "size": ctypes.c_uint(), "phGraph_out": pointer(),
        }  # fmt: skip
        status = native(node, *map(ctypes.byref, cells.values()))
        if not status:
            for member, cell in cells.items():
                _write(params, member, cell.value or 0)
        return status


def _write(params: Any, member: str, value: int) -> None:
    """Write a number into a member of the conditional node's parameters, read-only ones included."""
    place = params.__struct__.layout.place(f"conditional.{member}")
    struct.pack_into(_MEMBERS[member], params.__storage__.memory, place.offset, value)


def _refusal(binding: Binding) -> Callable[[], tuple[Any, ...]]:
    return lambda: binding.outcome.refused(Refused(_REASON, supported=False))
