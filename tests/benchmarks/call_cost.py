"""What a call costs through cuda_shim beside the same call on hip-python itself, in one process and one run.

    python tests/benchmarks/call_cost.py

Prints nanoseconds and their ratio; the two take turns, and the fastest of many rounds counts.
"""

from __future__ import annotations

import ctypes
import os
import sys
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("CUDA_SHIM_QUIET", "1")

import cuda_shim

NUMBER, ROUNDS = 5_000, 15
EMPTY = b'extern "C" __global__ void empty(float a, float *x, size_t n) {}'


def compare(label: str, ours: Callable[[], Any], theirs: Callable[[], Any]) -> None:
    """Print one row."""
    ours(), theirs()
    best = [min(times) / NUMBER * 1e9 for times in zip(*(turn(ours, theirs) for _ in range(ROUNDS)), strict=True)]
    print(f"{label:40}{best[0]:10.0f}{best[1]:12.0f}{best[0] / best[1]:8.2f}")


def turn(ours: Callable[[], Any], theirs: Callable[[], Any]) -> tuple[float, float]:
    """Both, one after the other."""
    return timeit.timeit(ours, number=NUMBER), timeit.timeit(theirs, number=NUMBER)


def main() -> None:
    """Compare the calls that programs make most."""
    cuda_shim.enable(cuda="13.5")
    from cuda.bindings import driver, nvrtc, runtime

    hip = runtime.hip
    stream, hip_stream = runtime.cudaStreamCreate()[1], hip.hipStreamCreate()[1]
    memory, hip_memory = runtime.cudaMalloc(1024)[1], hip.hipMalloc(1024)[1]
    host = bytearray(1024)
    kind, hip_kind = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice, hip.hipMemcpyKind.hipMemcpyHostToDevice
    warp = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE
    hip_warp = hip.hipDeviceAttribute_t.hipDeviceAttributeWarpSize
    program = nvrtc.nvrtcCreateProgram(EMPTY, b"empty.cu", 0, [], [])[1]
    nvrtc.nvrtcCompileProgram(program, 0, [])
    image = b" " * nvrtc.nvrtcGetPTXSize(program)[1]
    nvrtc.nvrtcGetPTX(program, image)
    function = driver.cuModuleGetFunction(driver.cuModuleLoadData(image)[1], b"empty")[1]
    hip_function = hip.hipModuleGetFunction(hip.hipModuleLoadData(image)[1], b"empty")[1]
    values = ((1.5, memory, 4), (ctypes.c_float, ctypes.c_void_p, ctypes.c_size_t))
    cells = (ctypes.c_float(1.5), ctypes.c_void_p(int(hip_memory)), ctypes.c_size_t(4))
    addresses = (ctypes.c_void_p * 3)(*map(ctypes.addressof, cells))
    packed = ctypes.addressof(addresses)

    print(f"{'':40}{'shim, ns':>10}{'hip, ns':>12}{'ratio':>8}")
    compare("cudaGetDevice", runtime.cudaGetDevice, hip.hipGetDevice)
    compare("cudaStreamQuery", lambda: runtime.cudaStreamQuery(stream), lambda: hip.hipStreamQuery(hip_stream))
    compare(
        "cudaMemcpyAsync of 64 bytes",
        lambda: runtime.cudaMemcpyAsync(memory, host, 64, kind, stream),
        lambda: hip.hipMemcpyAsync(hip_memory, host, 64, hip_kind, hip_stream),
    )
    compare(
        "cudaMalloc and cudaFree",
        lambda: runtime.cudaFree(runtime.cudaMalloc(256)[1]),
        lambda: hip.hipFree(hip.hipMalloc(256)[1]),
    )
    compare(
        "cuDeviceGetAttribute",
        lambda: driver.cuDeviceGetAttribute(warp, 0),
        lambda: hip.hipDeviceGetAttribute(hip_warp, 0),
    )
    compare(
        "cuLaunchKernel, one address",
        lambda: driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, packed, 0),
        lambda: hip.hipModuleLaunchKernel(hip_function, 1, 1, 1, 1, 1, 1, 0, hip_stream, packed, None),
    )
    compare(
        "cuLaunchKernel, values and types | extra",
        lambda: driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, values, 0),
        lambda: hip.hipModuleLaunchKernel(hip_function, 1, 1, 1, 1, 1, 1, 0, hip_stream, None, cells),
    )


if __name__ == "__main__":
    main()
