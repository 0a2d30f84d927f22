"""Launch one of two kernels, and print its numbers beside Python's as JSON: `PROGRAM sums|quotients`."""

import ctypes
import json
import sys

import numpy as np
from cuda.bindings import driver, nvrtc

SOURCE = b"""
extern "C" __global__ void sums(const unsigned long long* x, unsigned long long* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + x[n - 1 - i];
}
"""
#: The processor has no division of 128 bits: compilers call a function of their support library.
QUOTIENTS = b"""
extern "C" __global__ void quotients(const unsigned long long* x, unsigned long long* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned __int128 wide = (unsigned __int128)x[i] << 64 | x[n - 1 - i];
    y[i] = (unsigned long long)(wide / (x[i] | 1) / 3);
}
"""
COUNT = 300


def ok(answer):
    """The output of a call that must have worked."""
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) > 1 else None


def compiled(source):
    """The module of a program."""
    program = ok(nvrtc.nvrtcCreateProgram(source, b"zig.cu", 0, [], []))
    ok(nvrtc.nvrtcCompileProgram(program, 1, [b"--device-int128"]))
    image = bytes(ok(nvrtc.nvrtcGetCUBINSize(program)))
    ok(nvrtc.nvrtcGetCUBIN(program, image))
    return ok(driver.cuModuleLoadData(image))


def expected(kernel, given):
    """Python's numbers, which have any size."""
    pairs = zip(given, reversed(given), strict=True)
    if kernel == "sums":
        return [(x + y) % 2**64 for x, y in pairs]
    return [((x << 64 | y) // (x | 1) // 3) % 2**64 for x, y in pairs]


def main(kernel):
    """Compile, launch, compare."""
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
    given = np.random.default_rng(5).integers(1, 2**64, COUNT, np.uint64)
    found = np.zeros_like(given)
    module = compiled({"sums": SOURCE, "quotients": QUOTIENTS}[kernel])
    function = ok(driver.cuModuleGetFunction(module, kernel.encode()))
    x, y = (ok(driver.cuMemAlloc(given.nbytes)) for _ in range(2))
    ok(driver.cuMemcpyHtoD(x, given, given.nbytes))
    parameters = (x, y, COUNT), (None, None, ctypes.c_int)
    ok(driver.cuLaunchKernel(function, 2, 1, 1, 256, 1, 1, 0, 0, parameters, 0))
    ok(driver.cuMemcpyDtoH(found, y, found.nbytes))
    print(json.dumps({"found": found.tolist(), "expected": expected(kernel, given.tolist())}))


main(*sys.argv[1:])
