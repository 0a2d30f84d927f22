import numpy as np

from . import Run, case


@case()
def integers(rng):
    t = np.arange(512)
    i = np.array([0, 0, 10**6, -(10**6), 0x7FFFFFFF, 0, 0], np.int32)
    u = np.array([0, 10**6, 5000, 0, 0xFF, 0, 0, 0, 3], np.uint32)
    after_i = np.array([t.sum(), -t.sum(), -50, 461, 0, 0xFFFFF, np.bitwise_xor.reduce(t)], np.int32)
    after_u = np.array([1536, 10**6 - 512, 1000 - 511, 511 * 5, 0, 1 << 31, 0, 512 % 10, (3 - 512) % 10], np.uint32)
    return Run([i, u], {0: after_i, 1: after_u}, grid=4, block=128)


@case()
def wide(rng):
    t = np.arange(256, dtype=np.uint64)
    u = np.array([0, 2**50, 0, 2**64 - 1, 0, 0], np.uint64)
    after = np.array(
        [(t << np.uint64(20)).sum(), 1 << 40, 255 << 33, 0, 2**40 - 1, np.bitwise_xor.reduce(t)], np.uint64
    )
    return Run(
        [u, np.array([0, -5000, 10000], np.int64)],
        {0: after, 1: np.array([-255, -745, 10000 - 768])},
        grid=2,
        block=128,
    )


@case()
def floating(rng):
    f, d = np.array([256.0, 128, 128, 128, 128], np.float32), np.array([511 * 256.0, 64, 64])
    return Run([np.zeros(5, np.float32), np.zeros(3)], {0: f, 1: d}, grid=4, block=128)


@case()
def exchanges(rng):
    def check(results):
        assert results[0][0] == 320
        assert sorted(results[1]) == list(range(320))
        ring = results[2]
        # All values but the one that is left have been added, in their lower 16 bits.
        total = sum(1 << (t % 32) for t in range(320) if t % 32 < 16)
        left = int(ring[0]) & 0xFFFF
        assert int(ring[1]) == total - left
        assert results[3][0] == 7.5

    return Run(
        [np.zeros(1, np.int32), np.zeros(320, np.int32), np.zeros(2, np.uint32), np.zeros(1, np.float32)],
        grid=5,
        block=64,
        check=check,
        comparable=False,
    )


@case()
def by_compare_and_swap(rng):
    values = rng.normal(size=256).astype(np.float32)
    return Run(
        [values, np.array([-9.0], np.float32), np.ones(1)],
        {1: values.max(keepdims=True), 2: np.array([1024.0])},
        grid=2,
        block=128,
    )


@case()
def scopes(rng):
    i, u = np.zeros(4, np.int32), np.zeros(3, np.uint32)
    expected: dict[int, np.ndarray] = {
        0: np.array([128, 63, -64, 64], np.int32),
        1: np.array([0xFFFF, 5, 64], np.uint32),
        2: np.array([64 << 33, 77], np.uint64),
        3: np.array([64], np.float32),
        4: np.array([32.0]),
    }
    return Run([i, u, np.zeros(2, np.uint64), np.zeros(1, np.float32), np.zeros(1)], expected, block=64)


@case()
def lock(rng):
    return Run(
        [np.zeros(1, np.int32), np.zeros(1, np.int32)],
        {0: np.zeros(1, np.int32), 1: np.full(1, 32, np.int32)},
        grid=8,
        block=128,
    )
