from typing import Any

import numpy as np

from . import Run, case

N = 64
TOOLKIT: dict[str, Any] = {"toolkit": True}


def bfloat(values):
    """float32 to bfloat16's bits, to nearest even."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def wide(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _halves(rng, number=N):
    return rng.uniform(-4, 4, number).astype(np.float16)


def _half_check(place, expected, ulps=1):
    """Halves compared in steps of half precision."""

    def check(results):
        found = results[place].astype(np.float64)
        step = np.abs(np.spacing(expected.astype(np.float16))).astype(np.float64)
        assert (np.abs(found - expected) <= ulps * step + 1e-12).all(), (found, expected)

    return check


@case(**TOOLKIT)
def half_axpy(rng):
    x, y = _halves(rng, 500), _halves(rng, 500)
    exact = 1.5 * x.astype(np.float64) + y.astype(np.float64)
    return Run(
        [np.float16(1.5), x, y, np.zeros(500, np.float16), np.int32(500)],
        {3: exact.astype(np.float16)},
        grid=4,
        block=128,
    )


@case(**TOOLKIT)
def half_operators(rng):
    x, y = _halves(rng), _halves(rng)
    a, b = x.astype(np.float32), y.astype(np.float32)
    summed = ((x + y) * np.float16(0.5)).astype(np.float16)
    expected = np.stack(
        [
            x + y, x - y, x * y, (a / b).astype(np.float16), -x, summed, np.maximum(summed, y), np.maximum(x, y),
            np.minimum(x, y), np.abs(x), (a * 2).astype(np.float16), x + np.float16(3),
        ]
    )  # fmt: skip
    run = Run([x, y, np.zeros((12, N), np.float16), np.int32(N)], block=N, rtol=2.0**-10)
    run.check = _half_check(2, expected.astype(np.float64))
    return run


@case(**TOOLKIT)
def half_pairs(rng):
    x, y = _halves(rng, 2 * N).reshape(N, 2), _halves(rng, 2 * N).reshape(N, 2)
    fused = (x.astype(np.float64) * y + 1).astype(np.float16)
    expected = np.stack([x + y, x * y, fused, np.stack([x[:, 1], y[:, 0]], 1), np.stack([x[:, 0], y[:, 1]], 1), x - y])
    return Run(
        [x, y, np.zeros((6, N, 2), np.float16), np.zeros((N, 2), np.float32), np.int32(N)],
        {2: expected, 3: -x.astype(np.float32)},
        block=N,
    )


@case(**TOOLKIT)
def half_functions(rng):
    x = rng.uniform(0.1, 4, N).astype(np.float16)
    d = x.astype(np.float64)
    expected = np.stack([np.sqrt(d), np.exp(d), np.log(d), np.sin(d), 1 / d, np.floor(d), np.rint(d)])
    flags = (x.view(np.uint16) + 2 + 4 * (x < 1)).astype(np.uint16)
    run = Run([x, np.zeros((7, N), np.float16), np.zeros(N, np.uint16), np.int32(N)], {2: flags}, block=N, rtol=2.0**-9)
    run.check = _half_check(1, expected, ulps=2)
    return run


@case(**TOOLKIT)
def half_rounding(rng):
    x = rng.uniform(-100, 100, N).astype(np.float32)
    nearest = x.astype(np.float16)
    up = np.where(nearest.astype(np.float32) < x, np.nextafter(nearest, np.float16(np.inf)), nearest)
    down = np.where(nearest.astype(np.float32) > x, np.nextafter(nearest, np.float16(-np.inf)), nearest)
    return Run(
        [x, np.zeros((4, N), np.float16), np.int32(N)],
        {1: np.stack([nearest, np.where(x > 0, down, up), up, down])},
        block=N,
    )


@case(**TOOLKIT)
def half_sums(rng):
    x = _halves(rng, 1000)
    expected = np.array([x.astype(np.float64).sum(), x[3], x[1]], np.float32)
    return Run([x, np.zeros(3, np.float32), np.int32(1000)], {1: expected}, block=32, rtol=1e-4, atol=1e-4)


@case(**TOOLKIT)
def bfloat_operators(rng):
    x, y = bfloat(rng.uniform(-4, 4, N)), bfloat(rng.uniform(0.5, 4, N))
    a, b = wide(x), wide(y)
    exact = [
        a + b, a * b, a - b, a / b, a.astype(np.float64) * b + 1, np.maximum(a, b), np.where(a < b, a, -b),
        np.exp(a.astype(np.float64)), a * 3, np.abs(a), a + b,
    ]  # fmt: skip
    expected = wide(bfloat(np.stack(exact).astype(np.float32)))

    def check(results):
        np.testing.assert_allclose(wide(results[2]), expected, rtol=2.0**-7)

    # The bits of two results that are next to each other cannot be compared as numbers.
    return Run([x, y, np.zeros((11, N), np.uint16), np.int32(N)], check=check, block=N, comparable=False)


@case(**TOOLKIT)
def bfloat_pairs(rng):
    x = bfloat(rng.uniform(-4, 4, (N, 2)))
    f = rng.uniform(-4, 4, (N, 2)).astype(np.float32)
    double = bfloat(wide(x) * 2)
    expected = np.stack([double, bfloat(f), x[:, ::-1], double])
    bits = (f[:, 0].copy().view(np.uint32) >> 16).astype(np.uint16)
    args = [x, f, np.zeros((4, N, 2), np.uint16), np.zeros((N, 2), np.float32), np.zeros(N, np.uint16), np.int32(N)]
    return Run(args, {2: expected, 3: wide(x), 4: bits}, block=N)


@case(**TOOLKIT)
def narrow_atomics(rng):
    h, h2 = np.array([1, 2], np.float16), np.zeros(2, np.float16)
    expected = {0: np.array([33, 34], np.float16), 1: np.array([32, 128], np.float16), 2: bfloat([0, 128, 7])}
    return Run([h, h2, bfloat([0, 0, 7])], expected, block=64)
