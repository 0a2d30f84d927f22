"""SAXPY in Python: a kernel that Numba compiles to PTX, and cuda_shim to code for the AMD GPU or the host."""

import numpy as np
from numba import cuda


@cuda.jit
def saxpy(a, x, y):
    """y = a * x + y"""
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


@cuda.jit
def block_sums(values, sums):
    """The sum of each block's values, by repeatedly adding one half to the other in shared memory."""
    shared = cuda.shared.array(256, dtype=np.float32)
    thread = cuda.threadIdx.x
    i = cuda.grid(1)
    shared[thread] = values[i] if i < values.size else np.float32(0)
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if thread < half:
            shared[thread] += shared[thread + half]
        cuda.syncthreads()
        half //= 2
    if thread == 0:
        cuda.atomic.add(sums, 0, shared[0])


def main() -> None:
    """Run both kernels and check them with numpy."""
    x = np.arange(1 << 20, dtype=np.float32) / (1 << 20)
    on_device, y = cuda.to_device(x), cuda.to_device(np.ones_like(x))
    blocks = x.size // 256
    saxpy[blocks, 256](np.float32(2), on_device, y)
    assert np.allclose(y.copy_to_host(), 2 * x + 1)
    sums = cuda.to_device(np.zeros(1))
    block_sums[blocks, 256](y, sums)
    total = sums.copy_to_host()[0]
    assert np.isclose(total, (2 * x + 1).sum(dtype=np.float64), rtol=1e-4)
    print(f"the sum is {total:.0f}")


if __name__ == "__main__":
    main()
