"""Nodes made from one struct that holds any kind."""

import ctypes

import numpy
from _device import context, module
from _show import call, fields, show
from cuda.bindings import driver

context()
current = driver.cuCtxGetCurrent()[1]
graph = driver.cuGraphCreate(0)[1]
pointer = driver.cuMemAlloc(64)[1]
kinds = driver.CUgraphNodeType
fill = driver.CUgraphNodeParams()
fill.type = kinds.CU_GRAPH_NODE_TYPE_MEMSET
fill.memset.dst, fill.memset.value, fill.memset.elementSize = pointer, 1, 4
fill.memset.width, fill.memset.height, fill.memset.ctx = 1, 1, current
first = call(driver.cuGraphAddNode, graph, None, None, 0, fill, note="memset")
add = driver.cuModuleGetFunction(module('extern "C" __global__ void add(int *to, int by) { *to += by; }'), b"add")[1]
work = driver.CUgraphNodeParams()
work.type = kinds.CU_GRAPH_NODE_TYPE_KERNEL
work.kernel.func = add
work.kernel.gridDimX = work.kernel.gridDimY = work.kernel.gridDimZ = 1
work.kernel.blockDimX = work.kernel.blockDimY = work.kernel.blockDimZ = 1
work.kernel.kernelParams = ((pointer, 0x01010101 * 2), (None, ctypes.c_int))
second = call(driver.cuGraphAddNode, graph, [first], None, 1, work, note="kernel")
data = driver.CUgraphEdgeData()
fields("edge", data, "from_port", "to_port", "type", values=True)
empty = driver.CUgraphNodeParams()
empty.type = kinds.CU_GRAPH_NODE_TYPE_EMPTY
third = call(driver.cuGraphAddNode, graph, [second], [data], 1, empty, note="empty, with edge data")
executable = call(driver.cuGraphInstantiate, graph, 0)
call(driver.cuGraphLaunch, executable, 0)
driver.cuCtxSynchronize()
target = numpy.zeros(1, dtype=numpy.int32)
driver.cuMemcpyDtoH(target, pointer, 4)
show("result", hex(target[0]))
work.kernel.kernelParams = ((pointer, 5), (None, ctypes.c_int))
call(driver.cuGraphExecNodeSetParams, executable, second, work)
call(driver.cuGraphNodeSetParams, second, work)
call(driver.cuGraphLaunch, executable, 0, note="changed")
driver.cuCtxSynchronize()
driver.cuMemcpyDtoH(target, pointer, 4)
show("result", hex(target[0]))
call(driver.cuGraphAddNode, graph, None, None, 0, driver.CUgraphNodeParams(), note="empty struct")
call(driver.cuGraphAddNode, graph, None, None, 0, None, note="None")
call(driver.cuGraphAddNode, graph, [third], None, 2, empty, note="list too short")
