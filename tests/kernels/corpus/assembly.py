import numpy as np

from . import Run, case

N = 64


def _words(rng):
    return rng.integers(0, 2**32, N).astype(np.uint32)


@case()
def registers(rng):
    t = np.arange(N)
    expected = np.stack([t % 32, t + 1000 * N, 0 * t, (1 << (t % 32)) - 1, 0 * t + 1], 1).astype(np.uint32)
    return Run([np.zeros((N, 5), np.uint32)], {0: expected}, block=N)


@case()
def barriers(rng):
    values = rng.integers(0, 100, N).astype(np.int32)
    return Run([values, np.zeros(N, np.int32)], {1: np.roll(values[::-1] * 2, -1)}, block=N)


@case()
def loads(rng):
    values, vectors = rng.random(N + 64, np.float32), rng.integers(-99, 99, (N, 4)).astype(np.int32)
    expected = {2: values[:N] + 2 * values[1 : N + 1], 3: vectors[:, ::-1].copy()}
    return Run([values, vectors, np.zeros(N, np.float32), np.zeros((N, 4), np.int32)], expected, block=N, rtol=1e-6)


@case()
def arithmetic(rng):
    a, b = _words(rng), _words(rng)
    x, y, t = a.astype(object), b.astype(object), np.arange(N).astype(object)
    rows = [
        x + y, x * y + 7, (x >> 5) & 511, (y & ~0xF00) | ((x & 15) << 8), (x & 0xFFFF) | ((y & 0xFFFF) << 16),
        x ^ y ^ 0x0F0F0F0F, np.array([((q << 32 | p) << (k & 31)) >> 32 for p, q, k in zip(x, y, t, strict=True)], object),
        np.where(a > b, 101, 100 * y), (x * y) >> 32, np.array([int(p).bit_count() for p in x], object), (x * y) >> 20,
        (x | y << 32) >> 16,
    ]  # fmt: skip
    expected = np.stack([np.array([int(v) & 0xFFFFFFFF for v in row], np.uint32) for row in rows])
    return Run([a, b, np.zeros((12, N), np.uint32), np.int32(N)], {2: expected}, block=N)


@case()
def floats(rng):
    x = rng.uniform(0.5, 8, N).astype(np.float32)
    d = x.astype(np.float64)
    half = x.astype(np.float16)
    expected = np.stack(
        [d * d + 1, 2.0**d, 1 / d, np.sqrt(d), np.maximum(d, 2), np.rint(x * np.float32(10)), -d, half.astype(float)]
    )
    args = [x, np.zeros((8, N), np.float32), np.zeros(N, np.uint16), np.int32(N)]
    return Run(args, {1: expected.astype(np.float32), 2: half.view(np.uint16)}, block=N, rtol=2e-6)


@case()
def warp_instructions(rng):
    values = rng.integers(0, 100, N).astype(np.int32)
    pairs = values + values.reshape(-1, 2)[:, ::-1].ravel()
    ballots = ((values.reshape(2, 32) > 50) << np.arange(32, dtype=np.uint64)).sum(1).astype(np.uint32)
    expected = np.append(pairs, values.sum()).astype(np.int32)
    return Run(
        [values, np.zeros(N + 1, np.int32), np.zeros(N, np.uint32)], {1: expected, 2: np.repeat(ballots, 32)}, block=N
    )
