"""Kernels and child graphs in nodes made from the struct for any type."""

import ctypes
from typing import Any

import numpy
from _device import context, image
from _show import call, fields, show
from cuda.bindings import driver

context()
code = image('extern "C" __global__ void add(int *to, int by) { atomicAdd(to, by); }')
library = driver.cuLibraryLoadData(code, [], [], 0, [], [], 0)[1]
kernel = driver.cuLibraryGetKernel(library, b"add")[1]
function = driver.cuModuleGetFunction(driver.cuModuleLoadData(code)[1], b"add")[1]
pointer = driver.cuMemAlloc(64)[1]
target = numpy.zeros(1, dtype=numpy.int32)
ownership = driver.CUgraphChildGraphNodeOwnership


def wanted(by: int) -> Any:
    made = driver.CUgraphNodeParams()
    made.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_KERNEL
    made.kernel.gridDimX = made.kernel.gridDimY = made.kernel.gridDimZ = 1
    made.kernel.blockDimX, made.kernel.blockDimY, made.kernel.blockDimZ = 4, 1, 1
    made.kernel.kernelParams = ((pointer, by), (None, ctypes.c_int))
    return made


def run(note: str, executable: Any) -> None:
    driver.cuMemsetD8(pointer, 0, 64)
    call(driver.cuGraphLaunch, executable, 0, note=note)
    driver.cuCtxSynchronize()
    driver.cuMemcpyDtoH(target, pointer, 4)
    show(note, target.tolist())


graph = driver.cuGraphCreate(0)[1]
by_kernel, by_function = wanted(2), wanted(3)
by_kernel.kernel.kern = kernel
by_function.kernel.func = function
first = call(driver.cuGraphAddNode, graph, None, None, 0, by_kernel, note="a kernel")
second = call(driver.cuGraphAddNode, graph, [first], None, 1, by_function, note="a function")
executable = call(driver.cuGraphInstantiate, graph, 0)
run("both", executable)
by_kernel.kernel.kernelParams = ((pointer, 5), (None, ctypes.c_int))
call(driver.cuGraphExecNodeSetParams, executable, first, by_kernel, note="a kernel")
run("changed", executable)
by_kernel.kernel.blockDimX = 2
call(driver.cuGraphNodeSetParams, first, by_kernel, note="a kernel")
run("made anew", driver.cuGraphInstantiate(graph, 0)[1])
call(driver.cuGraphAddNode, graph, None, None, 0, wanted(1), note="neither")
got = call(driver.cuGraphKernelNodeGetParams, second)
fields("got", got, "blockDimX", values=True)

inner = driver.cuGraphCreate(0)[1]
driver.cuGraphAddNode(inner, None, None, 0, by_function)
outer = driver.cuGraphCreate(0)[1]
child = driver.CUgraphNodeParams()
child.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_GRAPH
child.graph.graph = inner
child.graph.ownership = ownership.CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE
call(driver.cuGraphAddNode, outer, None, None, 0, child, note="cloned")
child.graph.ownership = ownership.CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE
moved = call(driver.cuGraphAddNode, outer, None, None, 0, child, note="moved")
call(driver.cuGraphChildGraphNodeGetGraph, moved)
run("children", driver.cuGraphInstantiate(outer, 0)[1])
child.graph.graph = driver.cuGraphCreate(0)[1]
child.graph.ownership = ownership.CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID
call(driver.cuGraphAddNode, outer, None, None, 0, child, note="owned by nobody")
child.graph.graph = None
child.graph.ownership = ownership.CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE
call(driver.cuGraphAddNode, outer, None, None, 0, child, note="null graph")
