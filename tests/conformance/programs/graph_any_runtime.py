"""Nodes of each type made from the runtime's struct for any type."""

import ctypes
from typing import Any

import numpy
from _device import runtime_device
from _show import call, fields, show
from cuda.bindings import runtime

runtime_device()
way, kinds = runtime.cudaMemcpyKind, runtime.cudaGraphNodeType
graph = runtime.cudaGraphCreate(0)[1]
stream = runtime.cudaStreamCreate()[1]
pointer = runtime.cudaMalloc(64)[1]
target = numpy.zeros(8, dtype=numpy.uint8)
event = runtime.cudaEventCreate()[1]
seen: list[Any] = []


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def function(data: int) -> None:
    seen.append(data)


def wanted(name: str) -> Any:
    made = runtime.cudaGraphNodeParams()
    made.type = getattr(kinds, f"cudaGraphNodeType{name}")
    return made


fill = wanted("Memset")
fill.memset.dst, fill.memset.value, fill.memset.elementSize = pointer, 3, 1
fill.memset.width, fill.memset.height = 8, 1
first = call(runtime.cudaGraphAddNode, graph, None, None, 0, fill, note="memset")
copy = wanted("Memcpy")
parts = copy.memcpy.copyParams
parts.srcPtr = runtime.make_cudaPitchedPtr(pointer, 8, 8, 1)
parts.dstPtr = runtime.make_cudaPitchedPtr(target.ctypes.data, 8, 8, 1)
parts.extent = runtime.make_cudaExtent(8, 1, 1)
parts.kind = way.cudaMemcpyDeviceToHost
second = call(runtime.cudaGraphAddNode, graph, [first], None, 1, copy, note="memcpy")
host = wanted("Host")
host.host.fn = runtime.cudaHostFn_t(_ptr=ctypes.addressof(function))
host.host.userData = 71
third = call(runtime.cudaGraphAddNode, graph, [second], None, 1, host, note="host")
record = wanted("EventRecord")
record.eventRecord.event = event
fourth = call(runtime.cudaGraphAddNode, graph, [third], None, 1, record, note="record")
wait = wanted("WaitEvent")
wait.eventWait.event = event
fifth = call(runtime.cudaGraphAddNode, graph, [fourth], None, 1, wait, note="wait")
inner = runtime.cudaGraphCreate(0)[1]
runtime.cudaGraphAddEmptyNode(inner, None, 0)
child = wanted("Graph")
child.graph.graph = inner
sixth = call(runtime.cudaGraphAddNode, graph, [fifth], None, 1, child, note="child")
last = call(runtime.cudaGraphAddNode, graph, [sixth], None, 1, wanted("Empty"), note="empty")
for node in (first, second, third, fourth, fifth, sixth, last):
    call(runtime.cudaGraphNodeGetType, node)
executable = call(runtime.cudaGraphInstantiate, graph, 0)
call(runtime.cudaGraphLaunch, executable, stream)
call(runtime.cudaStreamSynchronize, stream)
show("copied", target.tolist())
show("seen", seen)
fill.memset.value = 4
call(runtime.cudaGraphExecNodeSetParams, executable, first, fill)
host.host.userData = 72
call(runtime.cudaGraphExecNodeSetParams, executable, third, host)
call(runtime.cudaGraphNodeSetParams, first, fill)
call(runtime.cudaGraphLaunch, executable, stream, note="changed")
call(runtime.cudaStreamSynchronize, stream)
show("changed", target.tolist())
show("seen", seen)
call(runtime.cudaGraphExecNodeSetParams, executable, first, host, note="another type")
call(runtime.cudaGraphNodeSetParams, first, host, note="another type")
call(runtime.cudaGraphNodeSetParams, first, None, note="None")
call(runtime.cudaGraphAddNode, graph, None, None, 0, None, note="None")
for name in ("Memset", "Memcpy", "Host", "Graph", "WaitEvent", "EventRecord", "MemFree"):
    call(runtime.cudaGraphAddNode, graph, None, None, 0, wanted(name), note=f"{name}, not filled in")
fields("host", host.host, "userData", values=True)
