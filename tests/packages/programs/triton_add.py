"""A sum by a kernel of Triton's, on numpy's arrays."""

import numpy as np
import triton
import triton.language as tl

import cuda_shim.triton

cuda_shim.triton.enable()


@triton.jit
def add(left, right, result, size, block: tl.constexpr):
    """Each program adds one block of elements."""
    at = tl.program_id(0) * block + tl.arange(0, block)
    inside = at < size
    tl.store(result + at, tl.load(left + at, mask=inside) + tl.load(right + at, mask=inside), mask=inside)


left, right = np.arange(1000, dtype="f4"), np.ones(1000, dtype="f4")
result = np.zeros_like(left)
add[(8,)](*map(cuda_shim.triton.wrap, (left, right, result)), 1000, block=128)
assert (result == left + right).all()
print("works: a sum on numpy's arrays")
