import numpy as np

from . import Run, case


@case(toolkit=True)
def traits(rng):
    i, f = rng.integers(-999, 999, 64).astype(np.int32), (rng.integers(-80, 80, 64) / 4).astype(np.float32)
    wide = (i.astype(np.int64) >> 1) << 33
    out = np.maximum(f + 1.0, 0.5) + f * 0.5 + (i + 1)
    out = np.append(out, [255, -(2.0**31), np.finfo(float).eps, 31])
    return Run([i, f, np.zeros(64, np.int64), np.zeros(68)], {2: wide, 3: out}, block=64)
