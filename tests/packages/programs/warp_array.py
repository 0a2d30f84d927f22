"""A kernel on warp's own device, and an array on its first CUDA device."""

import numpy as np
import warp


@warp.kernel
def doubled(values: warp.array(dtype=float)):  # type: ignore[valid-type]
    """Each value twice."""
    place = warp.tid()
    values[place] = 2.0 * values[place]


values = warp.array(np.arange(4.0), dtype=float, device="cpu")
warp.launch(doubled, dim=4, inputs=[values], device="cpu")
assert np.array_equal(values.numpy(), 2 * np.arange(4.0))
print("works: a kernel on the device cpu")
warp.zeros(4, dtype=float, device="cuda:0")
