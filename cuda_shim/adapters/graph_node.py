"""Graph nodes whose parameters come in one struct for nodes of every type (cuGraphAddNode and its like).

HIP has that struct in the runtime's form alone, so nodes that the driver describes in another way are given to the
call for nodes of their type.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.adapters import edge_data, graph_kernel
from cuda_shim.adapters.callback import with_own_function
from cuda_shim.adapters.graph_condition import ConditionalNodes
from cuda_shim.binding.arguments import address
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.generated import generated_call
from cuda_shim.binding.structs import output, take_back

__all__ = ["add", "add_child", "node_type", "parameters", "set_executable_parameters", "set_parameters"]

Call = Callable[..., tuple[Any, ...]]

_TYPES = {"driver": ("CUgraphNodeType", "CU_GRAPH_NODE_TYPE_"), "runtime": ("cudaGraphNodeType", "cudaGraphNodeType")}


def add(binding: Binding) -> Call:
    """cuGraphAddNode, cudaGraphAddNode, with edge data or without; HIP's is hipGraphAddNode."""
    if edge_data.has_edge_data(binding):
        return edge_data.without(binding, add)
    call, without_itself = graph_kernel.node_call(binding), _without_itself(binding)
    own = _OwnCalls(binding, "cuGraphAddMemcpyNode", "cuGraphAddBatchMemOpNode")
    conditional, child = ConditionalNodes(binding), _number(binding, "GRAPH", "Graph")
    allocation = _number(binding, "MEM_ALLOC", "MemAlloc")
    params = binding.class_of(binding.row.inputs[-1].base)

    def serve(graph: Any, dependencies: Any, count: Any, node: Any) -> tuple[Any, ...]:
        served = own.call(node, graph, dependencies, count) or conditional.add(graph, dependencies, count, node)
        if served is not None:
            return served
        result = call(graph, dependencies, count, node)
        if isinstance(node, params) and int(node.type) == allocation:
            take_back(node, "alloc.dptr")
        if isinstance(node, params) and int(node.type) == child:
            return without_itself(result, graph, node.graph.graph)
        return result

    return serve


def add_child(binding: Binding) -> Call:
    """cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode: a graph is no part of itself, where HIP takes a copy."""
    call, without_itself = generated_call(binding), _without_itself(binding)
    return lambda graph, dependencies, count, child: without_itself(
        call(graph, dependencies, count, child), graph, child
    )


def _without_itself(binding: Binding) -> Call:
    """Return the check that removes and refuses a new child node whose graph is the one that it was added to."""
    destroy = binding.native("hipGraphDestroyNode", ctypes.c_void_p)

    def check(answer: tuple[Any, ...], graph: Any, child: Any) -> tuple[Any, ...]:
        if int(answer[0]) or address(graph) != address(child):
            return answer
        destroy(address(answer[1]))
        return binding.outcome.invalid()

    return check


def node_type(binding: Binding) -> Call:
    """cuGraphNodeGetType, cudaGraphNodeGetType; HIP's is hipGraphNodeGetType."""
    outcome, pointer, conditional = binding.outcome, ctypes.c_void_p, ConditionalNodes(binding)
    types = binding.enums(_TYPES[binding.api][0]).from_hip
    type_of = binding.native(binding.row.hip or "", pointer, pointer)

    def get(node: Any) -> tuple[Any, ...]:
        number = ctypes.c_int()
        status = type_of(address(node), ctypes.byref(number))
        if status:
            return outcome.failed(status)
        return outcome.success, conditional.kind(number.value) or types[number.value]

    return get


def set_parameters(binding: Binding) -> Call:
    """cuGraphNodeSetParams, cudaGraphNodeSetParams; HIP's is hipGraphNodeSetParams."""
    call = graph_kernel.node_call(binding)
    own = _OwnCalls(binding, "cuGraphMemcpyNodeSetParams", "cuGraphBatchMemOpNodeSetParams", context=False)
    return lambda node, parameters: own.call(parameters, node) or call(node, parameters)


def set_executable_parameters(binding: Binding) -> Call:
    """cuGraphExecNodeSetParams, cudaGraphExecNodeSetParams; HIP's is hipGraphExecNodeSetParams."""
    call = graph_kernel.node_call(binding)
    own = _OwnCalls(binding, "cuGraphExecMemcpyNodeSetParams", "cuGraphExecBatchMemOpNodeSetParams")
    return lambda executable, node, parameters: (
        own.call(parameters, executable, node) or call(executable, node, parameters)
    )


