"""Checked mode in modules that are linked: mistakes are found at the line of whichever program makes them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.hip_on_host import hip_program
from tests.hip_on_host.checked_run import COMPILERS

KERNELS = """
extern __device__ void put(float* x, int i);
extern __device__ int sum_without_waiting(int value);
extern __device__ float shared_numbers[];
extern "C" __global__ void in_the_other(float* x) { put(x, threadIdx.x); }
extern "C" __global__ void in_this(float* x) {
    put(x, 0);
    if (threadIdx.x == 5) x[64] = 1;
}
extern "C" __global__ void race(float* x) { x[threadIdx.x] = sum_without_waiting(threadIdx.x); }
extern "C" __global__ void variable(float* x) { x[threadIdx.x] = shared_numbers[threadIdx.x]; }
"""
FUNCTIONS = """
__device__ float shared_numbers[40] = {1};
__device__ void put(float* x, int i) {
    x[i + (i == 9 ? 80 : 0)] = 2;
}
__device__ int sum_without_waiting(int value) {
    __shared__ int last;
    last = value;
    return last;
}
"""
PROGRAM = """
import numpy as np
import hiprtc_program
from hiprtc_program import Kernels, compile_program, value
kernels = Kernels(hip, hiprtc_program.load({folder!r}))
library, state, code, size = ctypes.CDLL({folder!r} + "/lib/libamdhip64.so"), *(ctypes.c_void_p() for _ in range(3))
assert library.hipLinkCreate(0, None, None, ctypes.byref(state)) == 0
for text, file in (({kernels!r}, "kernels.cu"), ({functions!r}, "functions.cu")):
    part = compile_program(kernels.hiprtc, text, ["-fgpu-rdc"], program_name=file).code
    assert library.hipLinkAddData(state, 0, part, ctypes.c_size_t(len(part)), b"part", 0, None, None) == 0
assert library.hipLinkComplete(state, ctypes.byref(code), ctypes.byref(size)) == 0
linked = ctypes.string_at(code.value, size.value)
module = hiprtc_program.Module(hip, hiprtc_program.Compiled(linked, {{}}, ""))
x = module.upload(np.arange(64, dtype="f4"))
argument = ctypes.c_void_p(int(x))
params = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
launched = hip.hipModuleLaunchKernel(module.function({kernel!r}), 1, 1, 1, 64, 1, 1, 0, None, params, None)
print(name(launched), name(hip.hipDeviceSynchronize()))
"""

# Kernel: the error, the thread, the place, and its line in the log.
WRONG = {
    "in_the_other": ("hipErrorIllegalAddress", 9, "functions.cu:4", "illegal write of 4 bytes"),
    "in_this": ("hipErrorIllegalAddress", 5, "kernels.cu:8", "illegal write of 4 bytes .* right behind the 256 bytes"),
    "race": ("hipErrorLaunchFailure", 1, "functions.cu:8", "race on shared memory: write of 4 bytes"),
    "variable": ("hipErrorIllegalAddress", 40, "kernels.cu:11", "illegal read .* right behind the 160 bytes of a module's"),
}  # fmt: skip


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("kernel", WRONG)
def test_it_is_said_where(runtime_folder: Path, kernel: str, compiler: str) -> None:
    code = PROGRAM.format(folder=str(runtime_folder), kernels=KERNELS, functions=FUNCTIONS, kernel=kernel)
    done = hip_program.run(runtime_folder, code, CUDA_SHIM_CPU_CHECK="1", CUDA_SHIM_CPU_CXX=compiler)
    assert done.returncode == 0, done.stderr
    error, thread, place, words = WRONG[kernel]
    assert error in done.stdout.split(), done.stderr
    assert re.search(words, done.stderr), done.stderr
    assert place in done.stderr, done.stderr
    assert f"thread ({thread},0,0)" in done.stderr, done.stderr
