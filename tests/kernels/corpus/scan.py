import numpy as np

from . import Run, case


@case()
def hillis_steele(rng):
    values = rng.integers(-100, 100, 256).astype(np.int32)
    return Run([values, np.zeros(256, np.int32)], {1: np.cumsum(values, dtype=np.int32)}, block=256, shared=2 * 256 * 4)


@case()
def blelloch(rng):
    values = rng.integers(0, 16, 512).astype(np.float32)
    expected = (np.cumsum(values) - values).astype(np.float32)
    return Run([values, np.zeros(512, np.float32), np.int32(512)], {1: expected}, block=256, shared=512 * 4)


@case()
def of_warps(rng):
    values = rng.integers(-(2**40), 2**40, 256)
    return Run([values, np.zeros(256, np.int64)], {1: np.cumsum(values.reshape(-1, 32), 1).ravel()}, grid=2, block=128)
