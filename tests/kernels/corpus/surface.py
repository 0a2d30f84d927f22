"""Surfaces: reads and writes of surface.cu."""

from __future__ import annotations

import numpy as np

from . import Run, case
from .images import Surface


@case()
def invert(rng):
    image = rng.integers(0, 256, (12, 20, 4)).astype(np.uint8)
    expected = np.concatenate([255 - image[..., :3], image[..., 3:]], axis=-1)
    return Run([Surface(image), np.int32(20), np.int32(12)], {0: expected}, grid=(3, 2), block=(8, 8))


@case()
def shifted(rng):
    width, height = 9, 6
    image = rng.uniform(0, 1, (height, width, 1)).astype(np.float32)
    moved = np.zeros_like(image)
    moved[2:, 4:] = image[:-2, : width - 4]
    moved[:, :3] = -1
    return Run(
        [Surface(image), Surface(np.full_like(image, -1)), np.int32(width), np.int32(height)],
        {1: moved},
        grid=(2, 1),
        block=(8, 8),
    )


@case()
def other_shapes(rng):
    width, height, depth = 7, 5, 3
    row = rng.integers(-100, 100, (width, 1)).astype(np.int16)
    volume = rng.uniform(-1, 1, (depth, height, width, 2)).astype(np.float32)
    layers = rng.integers(-100, 100, (depth, height, width, 1)).astype(np.int32)
    factors = np.arange(1, depth + 1).reshape(depth, 1, 1, 1)
    expected = {0: row + 1, 1: volume[..., ::-1], 2: (layers * factors).astype(np.int32)}
    args = [
        Surface(row),
        Surface(volume),
        Surface(layers, layered=True),
        np.int32(width),
        np.int32(height),
        np.int32(depth),
    ]
    return Run(args, expected, grid=2, block=64)
