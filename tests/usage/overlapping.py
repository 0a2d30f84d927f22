"""A program whose two streams do their work side by side, for a picture of its timeline."""

from __future__ import annotations

import ctypes

from cuda.bindings import driver, runtime
from measured import checked, load  # it is beside this program

N = 1 << 22
BYTES = 4 * N
ROUNDS = 3


def main() -> None:
    """In each round, and on each stream: values go up, a kernel computes, and they come back."""
    checked(runtime.cudaFree(0))
    kernel = checked(driver.cuModuleGetFunction(load(), b"saxpy"))
    host = [checked(runtime.cudaMallocHost(BYTES)) for _ in range(2)]  # from such memory a copy returns at once
    streams = [checked(runtime.cudaStreamCreate()) for _ in host]
    memory = [checked(runtime.cudaMalloc(2 * BYTES)) for _ in host]
    up, down = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
    for _ in range(ROUNDS):
        for stream, x, values in zip(streams, memory, host, strict=True):
            y = x + BYTES
            checked(runtime.cudaMemcpyAsync(x, values, BYTES, up, stream))
            checked(runtime.cudaMemsetAsync(y, 0, BYTES, stream))
            arguments = (2.0, x, y, N), (ctypes.c_float, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
            checked(driver.cuLaunchKernel(kernel, 64, 1, 1, 64, 1, 1, 0, int(stream), arguments, 0))
            checked(runtime.cudaMemcpyAsync(values, y, BYTES, down, stream))
        checked(runtime.cudaDeviceSynchronize())


if __name__ == "__main__":
    main()
