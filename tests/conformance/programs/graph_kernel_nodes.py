"""Kernel nodes: made, read, changed, run."""

import ctypes
from typing import Any

import numpy
from _device import context, module
from _show import call, fields, show
from cuda.bindings import driver

context()
loaded = module('extern "C" __global__ void add(int *to, int by) { atomicAdd(to, by); }')
add = driver.cuModuleGetFunction(loaded, b"add")[1]
stream = driver.cuStreamCreate(0)[1]
pointer = driver.cuMemAlloc(64)[1]
target = numpy.zeros(1, dtype=numpy.int32)
wanted = driver.CUDA_KERNEL_NODE_PARAMS()
wanted.func = add
wanted.gridDimX, wanted.gridDimY, wanted.gridDimZ = 2, 1, 1
wanted.blockDimX, wanted.blockDimY, wanted.blockDimZ = 4, 1, 1
wanted.kernelParams = ((pointer, 3), (None, ctypes.c_int))
graph = driver.cuGraphCreate(0)[1]
node = call(driver.cuGraphAddKernelNode, graph, None, 0, wanted)
call(driver.cuGraphNodeGetType, node)
got = call(driver.cuGraphKernelNodeGetParams, node)
fields(
    "got", got, "gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ", "sharedMemBytes", values=True
)
fields("got", got, "func", "kern", "kernelParams", "extra")


def run(note: str, executable: Any) -> None:
    driver.cuMemsetD8(pointer, 0, 64)
    call(driver.cuGraphLaunch, executable, stream, note=note)
    driver.cuStreamSynchronize(stream)
    driver.cuMemcpyDtoH(target, pointer, 4)
    show(note, target.tolist())


executable = call(driver.cuGraphInstantiate, graph, 0)
run("first", executable)
wanted.gridDimX = 3
call(driver.cuGraphExecKernelNodeSetParams, executable, node, wanted)
run("changed", executable)
wanted.kernelParams = ((pointer, 5), (None, ctypes.c_int))
call(driver.cuGraphKernelNodeSetParams, node, wanted)
run("the executable keeps its own", executable)
run("made anew", driver.cuGraphInstantiate(graph, 0)[1])
call(driver.cuGraphNodeSetEnabled, executable, node, 0)
call(driver.cuGraphNodeGetEnabled, executable, node, values=True)
run("disabled", executable)
identity = driver.CUkernelNodeAttrID.CU_LAUNCH_ATTRIBUTE_PRIORITY
got = call(driver.cuGraphKernelNodeGetAttribute, node, identity)
fields("attribute", got, "priority", values=True)
value = driver.CUkernelNodeAttrValue()
value.priority = 0
call(driver.cuGraphKernelNodeSetAttribute, node, identity, value)
other = driver.cuGraphAddKernelNode(graph, [node], 1, wanted)[1]
call(driver.cuGraphKernelNodeCopyAttributes, other, node)
call(driver.cuGraphKernelNodeGetParams, driver.cuGraphAddEmptyNode(graph, None, 0)[1], note="of an empty node")
call(driver.cuGraphAddKernelNode, graph, None, 0, driver.CUDA_KERNEL_NODE_PARAMS(), note="empty")
call(driver.cuGraphAddKernelNode, graph, None, 0, None, note="None")
wanted.blockDimX = 2048
call(driver.cuGraphAddKernelNode, graph, None, 0, wanted, note="block too large")
show("parameters as a list", lambda: setattr(wanted, "kernelParams", [1, 2]))
