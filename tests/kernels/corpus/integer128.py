import numpy as np

from . import Run, case


@case(options=("--device-int128",))
def of_128_bits(rng):
    values, a, b = [], 0, 1
    for k in range(80 + 64):
        if k >= 80:
            values.append(a)
        a, b = b, a + b
    low = np.array([v & (2**64 - 1) for v in values], np.uint64)
    return Run(
        [np.zeros(64, np.uint64), np.zeros(64, np.uint64)],
        {0: low, 1: np.array([v >> 64 for v in values], np.uint64)},
        block=64,
    )
