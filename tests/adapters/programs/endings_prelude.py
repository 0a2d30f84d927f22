import ctypes
import os  # noqa: F401 - for the code behind this
import sys  # noqa: F401 - for the code behind this
import threading  # noqa: F401 - for the code behind this
import time  # noqa: F401 - for the code behind this

import cuda_shim

cuda_shim.enable(backend="cpu", cuda="12.9")
from cuda.bindings import driver as cu
from cuda.bindings import nvrtc
from cuda.bindings import runtime as rt


def ok(result):
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


def kernel(source, name):
    program = ok(nvrtc.nvrtcCreateProgram(source, b"k.cu", 0, [], []))
    ok(nvrtc.nvrtcCompileProgram(program, 0, []))
    code = b" " * ok(nvrtc.nvrtcGetPTXSize(program))
    ok(nvrtc.nvrtcGetPTX(program, code))
    return ok(cu.cuModuleGetFunction(ok(cu.cuModuleLoadData(code)), name))


ok(rt.cudaFree(0))
ENDLESS = b'extern "C" __global__ void endless(volatile int *flag) { while (!*flag) {} }'
BUSY = b'extern "C" __global__ void busy(int *p) { for (long i = 0; i < (1l << 60); ++i) *(volatile int *)p += 1; }'
FILL = b'extern "C" __global__ void fill(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = n; }'
memory = int(ok(cu.cuMemAllocManaged(4096, 1)))


def launch(function, values, types, threads=1, stream=0):
    ok(cu.cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, stream, (values, types), 0))


P, I = ctypes.c_void_p, ctypes.c_int  # noqa: E741
