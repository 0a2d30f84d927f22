"""Kernels of warp on its first CUDA device: PTX of warp's own NVRTC, and a scan that is linked into warp."""

import numpy as np
import warp

warp.config.quiet = True


@warp.kernel
def doubled(values: warp.array(dtype=float), total: warp.array(dtype=float)):  # type: ignore[valid-type]
    """Each value twice, and their sum."""
    place = warp.tid()
    values[place] = 2.0 * values[place] + warp.sin(0.0)
    warp.atomic_add(total, 0, values[place])


values = warp.array(np.arange(1000.0), dtype=float, device="cuda:0")
total = warp.zeros(1, dtype=float, device="cuda:0")
warp.launch(doubled, dim=1000, inputs=[values, total], device="cuda:0")
assert np.array_equal(values.numpy(), 2 * np.arange(1000.0))
assert total.numpy()[0] == 999000.0
print("works: wp.launch on the device cuda:0")
