"""Arithmetic as Python has it: widths that are mixed, division, powers, overflow, casts and NaNs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.ptx.numba_kernels.base import (
    APPROXIMATE_DOUBLE,
    DEBUG,
    HOPPER,
    LINES,
    VOLTA,
    case,
    cuda,
    floats,
    whole,
    zeros,
)


def saxpy(a: Any, x: Any, y: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


@case(saxpy, also={**DEBUG, **LINES, "hopper": HOPPER, "volta": VOLTA}, grid=8, block=128, near=1e-5)
def _(random):
    x, y = floats(random, 1000), floats(random, 1000)
    return [np.float32(2.5), x, y, zeros(1000)], {3: np.float32(2.5) * x + y}


def axpby_strided(a: Any, x: Any, b: Any, y: Any) -> None:
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        y[i] = a * x[i] + b * y[i]


@case(axpby_strided, grid=4, block=64, near=1e-12)
def _(random):
    x, y = floats(random, 3001, dtype=np.float64), floats(random, 3001, dtype=np.float64)
    return [1.5, x, -0.25, y], {3: 1.5 * x - 0.25 * y}


def fused(x: Any, y: Any, z: Any, single: Any, double: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        single[i] = cuda.fma(np.float32(x[i]), np.float32(y[i]), np.float32(z[i]))
        double[i] = cuda.fma(x[i], y[i], z[i])


@case(fused, grid=2, block=128, near=1e-4)
def _(random):
    x, y, z = (floats(random, 200, dtype=np.float64) for _ in range(3))
    return [x, y, z, zeros(200), zeros(200, dtype=np.float64)], {3: x * y + z, 4: x * y + z}


def horner(coefficients: Any, x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        total = 0.0
        for k in range(coefficients.size - 1, -1, -1):
            total = total * x[i] + coefficients[k]
        out[i] = total


@case(horner, also={"hopper": HOPPER}, grid=3, block=96, near=1e-9)
def _(random):
    c, x = floats(random, 9, dtype=np.float64), floats(random, 250, dtype=np.float64)
    return [c, x, zeros(250, dtype=np.float64)], {2: np.polyval(c[::-1], x)}


def widths(a: Any, b: Any, c: Any, d: Any, u: Any, out: Any, ratio: Any) -> None:
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * b[i] + c[i] - d[i] + (u[i] >> 3) - (a[i] ^ b[i])
        ratio[i] = (a[i] + u[i]) / (abs(b[i]) + 1) - c[i] * 0.5


@case(widths, also=DEBUG, grid=2, block=128)
def _(random):
    a, b = whole(random, -128, 128, 256, dtype=np.int8), whole(random, -32768, 32768, 256, dtype=np.int16)
    c, d = whole(random, -(2**31), 2**31, 256), whole(random, -(2**62), 2**62, 256, dtype=np.int64)
    u = whole(random, 0, 256, 256, dtype=np.uint8)
    la, lb, lc, lu = (v.astype(np.int64) for v in (a, b, c, u))
    return [a, b, c, d, u, zeros(256, dtype=np.int64), zeros(256, dtype=np.float64)], {
        5: la * lb + lc - d + (lu >> 3) - (la ^ lb), 6: (la + lu) / (abs(lb) + 1) - lc * 0.5,
    }  # fmt: skip


def divisions(a: Any, b: Any, quotient: Any, rest: Any, both: Any) -> None:
    i = cuda.grid(1)
    if i < a.size:
        quotient[i] = a[i] // b[i]
        rest[i] = a[i] % b[i]
        q, r = divmod(a[i], b[i])
        both[i] = q * 1000 + r


@case(divisions, also=DEBUG, grid=2, block=128)
def _(random):
    a, b = (
        whole(random, -100000, 100000, 256),
        whole(random, 1, 300, 256) * random.choice([-1, 1], 256).astype(np.int32),
    )
    q, r = np.divmod(a.astype(np.int64), b)
    return [a, b, *(zeros(256, dtype=np.int64) for _ in range(3))], {2: q, 3: r, 4: q * 1000 + r}


def float_divisions(a: Any, b: Any, quotient: Any, rest: Any, truncated: Any) -> None:
    i = cuda.grid(1)
    if i < a.size:
        quotient[i] = a[i] // b[i]
        rest[i] = a[i] % b[i]
        truncated[i] = math.fmod(a[i], b[i])


@case(float_divisions, grid=2, block=128, near=1e-11)
def _(random):
    a, b = floats(random, 256, low=-50, high=50, dtype=np.float64), floats(random, 256, dtype=np.float64)
    return [a, b, *(zeros(256, dtype=np.float64) for _ in range(3))], {2: a // b, 3: a % b, 4: np.fmod(a, b)}


def unsigned_divisions(a: Any, b: Any, quotient: Any, rest: Any) -> None:
    i = cuda.grid(1)
    if i < a.size:
        quotient[i] = a[i] // b[i]
        rest[i] = a[i] % b[i]


@case(unsigned_divisions, grid=2, block=128, **VOLTA)
def _(random):
    a, b = (random.integers(1, 1 << 64, 256, np.uint64) >> np.uint64(k) for k in (0, 30))
    b |= np.uint64(1)
    return [a, b, *(zeros(256, dtype=np.uint64) for _ in range(2))], {2: a // b, 3: a % b}


def whole_powers(base: Any, exponent: Any, out: Any, squares: Any) -> None:
    i = cuda.grid(1)
    if i < base.size:
        out[i] = base[i] ** exponent[i]
        squares[i] = base[i] ** 2


@case(whole_powers, grid=2, block=64, **APPROXIMATE_DOUBLE)
def _(random):
    b, e = whole(random, -9, 10, 128, dtype=np.int64), whole(random, 0, 12, 128, dtype=np.int64)
    return [b, e, *(zeros(128, dtype=np.int64) for _ in range(2))], {2: b**e, 3: b**2}


def powers(base: Any, exponent: Any, out: Any, cubes: Any) -> None:
    i = cuda.grid(1)
    if i < base.size:
        out[i] = base[i] ** exponent[i]
        cubes[i] = (base[i] * 0.5) ** 3


@case(powers, grid=2, block=64, near=1e-13, **APPROXIMATE_DOUBLE)
def _(random):
    b, e = floats(random, 128, low=0.1, high=9, dtype=np.float64), floats(random, 128, dtype=np.float64)
    return [b, e, *(zeros(128, dtype=np.float64) for _ in range(2))], {2: b**e, 3: (b * 0.5) ** 3}


def overflow(a: Any, b: Any, total: Any, product: Any, shifted: Any, narrow: Any) -> None:
    i = cuda.grid(1)
    if i < a.size:
        total[i] = a[i] + b[i]
        product[i] = a[i] * b[i]
        shifted[i] = a[i] << (i % 64)
        narrow[i] = a[i] - b[i]


@case(overflow, grid=2, block=64)
def _(random):
    a, b = (random.integers(-(2**63), 2**63, 128, np.int64) for _ in range(2))
    return [a, b, *(zeros(128, dtype=np.int64) for _ in range(3)), zeros(128, dtype=np.int8)], {
        2: a + b, 3: a * b, 4: a << (np.arange(128) % 64), 5: (a - b).astype(np.int8),
    }  # fmt: skip


def casts(x: Any, narrow: Any, wide: Any, unsigned: Any, half: Any, truth: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        narrow[i] = np.int8(int(x[i]))
        wide[i] = np.int64(x[i] * 1000.0)
        unsigned[i] = np.uint16(abs(x[i]))
        half[i] = np.float32(x[i])
        truth[i] = bool(int(x[i]))


@case(casts, grid=2, block=128)
def _(random):
    x = floats(random, 256, low=-120, high=120, dtype=np.float64)
    kinds = (np.int8, np.int64, np.uint16, np.float32, np.bool_)
    return [x, *(zeros(256, dtype=kind) for kind in kinds)], {
        1: x.astype(np.int8), 2: (x * 1000).astype(np.int64), 3: abs(x).astype(np.uint16), 4: x.astype(np.float32),
        5: x.astype(np.int64) != 0,
    }  # fmt: skip


SPECIAL = [0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan, 5e-324, 1e308, -1e-320, 2.5, 3.5, -0.5, 1e16, -7.75, 0.1]


def not_numbers(x: Any, y: Any, flags: Any, least: Any, most: Any, sign: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        found = 0
        if math.isnan(x[i]):
            found |= 1
        if math.isinf(y[i]):
            found |= 2
        if x[i] < y[i]:
            found |= 4
        if not x[i] >= y[i]:
            found |= 8
        if x[i] != y[i]:
            found |= 16
        if math.isfinite(x[i]):
            found |= 32
        flags[i] = found
        least[i] = min(x[i], y[i])
        most[i] = max(x[i], y[i])
        sign[i] = math.copysign(x[i], y[i])


@case(not_numbers, also={**DEBUG, "hopper": HOPPER}, grid=2, block=128)
def _(random):
    x, y = (v.ravel().astype(np.float64) for v in np.meshgrid(SPECIAL, SPECIAL))
    flags = np.isnan(x) | np.isinf(y) * 2 | (x < y) * 4 | ~(x >= y) * 8 | (x != y) * 16 | np.isfinite(x) * 32
    return [x, y, zeros(256, dtype=np.int32), *(zeros(256, dtype=np.float64) for _ in range(3))], {
        2: flags, 5: np.copysign(x, y),
    }  # fmt: skip


def rounding(x: Any, out: Any, whole_ones: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = math.floor(x[i])
        out[1, i] = math.ceil(x[i])
        out[2, i] = math.trunc(x[i])
        out[3, i] = round(x[i])
        out[4, i] = abs(x[i])
        out[5, i] = math.modf(x[i])[0]
        whole_ones[i] = math.floor(x[i] + 0.5)


@case(rounding, grid=2, block=64)
def _(random):
    x = np.concatenate((np.arange(-20, 20) / 4, floats(random, 60, low=-1e6, high=1e6, dtype=np.float64)))
    rows = [np.floor(x), np.ceil(x), np.trunc(x), np.round(x), abs(x), np.modf(x)[0]]
    return [x, zeros(6, 100, dtype=np.float64), zeros(100, dtype=np.int64)], {1: np.array(rows), 2: np.floor(x + 0.5)}


def selections(x: Any, y: Any, mask: Any, out: Any, chained: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        out[i] = cuda.selp(mask[i], x[i], y[i])
        chained[i] = 1 if -1 < x[i] < y[i] <= 1.5 else (2 if x[i] > y[i] or (mask[i] and y[i] > 0) else 3)


@case(selections, grid=2, block=128)
def _(random):
    x, y, mask = floats(random, 200), floats(random, 200), random.random(200) < 0.5
    chained = np.where((x > -1) & (x < y) & (y <= 1.5), 1, np.where((x > y) | mask & (y > 0), 2, 3))
    return [x, y, mask, zeros(200), zeros(200, dtype=np.int32)], {3: np.where(mask, x, y), 4: chained}
