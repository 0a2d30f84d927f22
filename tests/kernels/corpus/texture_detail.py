"""Textures: gathers of texture_detail.cu, and its levels of detail."""

from __future__ import annotations

import numpy as np

from . import Run, case
from .images import Texture, floats, off_the_edges

N = 400


@case(no_hardware=("gfx90a",))
def gather(rng):
    texture = Texture(floats(rng, 5, 6, 2), gather=True)
    at = np.stack([off_the_edges(rng.uniform(-1, 7, N)), off_the_edges(rng.uniform(-1, 6, N))], axis=1)
    x, y = np.floor(at - 0.5).astype(int).T
    corners = [(0, 1), (1, 1), (1, 0), (0, 0)]
    found = [texture.texels[np.clip(y + down, 0, 4), np.clip(x + right, 0, 5)] for right, down in corners]
    first, second = (np.stack([corner[:, channel] for corner in found], axis=1) for channel in (0, 1))
    return Run(
        [texture, at, np.zeros((N, 4), np.float32), np.zeros((N, 4), np.float32), np.int32(N)],
        {2: first, 3: second},
        grid=4,
        block=128,
    )


@case(no_hardware=("gfx90a",))
def levels(rng):
    constant = tuple(np.full((8 >> level, 8 >> level, 1), level, np.float32) for level in range(4))
    nearest, between = (Texture(constant, normalized=True, linear_levels=linear, bias=0.25) for linear in (False, True))
    wanted = (rng.integers(-64, 64 * 4, N) / 64 + 1 / 128).astype(np.float32)
    level = np.clip(np.trunc(wanted * 256) / 256 + 0.25, 0, 3)
    grad = np.clip(wanted + 0.25, 0, 3)
    expected = np.stack([np.floor(level + 0.5), level, np.zeros(N), grad]).astype(np.float32)
    # A GPU computes the length of a derivative with few bits.
    return Run(
        [nearest, between, wanted, np.zeros((4, N), np.float32), np.int32(N)],
        {3: expected},
        grid=4,
        block=128,
        atol=2 / 256,
    )