def parameters(binding: Binding) -> Call:
    """cuGraphNodeGetParams, cudaGraphNodeGetParams: the type of the node, and the result of that type's getter."""
    outcome, params_class, pointer = binding.outcome, binding.class_of(binding.row.outputs[0].base), ctypes.c_void_p
    enums = binding.enums(_TYPES[binding.api][0])
    type_of, conditional = binding.native("hipGraphNodeGetType", pointer, pointer), ConditionalNodes(binding)
    getters = {
        _number(binding, *names): (member, binding.native(hip, pointer, pointer))
        for names, (member, hip) in _getters(binding.api).items()
    }

    def get(node: Any) -> tuple[Any, ...]:
        handle, number = address(node), ctypes.c_int()
        status = type_of(handle, ctypes.byref(number))
        if status:
            return outcome.failed(status)
        own_kind, parameters = conditional.kind(number.value), params_class()
        parameters.type = kind = own_kind or enums.from_hip[number.value]
        if own_kind:
            status = conditional.describe(handle, parameters)
        elif int(kind) in getters:
            member, getter = getters[int(kind)]
            status = _fill(parameters, member, getter, handle)
            if member == "host" and not status:
                with_own_function(parameters.host)
        return outcome.failed(status) if status else (outcome.success, parameters)

    return get


def _fill(parameters: Any, member: str, getter: Callable[..., int], node: int) -> int:
    """Set a member of the struct, or of a struct inside, to the result of a getter; return HIP's status."""
    outer, _, name = member.rpartition(".")
    holder = getattr(parameters, outer) if outer else parameters
    cls = type(getattr(holder, name))
    if not hasattr(cls, "__struct__"):
        cell = ctypes.c_void_p()
        status = getter(node, ctypes.byref(cell))
        if not status:
            setattr(holder, name, cell.value or 0)
        return status
    place, finish = output(cls)
    status = getter(node, place)
    if not status:
        setattr(holder, name, finish())
    return status


def _getters(table: str) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the member that describes each node type, and HIP's getter, by the type's names in driver and runtime."""
    driver = table == "driver"
    batch = {("BATCH_MEM_OP", ""): ("memOp", "hipGraphBatchMemOpNodeGetParams")} if driver else {}
    return {
        ("KERNEL", "Kernel"): ("kernel", "hipGraphKernelNodeGetParams"),
        ("MEMCPY", "Memcpy"): (
            "memcpy.copyParams",
            "hipDrvGraphMemcpyNodeGetParams" if driver else "hipGraphMemcpyNodeGetParams",
        ),
        ("MEMSET", "Memset"): ("memset", "hipGraphMemsetNodeGetParams"),
        ("HOST", "Host"): ("host", "hipGraphHostNodeGetParams"),
        ("GRAPH", "Graph"): ("graph.graph", "hipGraphChildGraphNodeGetGraph"),
        ("WAIT_EVENT", "WaitEvent"): ("eventWait.event", "hipGraphEventWaitNodeGetEvent"),
        ("EVENT_RECORD", "EventRecord"): ("eventRecord.event", "hipGraphEventRecordNodeGetEvent"),
        ("EXT_SEMAS_SIGNAL", "ExtSemaphoreSignal"): ("extSemSignal", "hipGraphExternalSemaphoresSignalNodeGetParams"),
        ("EXT_SEMAS_WAIT", "ExtSemaphoreWait"): ("extSemWait", "hipGraphExternalSemaphoresWaitNodeGetParams"),
        ("MEM_ALLOC", "MemAlloc"): ("alloc", "hipGraphMemAllocNodeGetParams"),
        ("MEM_FREE", "MemFree"): ("free.dptr", "hipGraphMemFreeNodeGetParams"),
        **batch,
    }


def _number(binding: Binding, driver: str, runtime: str) -> int:
    """Return the number of a node type, given its name's last part in the driver and in the runtime."""
    name, prefix = _TYPES[binding.api]
    return int(binding.class_of(name).__members__[prefix + (driver if binding.api == "driver" else runtime)])


class _OwnCalls:
    """Calls for the driver's nodes that HIP's common struct does not describe: copies and batches of operations.

    `copy` and `batch` name them; `context` tells whether a copy's takes its context.
    """

    def __init__(self, binding: Binding, copy: str, batch: str, context: bool = True) -> None:
        self._driver = binding.api == "driver"
        if not self._driver:
            return
        self._memcpy, self._memops = _number(binding, "MEMCPY", ""), _number(binding, "BATCH_MEM_OP", "")
        self._copy, self._batch = (binding.catalogue.object("driver", name) for name in (copy, batch))
        self._batch_class = binding.class_of("CUDA_BATCH_MEM_OP_NODE_PARAMS")
        self._context = context

    def call(self, node: Any, *arguments: Any) -> tuple[Any, ...] | None:
        """Return the outcome for a node that has a call of its own, None for all others."""
        kind = int(node.type) if self._driver and hasattr(node, "memcpy") else None
        if kind is None or kind not in (self._memcpy, self._memops):
            return None
        answer: tuple[Any, ...]
        if kind == self._memops:
            answer = self._batch(*arguments, self._batch_class.__view__(node.memOp.__storage__))
        elif self._context:
            answer = self._copy(*arguments, node.memcpy.copyParams, node.memcpy.copyCtx)
        else:
            answer = self._copy(*arguments, node.memcpy.copyParams)
        return answer
