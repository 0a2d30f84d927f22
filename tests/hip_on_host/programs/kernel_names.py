"""Run kernels with faults, whose names are encodings of types, and one with a mangled name, from PTX and from C++."""

from __future__ import annotations

import ctypes
from typing import Any

from cuda.bindings import driver, nvrtc

SOURCE = b"""
extern "C" __global__ void f() { *(volatile int*)64 = 1; }
extern "C" __global__ void i() { *(volatile int*)64 = 1; }
"""
PTX = b""".version 8.0
.target sm_80
.address_size 64
.visible .entry _Z4fillPi(.param .u64 p)
{
    .reg .u64 %rd<2>;
    mov.u64 %rd1, 64;
    st.global.u64 [%rd1], %rd1;
    ret;
}
"""


def value(result: tuple[Any, ...]) -> Any:
    assert int(result[0]) == 0, result[0]
    return result[1] if len(result) == 2 else None


def fail(image: bytes, kernel: bytes, arguments: Any) -> None:
    """Launch a kernel that must fail, and reset the device."""
    device = value(driver.cuDeviceGet(0))
    value(driver.cuCtxSetCurrent(value(driver.cuDevicePrimaryCtxRetain(device))))
    function = value(driver.cuModuleGetFunction(value(driver.cuModuleLoadData(image)), kernel))
    value(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0))
    assert driver.cuCtxSynchronize()[0].name == "CUDA_ERROR_ILLEGAL_ADDRESS"
    value(driver.cuDevicePrimaryCtxReset(device))


value(driver.cuInit(0))
program = value(nvrtc.nvrtcCreateProgram(SOURCE, b"kernel.cu", 0, [], []))
value(nvrtc.nvrtcCompileProgram(program, 0, []))
image = bytes(value(nvrtc.nvrtcGetCUBINSize(program)))
value(nvrtc.nvrtcGetCUBIN(program, image))
fail(image, b"f", 0)
fail(image, b"i", 0)
fail(PTX, b"_Z4fillPi", ((0,), (ctypes.c_uint64,)))
