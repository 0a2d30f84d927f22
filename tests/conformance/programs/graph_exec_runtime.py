"""Executable graphs of the runtime, changed node by node and as a whole."""

from typing import Any

import numpy
from _device import runtime_device
from _show import call, fields, show
from cuda.bindings import runtime

runtime_device()
way = runtime.cudaMemcpyKind
stream = runtime.cudaStreamCreate()[1]
pointer = runtime.cudaMalloc(64)[1]
runtime.cudaMemset(pointer, 0, 64)
target = numpy.zeros(8, dtype=numpy.uint8)


def fill(value: int, width: int = 8) -> Any:
    made = runtime.cudaMemsetParams()
    made.dst, made.value, made.elementSize, made.width, made.height = pointer, value, 1, width, 1
    return made


def run(note: str, executable: Any) -> None:
    call(runtime.cudaGraphLaunch, executable, stream, note=note)
    runtime.cudaStreamSynchronize(stream)
    runtime.cudaMemcpy(target, pointer, 8, way.cudaMemcpyDeviceToHost)
    show(note, target.tolist())


graph = runtime.cudaGraphCreate(0)[1]
first = call(runtime.cudaGraphAddMemsetNode, graph, None, 0, fill(1))
copy = call(runtime.cudaGraphAddMemcpyNode1D, graph, [first], 1, pointer + 4, pointer, 2, way.cudaMemcpyDeviceToDevice)
executable = call(runtime.cudaGraphInstantiate, graph, 0)
run("as made", executable)
call(runtime.cudaGraphExecMemsetNodeSetParams, executable, first, fill(2, 4))
run("shorter", executable)
call(runtime.cudaGraphExecMemsetNodeSetParams, executable, first, fill(3))
run("as long as before", executable)
call(
    runtime.cudaGraphExecMemcpyNodeSetParams1D, executable, copy, pointer, pointer + 4, 2, way.cudaMemcpyDeviceToDevice
)
run("the other way", executable)
source = numpy.full(8, 9, dtype=numpy.uint8)
call(
    runtime.cudaGraphExecMemcpyNodeSetParams1D, executable, copy, pointer, source, 2, way.cudaMemcpyHostToDevice,
    note="another kind",
)  # fmt: skip
call(runtime.cudaGraphMemsetNodeSetParams, first, fill(5))
got = call(runtime.cudaGraphMemsetNodeGetParams, first)
fields("got", got, "value", "width", "height", "elementSize", values=True)
call(runtime.cudaGraphMemcpyNodeSetParams1D, copy, pointer + 2, pointer, 1, way.cudaMemcpyDeviceToDevice)
info = call(runtime.cudaGraphExecUpdate, executable, graph)
fields("info", info, "result", "errorNode", "errorFromNode")
run("updated", executable)
clone = call(runtime.cudaGraphClone, graph)
twin = call(runtime.cudaGraphNodeFindInClone, first, clone)
call(runtime.cudaGraphMemsetNodeSetParams, twin, fill(6), note="of the clone")
call(runtime.cudaGraphExecUpdate, executable, clone, note="from the clone")
run("from the clone", executable)
call(runtime.cudaGraphDestroy, clone)
run("without the clone", executable)

inner = runtime.cudaGraphCreate(0)[1]
inside = runtime.cudaGraphAddMemsetNode(inner, None, 0, fill(7))[1]
outer = runtime.cudaGraphCreate(0)[1]
child = call(runtime.cudaGraphAddChildGraphNode, outer, None, 0, inner)
executable = call(runtime.cudaGraphInstantiate, outer, 0, note="with a child")
run("a child", executable)
runtime.cudaGraphMemsetNodeSetParams(inside, fill(8))
run("a child is a copy", executable)
call(runtime.cudaGraphExecChildGraphNodeSetParams, executable, child, inner)
run("a child changed", executable)
runtime.cudaGraphAddEmptyNode(inner, None, 0)
call(runtime.cudaGraphExecChildGraphNodeSetParams, executable, child, inner, note="another shape")
call(runtime.cudaGraphExecChildGraphNodeSetParams, executable, child, None, note="null")
call(runtime.cudaGraphAddChildGraphNode, outer, None, 0, None, note="null")
parameters = runtime.cudaGraphInstantiateParams()
parameters.flags = runtime.cudaGraphInstantiateFlags.cudaGraphInstantiateFlagUpload
parameters.uploadStream = stream
executable = call(runtime.cudaGraphInstantiateWithParams, outer, parameters)
fields("parameters", parameters, "result_out", "errNode_out")
call(runtime.cudaGraphExecGetFlags, executable, values=True)
call(runtime.cudaGraphInstantiateWithParams, outer, None, note="None")
call(runtime.cudaGraphUpload, executable, stream)
