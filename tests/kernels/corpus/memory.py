import numpy as np

from . import Run, case


@case()
def hints(rng):
    values, pairs = rng.random(200, np.float32), rng.integers(-99, 99, (200, 2)).astype(np.int32)
    expected = np.stack([values * 4, (pairs[:, 0] - pairs[:, 1]).astype(np.float32)], 1)
    return Run([values, pairs, np.zeros((200, 2), np.float32)], {2: expected}, grid=2, block=100, rtol=1e-6)


@case()
def more_hints(rng):
    values = rng.normal(size=64)
    return Run([values, np.zeros(128)], {1: np.concatenate([values * 2, np.full(64, 3.0)])}, block=64)


@case()
def block_copies(rng):
    values = rng.integers(0, 1000, (32, 8)).astype(np.int32)
    after = values.copy()
    after[:, 4] += np.arange(32)
    return Run(
        [values, np.zeros((32, 8), np.int32), np.zeros(128, np.uint8)],
        {1: after, 2: np.repeat(np.arange(32), 4).astype(np.uint8)},
        block=32,
    )


@case()
def qualified(rng):
    values = rng.integers(0, 100, 300).astype(np.int32)
    return Run(
        [values, np.zeros(300, np.int32), np.int32(300)],
        {1: sum(np.roll(values, -k) for k in range(4))},
        grid=3,
        block=128,
    )


@case()
def functions(rng):
    values = rng.integers(0, 100, 64).astype(np.int32)
    return Run([values, np.zeros(64, np.int32)], {1: (values + 1) * 3}, block=64)


@case()
def grid_constant(rng):
    matrix, vectors = rng.integers(-5, 5, (4, 4)).astype(np.float32), rng.integers(-5, 5, (64, 4)).astype(np.float32)
    return Run([matrix.tobytes(), vectors, np.zeros((64, 4), np.float32)], {2: vectors @ matrix.T}, block=64)


@case()
def heap(rng):
    return Run([np.zeros(64, np.int32)], {0: (10 * (np.arange(64) + 1)).astype(np.int32)}, block=64)


@case()
def fences(rng):
    return Run(
        [np.zeros(4, np.int32), np.zeros(4, np.int32), np.zeros(128, np.int32)],
        {2: np.repeat([40, 41, 42, 43], 32).astype(np.int32)},
        grid=4,
        block=32,
    )
