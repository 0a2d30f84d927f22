"""A launch of a kernel of Triton's, without torch."""

import triton
import triton.language as tl
from cuda.bindings import runtime


class Memory:
    """Device memory of 16 floats, as Triton takes it."""

    dtype = "float32"

    def __init__(self):
        status, self._address = runtime.cudaMalloc(64)
        assert int(status) == 0, status

    def data_ptr(self):
        """The address."""
        return int(self._address)


@triton.jit
def fill(pointer, size: tl.constexpr):
    """Ones, in all elements."""
    tl.store(pointer + tl.arange(0, size), 1.0)


fill[(1,)](Memory(), 16)
print("works: a launch")
