"""Surfaces: accesses outside of them in surface_bounds.cu."""

from __future__ import annotations

import numpy as np

from . import Run, case
from .images import Surface

AMD = "AMD's hardware reads zeros outside a surface, not what lies nearest"


@case(newer_rocm=AMD)
def outside(rng):
    n = 200
    image = rng.integers(1, 1000, (6, 9, 1)).astype(np.int32)
    x, y = rng.integers(-4, 13, n).astype(np.int32), rng.integers(-3, 9, n).astype(np.int32)
    nearest = image[np.clip(y, 0, 5), np.clip(x, 0, 8), 0]
    zeros = np.where((x >= 0) & (x < 9) & (y >= 0) & (y < 6), nearest, 0)
    empty = np.zeros(n, np.int32)
    return Run([Surface(image), x, y, empty, empty.copy(), np.int32(n)], {3: zeros, 4: nearest}, grid=2, block=128)


@case(newer_rocm=AMD)
def written_outside(rng):
    image = rng.uniform(0, 1, (4, 5, 1)).astype(np.float32)
    nearest = image.copy()
    nearest[0, 0], nearest[0, 4], nearest[3, 0], nearest[3, 4] = 0, 6, 50, 56
    return Run([Surface(image), Surface(image), np.int32(5), np.int32(4)], {0: image, 1: nearest}, block=(7, 6))
