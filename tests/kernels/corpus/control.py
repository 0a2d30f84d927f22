import numpy as np

from . import Run, case


@case()
def recursion(rng):
    fib = [0, 1]
    while len(fib) < 12:
        fib.append(fib[-1] + fib[-2])
    return Run([np.zeros(48, np.uint32)], {0: np.array(fib * 4, np.uint32)}, block=48)


def _steps(value):
    steps = 0
    while value != 1 and steps <= 200:
        steps += 1 + value % 2
        value = 3 * value + 1 if value % 2 else value // 2
    return steps


@case()
def jumps(rng):
    values = rng.integers(1, 500, 64).astype(np.int32)
    return Run([values, np.zeros(64, np.int32)], {1: np.array([_steps(int(v)) for v in values], np.int32)}, block=64)


@case()
def loops_and_barriers(rng):
    values = rng.random(128, np.float32)
    line = np.zeros(130)
    line[1:129] = values
    for _ in range(4):
        line[1:129] = (line[:128] + line[1:129] + line[2:]) / 3
    return Run(
        [values, np.zeros(128, np.float32), np.int32(4)],
        {1: (line[1:129] + 2).astype(np.float32)},
        block=128,
        rtol=1e-6,
    )


@case()
def counted_barriers(rng):
    values = rng.integers(0, 100, 192).astype(np.int32)
    values[5] = 77
    expected = np.full(192, (values > 50).sum() + 3000, np.int32)
    return Run([values, np.zeros(192, np.int32)], {1: expected}, block=192)


@case()
def early_return(rng):
    expected = np.zeros(128, np.int32)
    expected[:70] = 70
    return Run([np.zeros(128, np.int32), np.int32(70)], {0: expected}, block=128)


@case()
def through_pointers(rng):
    values = rng.integers(0, 100, 64).astype(np.int32)
    return Run(
        [values, np.zeros(64, np.int32)],
        {1: np.where(np.arange(64) % 2, values * 5, values + 5).astype(np.int32)},
        block=64,
    )


@case()
def unions_and_arrays(rng):
    values = rng.normal(size=64).astype(np.float32)
    words = values.view(np.uint32)
    digits = sum((words >> (4 * k)) & 15 for k in range(8))
    expected = ((words >> 23) & 255) * 1000 + (words >> 31) * 500 + digits
    return Run([values, np.zeros(64, np.int32)], {1: expected.astype(np.int32)}, block=64)


@case()
def many_parameters(rng):
    h = rng.random(64)
    args = [
        np.int8(-3),
        np.int16(300),
        np.int32(-70000),
        np.int64(2**40),
        np.float32(0.5),
        np.float64(0.25),
        np.uint8(200),
        h,
    ]
    expected = -3 + 300 - 70000 + 2.0**40 + 0.5 + 0.25 + 200 + h + 0.5 + 3.5
    return Run(
        [*args, np.bool_(True), np.array([1.5, 2], np.float32).tobytes(), np.zeros(64)],
        {10: expected},
        block=64,
        rtol=1e-12,
    )


@case()
def own_stack(rng):
    values = rng.integers(0, 100, 100).astype(np.int32)
    sums = values.copy()
    for node in range(99, 0, -1):
        sums[(node - 1) // 2] += sums[node]
    return Run([values, np.zeros(64, np.int32), np.int32(100)], {1: sums[:64]}, block=64)
