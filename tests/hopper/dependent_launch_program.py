"""Launch a kernel that waits for the one before it by cudaGridDependencySynchronize, and look at what it has read."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc

SOURCE = rb"""
#include <cuda_device_runtime_api.h>
extern "C" __global__ void first(int* numbers) {
    cudaTriggerProgrammaticLaunchCompletion();
    numbers[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x + threadIdx.x;
}
extern "C" __global__ void second(int* numbers) {
    cudaGridDependencySynchronize();
    numbers[blockIdx.x * blockDim.x + threadIdx.x] *= 3;
}
"""


def good(result: tuple[Any, ...]) -> Any:
    """Return the output of a call that must succeed."""
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


def main() -> None:
    """Launch both kernels on one stream, the second with the attribute that lets it begin early."""
    good(driver.cuInit(0))
    good(driver.cuCtxSetCurrent(good(driver.cuDevicePrimaryCtxRetain(0))))
    program = good(nvrtc.nvrtcCreateProgram(SOURCE, b"dependent.cu", 0, [], []))
    assert int(nvrtc.nvrtcCompileProgram(program, 0, [])[0]) == 0
    image = b" " * good(nvrtc.nvrtcGetCUBINSize(program))
    good(nvrtc.nvrtcGetCUBIN(program, image))
    loaded, stream = good(driver.cuModuleLoadData(image)), good(driver.cuStreamCreate(0))
    numbers = np.zeros(64 * 128, np.int32)
    memory = good(driver.cuMemAlloc(numbers.nbytes))
    config = driver.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = 64, 1, 1
    config.blockDimX, config.blockDimY, config.blockDimZ = 128, 1, 1
    config.hStream = stream
    attribute = driver.CUlaunchAttribute()
    attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
    attribute.value.programmaticStreamSerializationAllowed = 1
    for name in (b"first", b"second"):
        function = good(driver.cuModuleGetFunction(loaded, name))
        good(driver.cuLaunchKernelEx(config, function, ((int(memory),), (ctypes.c_void_p,)), 0))
        config.attrs, config.numAttrs = [attribute], 1
    good(driver.cuStreamSynchronize(stream))
    good(driver.cuMemcpyDtoH(numbers.ctypes.data, memory, numbers.nbytes))
    assert np.array_equal(numbers.reshape(64, 128), 3 * (np.arange(64)[:, None] + np.arange(128)))
    print("right")


if __name__ == "__main__":
    main()
