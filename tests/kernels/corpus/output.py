import numpy as np

from . import Run, case


@case()
def printing(rng):
    return Run([rng.random(32, np.float32), np.zeros(32, np.int32)], {1: np.ones(32, np.int32)}, block=32)


@case()
def asserting(rng):
    values = rng.integers(1, 1000, 64).astype(np.int32)
    return Run([values, np.zeros(64, np.int32)], {1: values}, block=64)
