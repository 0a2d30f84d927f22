"""A kernel of numba.cuda, and a copy from the device."""

import numpy as np
from numba import cuda


@cuda.jit
def doubled(values):
    """Each value twice."""
    place = cuda.grid(1)
    if place < values.size:
        values[place] *= 2


values = cuda.to_device(np.arange(1000, dtype=np.float32))
doubled[4, 256](values)
assert np.array_equal(values.copy_to_host(), 2 * np.arange(1000, dtype=np.float32))
print("works: a kernel and a copy")
