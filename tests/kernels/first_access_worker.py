"""Launches a kernel whose arguments are in registers while a thread accesses its variables for the first time.

python -m cuda_shim run --backend cpu tests/kernels/first_access_worker.py

Prints the number of wrong elements.
"""

import ctypes

import numpy as np
from cuda.bindings import driver, nvrtc

SOURCE = b"""extern "C" __global__ void saxpy(float a, const float* x, const float* y, float* out, size_t n) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = a * x[i] + y[i];
}"""


def checked(result):
    assert not int(result[0]), result
    return result[1] if len(result) == 2 else result[1:]


checked(driver.cuInit(0))
checked(driver.cuCtxSetCurrent(checked(driver.cuDevicePrimaryCtxRetain(0))))
program = checked(nvrtc.nvrtcCreateProgram(SOURCE, b"saxpy.cu", 0, [], []))
checked(nvrtc.nvrtcCompileProgram(program, 0, []))
image = b" " * checked(nvrtc.nvrtcGetPTXSize(program))
checked(nvrtc.nvrtcGetPTX(program, image))
kernel = checked(driver.cuModuleGetFunction(checked(driver.cuModuleLoadData(image)), b"saxpy"))

x = np.arange(1 << 20, dtype=np.float32)
y = np.ones_like(x)
out = np.zeros_like(x)
places = [checked(driver.cuMemAlloc(array.nbytes)) for array in (x, y, out)]
for place, array in zip(places, (x, y, out), strict=True):
    checked(driver.cuMemcpyHtoD(place, array.ctypes.data, array.nbytes))
arguments = ((np.float32(2), *places, np.uint64(x.size)), (ctypes.c_float, None, None, None, ctypes.c_size_t))
checked(driver.cuLaunchKernel(kernel, 256, 1, 1, 256, 1, 1, 0, 0, arguments, 0))
checked(driver.cuMemcpyDtoH(out.ctypes.data, places[2], out.nbytes))
print(np.count_nonzero(out != 2 * x + 1))
