import numpy as np

from . import Run, case

LANES = np.arange(64) % 32
BASE = np.arange(64) // 32 * 32


def _zeros(count, dtype=np.int32, number=64):
    return [np.zeros(number, dtype) for _ in range(count)]


@case()
def shuffles(rng):
    values = rng.integers(-1000, 1000, 64).astype(np.int32)
    up = np.where(LANES >= 3, LANES - 3, LANES)
    down = np.where(LANES % 16 + 7 < 16, LANES + 7, LANES)
    expected = [(np.arange(64) + 5) % 32, up, down, LANES ^ 9, LANES // 8 * 8 + 2]
    return Run([values, *_zeros(5)], {i + 1: values[BASE + lanes] for i, lanes in enumerate(expected)}, block=64)


@case()
def shuffles_of_types(rng):
    d, f = rng.normal(size=64), rng.random(64, np.float32)
    u = rng.integers(0, 2**63, 64).astype(np.uint64)
    out = [np.zeros(64), np.zeros(64, np.uint64), np.zeros(64, np.float32)]
    expected = {3: d[BASE + (LANES ^ 16)], 4: u[BASE + np.minimum(LANES + 1, 31)], 5: f[BASE + 31 - LANES]}
    return Run([d, u, f, *out], expected, block=64)


@case()
def compaction(rng):
    values = rng.normal(size=128).astype(np.float32)
    kept, counts = np.zeros(128, np.float32), np.zeros(4, np.int32)
    for warp in range(4):
        positive = [v for v in values[warp * 32 : warp * 32 + 32] if v > 0]
        kept[warp * 32 : warp * 32 + len(positive)] = positive
        counts[warp] = len(positive)
    return Run([values, np.zeros(128, np.float32), np.zeros(4, np.int32)], {1: kept, 2: counts}, block=128)


@case()
def votes(rng):
    values = np.concatenate([rng.integers(11, 80, 32), rng.integers(0, 100, 32)]).astype(np.int32)
    values[63] = 95
    rows = values.reshape(2, 32)
    bits = 1 << np.arange(32, dtype=np.uint64)
    odd = ((rows & 1) * bits).sum(1).astype(np.uint32)
    first = np.array([(row > 50).argmax() + 1 for row in rows], np.uint32)
    expected = [(rows > 10).all(1).astype(np.int32), (rows > 90).any(1).astype(np.int32), odd, first]
    arrays = [*_zeros(2), *_zeros(2, np.uint32)]
    return Run([values, *arrays], {i + 1: np.repeat(e, 32) for i, e in enumerate(expected)}, block=64)


@case()
def matching(rng):
    values = np.concatenate([rng.integers(200, 204, 32), rng.integers(95, 105, 32)]).astype(np.int32)
    values[32:34] = 95, 104
    bits = (1 << np.arange(32, dtype=np.uint64)).astype(np.uint32)
    rows = values.reshape(2, 32)
    any_ = np.concatenate([[bits[row == v].sum(dtype=np.uint32) for v in row] for row in rows]).astype(np.uint32)
    same = np.repeat([len(set(row // 100)) == 1 for row in rows], 32)
    return Run(
        [values, *_zeros(2, np.uint32), *_zeros(1)],
        {1: any_, 2: np.where(same, np.uint32(0xFFFFFFFF), np.uint32(0)), 3: same.astype(np.int32)},
        block=64,
    )


@case()
def reductions(rng):
    values = rng.integers(0, 10000, 64).astype(np.int32)
    rows = values.reshape(2, 32)
    unsigned = rows.view(np.uint32)
    bits = np.bitwise_and.reduce(unsigned, 1) ^ np.bitwise_or.reduce(unsigned, 1) ^ np.bitwise_xor.reduce(unsigned, 1)
    expected = [rows.sum(1, dtype=np.int32), rows.min(1), rows.max(1), bits]
    return Run(
        [values, *_zeros(3), *_zeros(1, np.uint32)], {i + 1: np.repeat(e, 32) for i, e in enumerate(expected)}, block=64
    )


@case()
def masked(rng):
    values = rng.integers(0, 100, 64).astype(np.int32)
    expected = np.zeros(64, np.int32)
    for warp in range(2):
        low = values[warp * 32 : warp * 32 + 16].copy()
        for d in (8, 4, 2, 1):
            low = low + np.where(np.arange(16) + d < 16, np.roll(low, -d), low)
        expected[warp * 32 : warp * 32 + 16] = low
        expected[warp * 32 + 16 : warp * 32 + 32] = (-values[warp * 32 + 16 : warp * 32 + 32]).max()
    return Run([values, np.zeros(64, np.int32)], {1: expected}, block=64)


@case()
def through_shared(rng):
    values = rng.integers(0, 100, 128).astype(np.float32)
    rows = values.reshape(4, 32)
    following = np.roll(rows, -1, 1)
    expected = np.roll(following * 2, 1, 1) + following
    return Run([values, np.zeros(128, np.float32)], {1: expected.ravel()}, block=128)
