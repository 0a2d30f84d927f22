import numpy as np

from . import Run, case


@case()
def three_arrays(rng):
    values = rng.integers(0, 1000, 96).astype(np.int32)
    expected = (values * 0.5 + values * 3 + values % 100)[::-1].copy()
    return Run([values, np.zeros(96), np.int32(96)], {1: expected}, block=96, shared=96 * 13)


@case()
def histogram(rng):
    values = rng.integers(0, 256, 10000).astype(np.uint8)
    expected = np.bincount(values, minlength=256).astype(np.uint32)
    return Run([values, np.zeros(256, np.uint32), np.int32(10000)], {1: expected}, grid=5, block=192)


@case()
def bitonic_sort(rng):
    values = rng.normal(size=512).astype(np.float32)
    return Run([values], {0: np.sort(values)}, block=512)


@case()
def structs_2d(rng):
    values = rng.random((8, 8), np.float32)
    y, x = np.mgrid[:8, :8]
    expected = (values * (y * 10 + x).astype(np.float32)).T.copy()
    return Run([values, np.zeros((8, 8), np.float32), np.int32(8)], {1: expected}, block=(8, 8), rtol=1e-6)


@case()
def guarded_barriers(rng):
    values = rng.integers(0, 100, 70).astype(np.int32)
    expected = values
    for round_ in range(3):
        expected = np.roll(expected, -1) * 2 + round_
    return Run([values, np.zeros(70, np.int32), np.int32(70)], {1: expected.astype(np.int32)}, block=96)
