"""Graphs through the runtime."""

import ctypes
from typing import Any

import numpy
from _device import runtime_device
from _show import call, fields, show
from cuda.bindings import runtime

runtime_device()
way = runtime.cudaMemcpyKind
stream = runtime.cudaStreamCreate()[1]
graph = call(runtime.cudaGraphCreate, 0)
pointer = runtime.cudaMalloc(64)[1]
target = numpy.zeros(4, dtype=numpy.uint8)
fill = runtime.cudaMemsetParams()
fill.dst, fill.value, fill.elementSize, fill.width, fill.height = pointer, 6, 1, 4, 1
first = call(runtime.cudaGraphAddMemsetNode, graph, None, 0, fill)
second = call(runtime.cudaGraphAddMemcpyNode1D, graph, [first], 1, target, pointer, 4, way.cudaMemcpyDeviceToHost)
seen: list[Any] = []


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def function(data: int) -> None:
    seen.append(data)


host = runtime.cudaHostNodeParams()
host.fn = runtime.cudaHostFn_t(_ptr=ctypes.addressof(function))
host.userData = 61
third = call(runtime.cudaGraphAddHostNode, graph, [second], 1, host)
fourth = call(runtime.cudaGraphAddEmptyNode, graph, [third], 1)
call(runtime.cudaGraphNodeGetType, first, note="memset")
call(runtime.cudaGraphNodeGetType, second, note="memcpy")
got = call(runtime.cudaGraphMemsetNodeGetParams, first)
fields("fill", got, "value", "elementSize", "width", values=True)
call(runtime.cudaGraphMemcpyNodeGetParams, second)
call(runtime.cudaGraphHostNodeGetParams, third)
call(runtime.cudaGraphGetNodes, graph, 4)
call(runtime.cudaGraphGetRootNodes, graph, 1)
call(runtime.cudaGraphGetEdges, graph, 3)
call(runtime.cudaGraphNodeGetDependencies, second, 1)
call(runtime.cudaGraphNodeGetDependentNodes, second, 1)
call(runtime.cudaGraphAddDependencies, graph, [first], [third], None, 1)
call(runtime.cudaGraphRemoveDependencies, graph, [first], [third], None, 1)
executable = call(runtime.cudaGraphInstantiate, graph, 0)
call(runtime.cudaGraphLaunch, executable, stream)
call(runtime.cudaStreamSynchronize, stream)
show("copied", target.tolist())
show("seen", seen)
fill.value = 7
call(runtime.cudaGraphExecMemsetNodeSetParams, executable, first, fill)
call(runtime.cudaGraphExecMemcpyNodeSetParams1D, executable, second, target, pointer, 2, way.cudaMemcpyDeviceToHost)
call(runtime.cudaGraphLaunch, executable, stream, note="changed")
runtime.cudaStreamSynchronize(stream)
show("changed", target.tolist())
call(runtime.cudaGraphExecUpdate, executable, graph)
call(runtime.cudaGraphClone, graph)
call(runtime.cudaGraphAddChildGraphNode, graph, None, 0, runtime.cudaGraphClone(graph)[1])
call(runtime.cudaGraphInstantiateWithFlags, graph, 0)
call(runtime.cudaGraphAddEmptyNode, graph, [5], 1, note="list of int")
call(runtime.cudaGraphLaunch, None, stream, note="null")
call(runtime.cudaGraphExecDestroy, executable)
call(runtime.cudaGraphDestroy, graph)
