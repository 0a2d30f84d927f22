"""Compiles argv[1], or a sum over warps, launches its kernel `sum` on numbers, and prints status, log and four results.

No earlier run's kernel is in the cache: argv[2] is a comment of the program.
"""

import ctypes
import sys

import numpy as np
from cuda.bindings import driver, nvrtc

SUM = """
extern "C" __global__ void sum(float* x) {
    float v = x[threadIdx.x];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffff, v, d);
    x[threadIdx.x] = v;
}"""


def check(result):
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


program = check(nvrtc.nvrtcCreateProgram(f"{sys.argv[1] or SUM}\n// {sys.argv[2]}".encode(), b"sum.cu", 0, [], []))
(status,) = nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=compute_80"])
log = b"  " * check(nvrtc.nvrtcGetProgramLogSize(program))
nvrtc.nvrtcGetProgramLog(program, log)
print(f"{status.name}\n{log.partition(bytes(1))[0].decode().strip()}", flush=True)
if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
    sys.exit()
image = b" " * check(nvrtc.nvrtcGetPTXSize(program))
nvrtc.nvrtcGetPTX(program, image)
check((*driver.cuInit(0), None))
check((*driver.cuCtxSetCurrent(check(driver.cuDevicePrimaryCtxRetain(check(driver.cuDeviceGet(0))))), None))
kernel = check(driver.cuModuleGetFunction(check(driver.cuModuleLoadData(image)), b"sum"))
x = np.arange(64, dtype=np.float32)
memory = check(driver.cuMemAlloc(x.nbytes))
driver.cuMemcpyHtoD(memory, x.ctypes.data, x.nbytes)
check((*driver.cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, 0, ((int(memory),), (ctypes.c_void_p,)), 0), None))
check((*driver.cuMemcpyDtoH(x.ctypes.data, memory, x.nbytes), None))
print(x[[0, 31, 32, 63]].tolist())
