import itertools
import zlib

import numpy as np

from . import Run, case


@case()
def nbody(rng):
    bodies = rng.normal(size=(128, 4)).astype(np.float32)
    b = bodies.astype(np.float64)
    d = b[None, :, :3] - b[:, None, :3]
    strength = b[None, :, 3] / ((d**2).sum(2) + np.float32(0.01)) ** 1.5
    expected = (d * strength[:, :, None]).sum(1).astype(np.float32)
    return Run(
        [bodies, np.zeros((128, 3), np.float32), np.int32(128)], {1: expected}, grid=2, block=64, rtol=1e-4, atol=1e-3
    )


@case()
def stencil_1d(rng):
    values, weights = rng.random(1000, np.float32), rng.random(7, np.float32)
    expected = np.correlate(values.astype(float), weights.astype(float), "same").astype(np.float32)
    return Run(
        [values, np.zeros(1000, np.float32), np.int32(1000)],
        {1: expected},
        grid=8,
        block=128,
        rtol=1e-5,
        globals={"weights": weights},
    )


@case(options=("--fmad=false",))
def heat_3d(rng):
    v = rng.normal(size=(18, 18, 18))
    expected, c = np.zeros_like(v), slice(1, -1)
    around = v[c, c, :-2] + v[c, c, 2:] + v[c, :-2, c] + v[c, 2:, c] + v[:-2, c, c] + v[2:, c, c]
    expected[c, c, c] = v[c, c, c] + 0.1 * (around - 6 * v[c, c, c])
    return Run([v, np.zeros_like(v), np.int32(18)], {1: expected}, grid=16, block=(16, 16), rtol=1e-13, atol=1e-14)


