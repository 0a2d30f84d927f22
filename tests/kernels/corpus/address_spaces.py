"""Address spaces: properties of pointers that address_spaces.cu finds."""

from __future__ import annotations

import numpy as np

from . import Run, case

N = 32
GLOBAL, SHARED, CONSTANT, LOCAL = 1, 2, 4, 8


@case(newer_rocm="HIP does not tell constant memory apart")
def kinds(rng):
    lanes = np.arange(N)
    expected = np.repeat(np.array([[GLOBAL], [GLOBAL], [SHARED], [SHARED], [CONSTANT], [LOCAL]], np.uint32), N, axis=1)
    memory = (31 - lanes + 2 * lanes).astype(np.float32)
    return Run(
        [np.zeros(N, np.float32), np.zeros((6, N), np.uint32), np.int32(N)],
        {0: memory, 1: expected},
        block=N,
        shared=4 * N,
    )
