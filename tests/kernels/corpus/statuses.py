import numpy as np

from . import Run, case


@case()
def statuses(rng):
    values = rng.integers(-5, 5, 64).astype(np.int32)
    return Run([values, np.zeros(64, np.int32)], {1: np.where(values < 0, -1, 1).astype(np.int32)}, block=64)