@case()
def life(rng):
    field = (rng.random((30, 40)) < 0.4).astype(np.uint8)
    around = sum(np.roll(field, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)
    expected = ((around == 3) | ((around == 2) & (field == 1))).astype(np.uint8)
    return Run([field, np.zeros_like(field), np.int32(40), np.int32(30)], {1: expected}, grid=(3, 4), block=(16, 8))


def _xorshift(state):
    state ^= state << np.uint32(13)
    state ^= state >> np.uint32(17)
    state ^= state << np.uint32(5)
    return state


@case(options=("--fmad=false",))
def monte_carlo(rng):
    state = (np.arange(256, dtype=np.uint64) * 2654435761 + 1).astype(np.uint32)
    hits = 0
    for _ in range(100):
        x, y = ((_xorshift(state) >> np.uint32(8)) * np.float32(1 / 16777216) for _ in range(2))
        x = x.astype(np.float32)
        hits += int((x * x + y.astype(np.float32) * y.astype(np.float32) < 1).sum())
    return Run([np.zeros(1, np.uint64), np.int32(100)], {0: np.array([hits], np.uint64)}, grid=4, block=64)


@case()
def black_scholes(rng):
    price, strike, years = (rng.uniform(*r, 256).astype(np.float32) for r in ((5, 30), (1, 100), (0.25, 10)))
    p, s, t, rate, v = price.astype(float), strike.astype(float), years.astype(float), 0.02, 0.3

    def cumulative(d):
        k = 1 / (1 + 0.2316419 * np.abs(d))
        poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        c = 0.3989422804014327 * np.exp(-0.5 * d * d) * poly
        return np.where(d > 0, 1 - c, c)

    d1 = (np.log(p / s) + (rate + 0.5 * v * v) * t) / (v * np.sqrt(t))
    d2 = d1 - v * np.sqrt(t)
    discount = np.exp(-rate * t)
    call = p * cumulative(d1) - s * discount * cumulative(d2)
    put = s * discount * (1 - cumulative(d2)) - p * (1 - cumulative(d1))
    args = [np.zeros((256, 2), np.float32), price, strike, years, np.float32(rate), np.float32(v)]
    return Run(args, {0: np.stack([call, put], 1).astype(np.float32)}, grid=2, block=128, rtol=1e-3, atol=2e-4)


@case()
def softmax(rng):
    values = rng.normal(0, 5, (7, 300)).astype(np.float32)
    e = np.exp(values.astype(float) - values.max(1, keepdims=True))
    expected = (e / e.sum(1, keepdims=True)).astype(np.float32)
    return Run([values, np.zeros_like(values), np.int32(300)], {1: expected}, grid=7, block=128, rtol=1e-4, atol=1e-7)


@case("layer_norm<64>")
def layer_norm(rng):
    values, gain, shift = (
        rng.normal(2, 3, (5, 150)).astype(np.float32),
        rng.random(150, np.float32),
        rng.random(150, np.float32),
    )
    v = values.astype(float)
    expected = (v - v.mean(1, keepdims=True)) / np.sqrt(v.var(1, keepdims=True) + 1e-5) * gain + shift
    return Run(
        [values, gain, shift, np.zeros_like(values), np.int32(150)],
        {3: expected.astype(np.float32)},
        grid=5,
        block=64,
        rtol=1e-3,
        atol=1e-4,
    )


@case()
def convolution_2d(rng):
    values, kernel = rng.normal(size=(3, 12, 14)).astype(np.float32), rng.normal(size=(4, 3, 3, 3)).astype(np.float32)
    padded = np.pad(values.astype(float), ((0, 0), (1, 1), (1, 1)))
    expected = np.zeros((4, 12, 14))
    for ky in range(3):
        for kx in range(3):
            expected += np.einsum(
                "chw,oc->ohw", padded[:, ky : ky + 12, kx : kx + 14], kernel[:, :, ky, kx].astype(float)
            )
    args = [values, kernel, np.zeros((4, 12, 14), np.float32), np.int32(3), np.int32(12), np.int32(14)]
    return Run(args, {2: np.maximum(expected, 0).astype(np.float32)}, grid=4, block=(14, 12), rtol=1e-4, atol=1e-5)


@case()
def floyd_warshall(rng):
    n = 24
    distances = rng.integers(1, 100, (n, n)).astype(np.int32)
    np.fill_diagonal(distances, 0)
    expected = distances.copy()
    for k in range(n):
        expected = np.minimum(expected, expected[:, k : k + 1] + expected[k : k + 1, :])
    return Run([distances, np.int32(n)], {0: expected}, block=192)


@case()
def crc32(rng):
    lengths = rng.integers(1, 40, 64)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    data = rng.integers(0, 256, offsets[-1]).astype(np.uint8)
    expected = [zlib.crc32(data[a:b].tobytes()) for a, b in itertools.pairwise(offsets)]
    return Run([data, offsets, np.zeros(64, np.uint32)], {2: np.array(expected, np.uint32)}, block=64)


@case()
def kmeans_assign(rng):
    points, centres = (
        rng.integers(-100, 100, (500, 2)).astype(np.float32),
        rng.integers(-100, 100, (6, 2)).astype(np.float32),
    )
    nearest = ((points[:, None] - centres[None]) ** 2).sum(2).argmin(1).astype(np.int32)
    sums = np.zeros((6, 2), np.float32)
    np.add.at(sums, nearest, points)
    counts = np.bincount(nearest, minlength=6).astype(np.int32)
    args = [
        points,
        centres,
        np.zeros(500, np.int32),
        np.zeros((6, 2), np.float32),
        np.zeros(6, np.int32),
        np.int32(500),
        np.int32(6),
    ]
    return Run(args, {2: nearest, 3: sums, 4: counts}, grid=4, block=128, shared=48)


@case()
def edit_distance(rng):
    n = 40
    a, b = rng.integers(97, 101, n).astype(np.int8), rng.integers(97, 101, n).astype(np.int8)
    table = np.zeros((n + 1, n + 1), np.int32)
    table[0], table[:, 0] = np.arange(n + 1), np.arange(n + 1)
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
    return Run([a, b, np.zeros(1, np.int32), np.int32(n)], {2: table[n, n : n + 1]}, block=64, shared=3 * 41 * 4)
