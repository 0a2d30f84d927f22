import numpy as np

from . import Run, case


@case()
def own_overloads(rng):
    values = rng.integers(-50, 50, 256).astype(np.float32)
    expected = {1: values.max(keepdims=True), 2: values.sum(keepdims=True, dtype=np.float64)}
    return Run([values, np.array([-99.0], np.float32), np.zeros(1)], expected, grid=2, block=128)
