"""Libraries and their kernels."""

import ctypes
import tempfile
from pathlib import Path

import numpy
from _device import context, image
from _show import call, show
from cuda.bindings import driver

SOURCE = """
extern "C" __device__ int counter = 5;
extern "C" __global__ void fill(int *to, int by) { to[threadIdx.x] = by; }
extern "C" __global__ void other(float *to) { to[threadIdx.x] = 1; }
"""
device = context()
code = image(SOURCE)
library = call(driver.cuLibraryLoadData, code, [], [], 0, [], [], 0)
kernel = call(driver.cuLibraryGetKernel, library, b"fill")
call(driver.cuLibraryGetKernel, library, b"missing", note="missing")
call(driver.cuLibraryGetKernel, library, "fill", note="str")
call(driver.cuLibraryGetKernelCount, library, values=True)
call(driver.cuLibraryEnumerateKernels, 2, library)
call(driver.cuLibraryGetModule, library)
address, size = call(driver.cuLibraryGetGlobal, library, b"counter")
show("size", size)
call(driver.cuLibraryGetGlobal, library, b"missing", note="missing")
call(driver.cuLibraryGetManaged, library, b"counter", note="not managed")
call(driver.cuKernelGetName, kernel, values=True)
call(driver.cuKernelGetLibrary, kernel)
function = call(driver.cuKernelGetFunction, kernel)
call(driver.cuKernelGetAttribute, driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, device)
call(
    driver.cuKernelGetAttribute,
    driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NUM_REGS,
    kernel,
    device,
    note="registers",
)
call(
    driver.cuKernelSetAttribute,
    driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
    1024,
    kernel,
    device,
)
call(driver.cuKernelSetCacheConfig, kernel, driver.CUfunc_cache.CU_FUNC_CACHE_PREFER_SHARED, device)
call(driver.cuKernelGetParamInfo, kernel, 0, values=True)
call(driver.cuKernelGetParamInfo, kernel, 1, values=True)
call(driver.cuKernelGetParamInfo, kernel, 2, note="beyond")
pointer = driver.cuMemAlloc(64)[1]
target = numpy.zeros(4, dtype=numpy.int32)
for note, launched in {"function": function, "kernel": driver.CUfunction(int(kernel))}.items():
    packed = ((pointer, 7), (None, ctypes.c_int))
    call(driver.cuLaunchKernel, launched, 1, 1, 1, 4, 1, 1, 0, 0, packed, 0, note=note)
    call(driver.cuMemcpyDtoH, target, pointer, 16, note=note)
    show(note, target.tolist())
call(driver.cuLibraryUnload, library)
call(driver.cuLibraryLoadData, code, None, None, 0, None, None, 0, note="None")
call(driver.cuLibraryLoadData, b"nonsense\0", [], [], 0, [], [], 0, note="nonsense")
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "library.cubin"
    path.write_bytes(code)
    call(driver.cuLibraryLoadFromFile, str(path).encode(), [], [], 0, [], [], 0)
    call(driver.cuLibraryLoadFromFile, b"/no/such/file", [], [], 0, [], [], 0, note="no such file")
call(driver.cuLibraryUnload, None, note="null")
