"""Graphs that allocate memory: calls that are forbidden to them, and the ways to free memory that they leave."""

from collections.abc import Callable
from typing import Any

import numpy
from _device import runtime_device
from _show import call, fields, show
from cuda.bindings import runtime

runtime_device()
way = runtime.cudaMemcpyKind
stream = runtime.cudaStreamCreate()[1]


def wanted(size: int) -> Any:
    made = runtime.cudaMemAllocNodeParams()
    made.poolProps.allocType = runtime.cudaMemAllocationType.cudaMemAllocationTypePinned
    made.poolProps.location.type = runtime.cudaMemLocationType.cudaMemLocationTypeDevice
    made.bytesize = size
    return made


target = numpy.zeros(16, dtype=numpy.uint8)


def filled(graph: Any, say: Callable[..., Any]) -> tuple[list[Any], int]:
    """Add nodes that allocate memory, fill it, copy it and free it; the nodes, and the memory's address."""
    allocated = wanted(4096)
    first = say(runtime.cudaGraphAddMemAllocNode, graph, None, 0, allocated)
    fill = runtime.cudaMemsetParams()
    fill.dst, fill.value, fill.elementSize, fill.width, fill.height = allocated.dptr, 7, 1, 16, 1
    second = say(runtime.cudaGraphAddMemsetNode, graph, [first], 1, fill)
    device_to_host = way.cudaMemcpyDeviceToHost
    third = say(runtime.cudaGraphAddMemcpyNode1D, graph, [second], 1, target, allocated.dptr, 16, device_to_host)
    last = say(runtime.cudaGraphAddMemFreeNode, graph, [third], 1, allocated.dptr)
    return [first, second, third, last], allocated.dptr


graph = runtime.cudaGraphCreate(0)[1]
nodes, address = filled(graph, call)
show("an address", address != 0)
call(runtime.cudaGraphNodeGetType, nodes[0], note="alloc")
call(runtime.cudaGraphNodeGetType, nodes[3], note="free")
show("it is freed", call(runtime.cudaGraphMemFreeNodeGetParams, nodes[3]) == address)
executable = call(runtime.cudaGraphInstantiate, graph, 0)
call(runtime.cudaGraphLaunch, executable, stream)
call(runtime.cudaGraphLaunch, executable, stream, note="again")
call(runtime.cudaStreamSynchronize, stream)
show("filled", target.tolist())
call(runtime.cudaGraphInstantiate, graph, 0, note="a second time")


def quietly(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)[1]


limited = runtime.cudaGraphCreate(0)[1]
nodes, address = filled(limited, quietly)
call(runtime.cudaGraphAddMemFreeNode, limited, [nodes[3]], 1, address, note="twice")
call(runtime.cudaGraphAddMemFreeNode, limited, None, 0, 0, note="null")
call(runtime.cudaGraphAddMemFreeNode, limited, None, 0, runtime.cudaMalloc(64)[1], note="not of a graph")
call(runtime.cudaGraphAddMemAllocNode, limited, None, 0, wanted(0), note="nothing")
call(runtime.cudaGraphAddMemAllocNode, limited, None, 0, runtime.cudaMemAllocNodeParams(), note="not filled in")
call(runtime.cudaGraphAddMemAllocNode, limited, None, 0, None, note="None")
call(runtime.cudaGraphClone, limited, note="with memory")
call(runtime.cudaGraphAddChildGraphNode, runtime.cudaGraphCreate(0)[1], None, 0, limited, note="with memory")
call(runtime.cudaGraphRemoveDependencies, limited, [nodes[0]], [nodes[1]], None, 1, note="of an alloc")
call(runtime.cudaGraphDestroyNode, nodes[0], note="alloc")

left = runtime.cudaGraphCreate(0)[1]
kept = wanted(1024)
call(runtime.cudaGraphAddMemAllocNode, left, None, 0, kept, note="never freed")
executable = call(runtime.cudaGraphInstantiate, left, 0, note="never freed")
call(runtime.cudaGraphLaunch, executable, stream, note="never freed")
call(runtime.cudaStreamSynchronize, stream)
call(runtime.cudaMemset, kept.dptr, 1, 1024, note="after the graph")
call(runtime.cudaGraphLaunch, executable, stream, note="while it is allocated")
call(runtime.cudaFree, kept.dptr)
call(runtime.cudaGraphLaunch, executable, stream, note="freed")
call(runtime.cudaFreeAsync, kept.dptr, stream)
call(runtime.cudaStreamSynchronize, stream)
call(runtime.cudaGraphExecDestroy, executable)
frees = runtime.cudaGraphInstantiateFlags.cudaGraphInstantiateFlagAutoFreeOnLaunch
executable = call(runtime.cudaGraphInstantiate, left, frees, note="frees itself")
call(runtime.cudaGraphLaunch, executable, stream, note="frees itself")
call(runtime.cudaGraphLaunch, executable, stream, note="frees itself, again")
call(runtime.cudaStreamSynchronize, stream)
call(runtime.cudaGraphExecGetFlags, executable, values=True)
for name in ("UsedMemCurrent", "UsedMemHigh", "ReservedMemCurrent", "ReservedMemHigh"):
    kind = getattr(runtime.cudaGraphMemAttributeType, f"cudaGraphMemAttr{name}")
    call(runtime.cudaDeviceGetGraphMemAttribute, 0, kind, note=name)
call(runtime.cudaDeviceGraphMemTrim, 0)
call(runtime.cudaDeviceGraphMemTrim, 99, note="no such device")
fields("kept", kept, "bytesize", values=True)
