"""Parameters packed into one buffer through `extra`, and kernels without parameters."""

import ctypes

import numpy
from _device import context, module
from _show import call, show
from cuda.bindings import driver

SOURCE = """
extern "C" __device__ int seen = 0;
extern "C" __global__ void one(int *to, int by) { *to = by; }
extern "C" __global__ void none() { seen += 1; }
"""


class Packed(ctypes.Structure):
    _fields_ = (("to", ctypes.c_void_p), ("by", ctypes.c_int))


context()
loaded = module(SOURCE)
one = driver.cuModuleGetFunction(loaded, b"one")[1]
none = driver.cuModuleGetFunction(loaded, b"none")[1]
pointer = driver.cuMemAlloc(256)[1]
driver.cuMemsetD8(pointer, 0, 256)
number = numpy.zeros(1, dtype=numpy.int32)
packed = Packed(int(pointer), 31)
size = ctypes.c_size_t(Packed.by.offset + Packed.by.size)
extra = (ctypes.c_void_p * 5)(
    driver.CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT, ctypes.addressof(packed),
    driver.CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT, ctypes.addressof(size), driver.CU_LAUNCH_PARAM_END_AS_INT,
)  # fmt: skip
show(
    "constants",
    [
        driver.CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT,
        driver.CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT,
        driver.CU_LAUNCH_PARAM_END_AS_INT,
    ],
)
call(driver.cuLaunchKernel, one, 1, 1, 1, 1, 1, 1, 0, 0, None, ctypes.addressof(extra))
driver.cuMemcpyDtoH(number, pointer, 4)
show("by extra", number.tolist())
for note, empty in {"None": None, "0": 0, "empty tuples": ((), ())}.items():
    call(driver.cuLaunchKernel, none, 2, 1, 1, 1, 1, 1, 0, 0, empty, 0, note=note)
call(driver.cuCtxSynchronize)
