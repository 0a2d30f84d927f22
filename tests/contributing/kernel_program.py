"""Compiles the kernel `k(int* out)` whose source is the argument, runs one thread of it, and prints the four results."""

import sys

import numpy as np
from cuda.bindings import driver, nvrtc


def checked(result):
    assert int(result[0]) == 0, result[0]
    return result[1] if len(result) == 2 else result[2:]


checked(driver.cuInit(0))
checked(driver.cuCtxSetCurrent(checked(driver.cuDevicePrimaryCtxRetain(checked(driver.cuDeviceGet(0))))))
program = checked(nvrtc.nvrtcCreateProgram(sys.argv[1].encode(), b"k.cu", 0, [], []))
(status,) = nvrtc.nvrtcCompileProgram(program, 0, [])
if int(status):
    log = bytearray(checked(nvrtc.nvrtcGetProgramLogSize(program)))
    checked(nvrtc.nvrtcGetProgramLog(program, log))
    sys.exit(log.rstrip(b"\0").decode())
image = bytearray(checked(nvrtc.nvrtcGetPTXSize(program)))
checked(nvrtc.nvrtcGetPTX(program, image))
kernel = checked(driver.cuModuleGetFunction(checked(driver.cuModuleLoadData(bytes(image))), b"k"))
out, results = checked(driver.cuMemAlloc(16)), np.zeros(4, np.int32)
argument = np.array([int(out)], np.uint64)
checked(
    driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, np.array([argument.ctypes.data], np.uint64).ctypes.data, 0)
)
checked(driver.cuMemcpyDtoH(results.ctypes.data, out, 16))
print(results.tolist())
