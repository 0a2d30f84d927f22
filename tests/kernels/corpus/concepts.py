import numpy as np

from . import Run, case


@case("clamp_all<int>", options=("-std=c++20",), cuda="12.9")
def clamp_integers(rng):
    values = rng.integers(-5, 20, 100).astype(np.int32)
    return Run([values, np.int32(100)], {0: np.clip(values, 2, 7)}, block=32)


@case("clamp_all<double>", options=("--std=c++20",), cuda="12.9")
def clamp_doubles(rng):
    values = rng.uniform(-5, 20, 100)
    return Run([values, np.int32(100)], {0: np.clip(values, 2, 7)}, block=32)
