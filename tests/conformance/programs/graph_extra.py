"""Kernel nodes whose parameters are in one buffer."""

import ctypes
from typing import Any

import numpy
from _device import context, module
from _show import call, fields, show
from cuda.bindings import driver, runtime

context()
loaded = module('extern "C" __global__ void add(int *to, int by) { atomicAdd(to, by); }')
add = driver.cuModuleGetFunction(loaded, b"add")[1]
pointer = driver.cuMemAlloc(64)[1]
target = numpy.zeros(1, dtype=numpy.int32)


class Packed(ctypes.Structure):
    """The parameters, as the kernel has them."""

    _fields_ = (("to", ctypes.c_void_p), ("by", ctypes.c_int))


packed, size = Packed(int(pointer), 3), ctypes.c_size_t(12)
marks = (ctypes.c_void_p * 5)(
    driver.CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT, ctypes.addressof(packed),
    driver.CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT, ctypes.addressof(size),
    driver.CU_LAUNCH_PARAM_END_AS_INT,
)  # fmt: skip


def run(note: str, executable: Any) -> None:
    driver.cuMemsetD8(pointer, 0, 64)
    call(driver.cuGraphLaunch, executable, 0, note=note)
    driver.cuCtxSynchronize()
    driver.cuMemcpyDtoH(target, pointer, 4)
    show(note, target.tolist())


def filled(made: Any) -> Any:
    made.func = add
    made.gridDimX = made.gridDimY = made.gridDimZ = made.blockDimX = made.blockDimY = made.blockDimZ = 1
    made.extra = ctypes.addressof(marks)
    return made


graph = driver.cuGraphCreate(0)[1]
wanted = filled(driver.CUDA_KERNEL_NODE_PARAMS())
node = call(driver.cuGraphAddKernelNode, graph, None, 0, wanted)
fields("wanted", wanted, "kernelParams", values=True)
executable = call(driver.cuGraphInstantiate, graph, 0)
run("made", executable)
packed.by = 5
run("the buffer was copied", executable)
call(driver.cuGraphExecKernelNodeSetParams, executable, node, wanted)
run("changed", executable)
packed.by = 7
call(driver.cuGraphKernelNodeSetParams, node, wanted)
run("made anew", driver.cuGraphInstantiate(graph, 0)[1])
any_type = driver.CUgraphNodeParams()
any_type.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_KERNEL
filled(any_type.kernel)
call(driver.cuGraphAddNode, graph, [node], None, 1, any_type)
run("with one of any type", driver.cuGraphInstantiate(graph, 0)[1])
wanted.kernelParams = ((pointer, 1), (None, ctypes.c_int))
call(driver.cuGraphAddKernelNode, graph, None, 0, wanted, note="both forms")
described = runtime.cudaKernelNodeParams()
described.func, described.extra = int(add), ctypes.addressof(marks)
fields("described", described, "gridDim.x", "blockDim.z", "sharedMemBytes", values=True)
