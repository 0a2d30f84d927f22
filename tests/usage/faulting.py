"""Launch the kernel of that name, which writes far behind its memory, and print the status."""

import sys
from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc

SOURCE = b"""
template <class T> __global__ void fill(T* out) { out[1 << 28] = 1; }
namespace app { __global__ void scale(float* out) { out[1 << 28] = 2; } }
extern "C" __global__ void plain(float* out) { out[1 << 28] = 1; }
"""

PTX = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry _ZN3app5shiftIiEEvPT_(.param .u64 out) {
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    add.u64 %rd2, %rd1, 1073741824;
    st.global.u32 [%rd2], 1;
    ret;
}
"""


def ok(answer: Any) -> Any:
    """Return the results of a call that must succeed."""
    assert not int(answer[0]), answer
    return answer[1] if len(answer) == 2 else answer[1:]


def function(kernel: str) -> Any:
    """Return a kernel of the program or of the PTX module."""
    if kernel == "ptx":
        return ok(driver.cuModuleGetFunction(ok(driver.cuModuleLoadData(PTX)), b"_ZN3app5shiftIiEEvPT_"))
    program = ok(nvrtc.nvrtcCreateProgram(SOURCE, b"faulting.cu", 0, [], []))
    ok(nvrtc.nvrtcAddNameExpression(program, kernel.encode()))
    ok(nvrtc.nvrtcCompileProgram(program, 0, []))
    image = bytearray(ok(nvrtc.nvrtcGetCUBINSize(program)))
    ok(nvrtc.nvrtcGetCUBIN(program, image))
    name = ok(nvrtc.nvrtcGetLoweredName(program, kernel.encode()))
    return ok(driver.cuModuleGetFunction(ok(driver.cuModuleLoadData(bytes(image))), name))


ok(driver.cuInit(0))
ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
kernel = function(sys.argv[1])
memory = np.array([int(ok(driver.cuMemAlloc(4096)))], np.uint64)
arguments = np.array([memory.ctypes.data], np.uint64)
ok(driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, arguments.ctypes.data, 0))
print(driver.cuCtxSynchronize()[0].name)
