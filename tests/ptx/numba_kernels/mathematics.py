"""Functions of mathematics, and computations that programs make with them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.ptx.numba_kernels.base import (
    APPROXIMATE,
    APPROXIMATE_DOUBLE,
    HOPPER,
    VOLTA,
    case,
    cuda,
    floats,
    libdevice,
    whole,
    zeros,
)


def circles(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = math.sin(x[i])
        out[1, i] = math.cos(x[i])
        out[2, i] = math.tan(x[i])
        out[3, i] = math.atan(x[i])
        out[4, i] = math.atan2(x[i], 2.0)
        out[5, i] = math.asin(x[i] / 100)
        out[6, i] = math.acos(x[i] / 100)
        out[7, i] = math.hypot(x[i], 3.0)


def _circles(x):
    x = x.astype(np.float64)
    return np.array(
        [
            np.sin(x),
            np.cos(x),
            np.tan(x),
            np.arctan(x),
            np.arctan2(x, 2),
            np.arcsin(x / 100),
            np.arccos(x / 100),
            np.hypot(x, 3),
        ]
    )


@case(circles, grid=2, block=64, near=1e-12, **APPROXIMATE_DOUBLE)
def _(random):
    x = floats(random, 100, low=-20, high=20, dtype=np.float64)
    return [x, zeros(8, 100, dtype=np.float64)], {1: _circles(x)}


def single_circles(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = math.sin(x[i])
        out[1, i] = math.cos(x[i])
        out[2, i] = math.atan(x[i])
        out[3, i] = math.exp(-abs(x[i]))
        out[4, i] = math.log(abs(x[i]) + np.float32(1))
        out[5, i] = math.sqrt(abs(x[i]))
        out[6, i] = math.tanh(x[i])


@case(
    single_circles, also={"fast": {"options": {"fastmath": True}, "near": 1e-3, "rtol": 1e-3, "atol": 1e-5}},
    grid=2, block=64, near=2e-5, **APPROXIMATE,
)  # fmt: skip
def _(random):
    x = floats(random, 100, low=-9, high=9)
    rows = [np.sin(x), np.cos(x), np.arctan(x), np.exp(-abs(x)), np.log(abs(x) + 1), np.sqrt(abs(x)), np.tanh(x)]
    return [x, zeros(7, 100)], {1: np.array(rows)}


def growth(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = math.exp(x[i])
        out[1, i] = math.expm1(x[i])
        out[2, i] = math.log(x[i])
        out[3, i] = math.log10(x[i])
        out[4, i] = math.log1p(x[i])
        out[5, i] = math.log2(x[i])
        out[6, i] = math.sinh(x[i])
        out[7, i] = math.cosh(x[i])
        out[8, i] = math.asinh(x[i])
        out[9, i] = math.pow(x[i], 1.7)


@case(growth, grid=2, block=64, near=1e-12, **APPROXIMATE_DOUBLE)
def _(random):
    x = floats(random, 100, low=0.05, high=9, dtype=np.float64)
    rows = [
        np.exp(x),
        np.expm1(x),
        np.log(x),
        np.log10(x),
        np.log1p(x),
        np.log2(x),
        np.sinh(x),
        np.cosh(x),
        np.arcsinh(x),
        x**1.7,
    ]
    return [x, zeros(10, 100, dtype=np.float64)], {1: np.array(rows)}


def errors_and_gammas(x: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = math.erf(x[i])
        out[1, i] = math.erfc(x[i])
        out[2, i] = math.gamma(x[i])
        out[3, i] = math.lgamma(x[i])


@case(errors_and_gammas, also={"hopper": HOPPER}, grid=1, block=64, near=1e-11, **APPROXIMATE_DOUBLE)
def _(random):
    x = floats(random, 60, low=0.1, high=6, dtype=np.float64)
    rows = [[f(v) for v in x] for f in (math.erf, math.erfc, math.gamma, math.lgamma)]
    return [x, zeros(4, 60, dtype=np.float64)], {1: np.array(rows)}


def taken_apart(x: Any, out: Any, exponents: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        m, e = math.frexp(x[i])
        out[0, i] = m
        exponents[i] = e
        out[1, i] = math.ldexp(x[i], i % 7 - 3)
        out[2, i] = math.fmod(x[i], 0.75)
        out[3, i] = math.remainder(x[i], 0.75)
        out[4, i] = math.degrees(x[i])
        out[5, i] = math.sqrt(abs(x[i]))
        out[6, i] = cuda.cbrt(x[i])


@case(taken_apart, grid=1, block=128, near=1e-12, **APPROXIMATE_DOUBLE)
def _(random):
    x = floats(random, 100, low=-50, high=50, dtype=np.float64)
    m, e = np.frexp(x)
    rest = [math.remainder(v, 0.75) for v in x]
    rows = [m, np.ldexp(x, np.arange(100) % 7 - 3), np.fmod(x, 0.75), rest, np.degrees(x), np.sqrt(abs(x)), np.cbrt(x)]
    return [x, zeros(7, 100, dtype=np.float64), zeros(100, dtype=np.int32)], {1: np.array(rows), 2: e}


@cuda.jit(device=True)
def normal_below(d):
    k = 1.0 / (1.0 + 0.2316419 * abs(d))
    sum_of = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    found = 0.39894228040143267794 * math.exp(-0.5 * d * d) * sum_of
    return 1.0 - found if d > 0 else found


def black_scholes(spot: Any, strike: Any, years: Any, rate: Any, volatility: Any, call: Any, put: Any) -> None:
    i = cuda.grid(1)
    if i < spot.size:
        root = math.sqrt(years[i])
        d1 = (math.log(spot[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / (volatility * root)
        d2 = d1 - volatility * root
        discount = math.exp(-rate * years[i])
        call[i] = spot[i] * normal_below(d1) - strike[i] * discount * normal_below(d2)
        put[i] = strike[i] * discount * (1.0 - normal_below(d2)) - spot[i] * (1.0 - normal_below(d1))


def _black_scholes(spot, strike, years, rate, volatility):
    d1 = (np.log(spot / strike) + (rate + volatility**2 / 2) * years) / (volatility * np.sqrt(years))
    below = [np.array([0.5 * math.erfc(-v / 2**0.5) for v in d]) for d in (d1, d1 - volatility * np.sqrt(years))]
    call = spot * below[0] - strike * np.exp(-rate * years) * below[1]
    return call, call - spot + strike * np.exp(-rate * years)


@case(
    black_scholes,
    also={"volta": VOLTA},
    grid=3,
    block=64,
    near=2e-4,
    rtol=1e-10,
    atol=1e-11,
    why="exp and log start from approximations, and what comes out is a difference",
)
def _(random):
    spot, strike, years = (
        floats(random, 150, low=low, high=high, dtype=np.float64) for low, high in ((5, 30), (5, 30), (0.2, 5))
    )
    call, put = _black_scholes(spot, strike, years, 0.02, 0.3)
    return [spot, strike, years, 0.02, 0.3, zeros(150, dtype=np.float64), zeros(150, dtype=np.float64)], {
        5: call,
        6: put,
    }


def attraction(places: Any, masses: Any, forces: Any) -> None:
    i = cuda.grid(1)
    tile = cuda.shared.array((32, 4), np.float32)
    x = y = z = np.float32(0)
    for first in range(0, places.shape[0], 32):
        for k in range(3):
            tile[cuda.threadIdx.x, k] = places[first + cuda.threadIdx.x, k]
        tile[cuda.threadIdx.x, 3] = masses[first + cuda.threadIdx.x]
        cuda.syncthreads()
        for j in range(32):
            dx, dy, dz = tile[j, 0] - places[i, 0], tile[j, 1] - places[i, 1], tile[j, 2] - places[i, 2]
            near = dx * dx + dy * dy + dz * dz + np.float32(0.01)
            pull = tile[j, 3] / (near * math.sqrt(near))
            x += dx * pull
            y += dy * pull
            z += dz * pull
        cuda.syncthreads()
    forces[i, 0], forces[i, 1], forces[i, 2] = x, y, z


@case(
    attraction,
    also={
        "fast": {
            "options": {"fastmath": True},
            "near": 1e-2,
            "rtol": 1e-3,
            "atol": 1e-3,
            "why": "roots and quotients are approximate",
        }
    },
    grid=3,
    block=32,
    near=1e-3,
)
def _(random):
    p, m = floats(random, 96, 3), floats(random, 96, low=0.1, high=1)
    apart = p[None].astype(float) - p[:, None]
    near = (apart**2).sum(2) + 0.01
    return [p, m, zeros(96, 3)], {2: (apart * (m / near**1.5)[..., None]).sum(1)}


def softmax(x: Any, out: Any) -> None:
    row = cuda.blockIdx.x
    t = cuda.threadIdx.x
    value = x[row, t]
    most = value
    for k in range(5):
        most = max(most, cuda.shfl_xor_sync(0xFFFFFFFF, most, 1 << k))
    value = math.exp(value - most)
    total = value
    for k in range(5):
        total += cuda.shfl_xor_sync(0xFFFFFFFF, total, 1 << k)
    out[row, t] = value / total


@case(softmax, grid=5, block=32, near=1e-5, **APPROXIMATE)
def _(random):
    x = floats(random, 5, 32)
    e = np.exp(x - x.max(1, keepdims=True))
    return [x, zeros(5, 32)], {1: e / e.sum(1, keepdims=True)}


def distances_on_earth(places: Any, out: Any) -> None:
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        a, b = math.radians(places[i, 0]), math.radians(places[j, 0])
        up, along = math.sin((b - a) / 2), math.sin(math.radians(places[j, 1] - places[i, 1]) / 2)
        out[i, j] = 12742.0 * math.asin(math.sqrt(up * up + math.cos(a) * math.cos(b) * along * along))


@case(
    distances_on_earth,
    grid=(2, 2),
    block=(8, 8),
    near=1e-9,
    rtol=1e-12,
    atol=1e-12,
    why="asin starts from approximations",
)
def _(random):
    p = floats(random, 12, 2, low=-80, high=80, dtype=np.float64)
    r = np.radians(p)
    up, along = np.sin((r[None, :, 0] - r[:, None, 0]) / 2), np.sin((r[None, :, 1] - r[:, None, 1]) / 2)
    inside = up**2 + np.cos(r[:, None, 0]) * np.cos(r[None, :, 0]) * along**2
    return [p, zeros(12, 12, dtype=np.float64)], {1: 12742 * np.arcsin(np.sqrt(inside))}


def directed(x: Any, y: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = libdevice.fadd_rd(x[i], y[i])
        out[1, i] = libdevice.fadd_ru(x[i], y[i])
        out[2, i] = libdevice.fmul_rz(x[i], y[i])
        out[3, i] = libdevice.fmul_rn(x[i], y[i])
        out[4, i] = libdevice.fmaf_rz(x[i], y[i], x[i])
        out[5, i] = libdevice.fdiv_ru(x[i], y[i])
        out[6, i] = libdevice.fsqrt_rd(abs(x[i]))
        out[7, i] = libdevice.saturatef(x[i])


@case(directed, grid=2, block=64, near=1e-5)
def _(random):
    x, y = floats(random, 100), floats(random, 100)
    rows = [x + y, x + y, x * y, x * y, x * y + x, x / y, np.sqrt(abs(x)), np.clip(x, 0, 1)]
    return [x, y, zeros(8, 100)], {2: np.array(rows)}


def words_of_libdevice(x: Any, y: Any, f: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = libdevice.mulhi(x[i], y[i])
        out[1, i] = libdevice.sad(x[i], y[i], 5)
        out[2, i] = libdevice.byte_perm(x[i], y[i], 0x5140)
        out[3, i] = libdevice.hadd(x[i], y[i])
        out[4, i] = libdevice.mul24(x[i], y[i])
        out[5, i] = libdevice.float2int_rn(f[i])
        out[6, i] = libdevice.float2int_ru(f[i])
        out[7, i] = libdevice.float_as_int(f[i])
        out[8, i] = libdevice.rhadd(x[i], y[i])


@case(words_of_libdevice, grid=2, block=64)
def _(random):
    x, y, f = (
        whole(random, -(2**22), 2**22, 100),
        whole(random, -(2**22), 2**22, 100),
        floats(random, 100, low=-99, high=99),
    )
    a, b = x.astype(np.int64), y.astype(np.int64)
    ux, uy = x.view(np.uint32), y.view(np.uint32)
    mixed = (
        (ux & 255)
        | (uy & 255) << np.uint32(8)
        | (ux >> np.uint32(8) & 255) << np.uint32(16)
        | (uy >> np.uint32(8) & 255) << np.uint32(24)
    )
    rows = [
        a * b >> 32,
        abs(a - b) + 5,
        mixed.view(np.int32),
        a + b >> 1,
        (a * b).astype(np.int32),
        np.rint(f),
        np.ceil(f),
        f.view(np.int32),
        a + b + 1 >> 1,
    ]
    return [x, y, f, zeros(9, 100, dtype=np.int32)], {3: np.array(rows).astype(np.int64)}
