"""Complex numbers, and numbers of half precision; arithmetic of halves is linked from CUDA C++, which is not in the PTX."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ptx.numba_kernels.base import APPROXIMATE_DOUBLE, HOPPER, VOLTA, case, cuda, floats, zeros


def half_conversions(x: Any, wide: Any, single: Any, back: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        wide[i] = np.float64(x[i])
        single[i] = np.float32(x[i]) * np.float32(1.25)
        back[i] = np.float16(single[i])


@case(half_conversions, grid=2, block=64, **VOLTA)
def _(random):
    x = floats(random, 100, low=-1000, high=1000, dtype=np.float16)
    single = x.astype(np.float32) * np.float32(1.25)
    return [x, zeros(100, dtype=np.float64), zeros(100), zeros(100, dtype=np.float16)], {
        1: x,
        2: single,
        3: single.astype(np.float16),
    }


def half_sums(x: Any, y: Any, a: Any, out: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        out[i] = np.float32(a) * np.float32(x[i]) + np.float32(y[i])


@case(half_sums, also={"hopper": HOPPER}, grid=2, block=64, near=2e-3)
def _(random):
    x, y, a = floats(random, 120, dtype=np.float16), floats(random, 120, dtype=np.float16), np.float16(1.5)
    return [x, y, a, zeros(120, dtype=np.float16)], {3: 1.5 * x.astype(float) + y}


def complex_products(x: Any, y: Any, out: Any, parts: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = x[i] * y[i] + x[i]
        out[1, i] = x[i].conjugate() - y[i]
        out[2, i] = -x[i] * 2
        parts[i] = x[i].real * y[i].imag


@case(complex_products, also={"hopper": HOPPER}, grid=2, block=64, near=1e-5)
def _(random):
    x, y = (floats(random, 100) + 1j * floats(random, 100) for _ in range(2))
    x, y = x.astype(np.complex64), y.astype(np.complex64)
    return [x, y, zeros(3, 100, dtype=np.complex64), zeros(100)], {
        2: np.array([x * y + x, x.conj() - y, -x * 2]), 3: x.real * y.imag,
    }  # fmt: skip


def complex_quotients(x: Any, y: Any, out: Any, sizes: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] / y[i]
        sizes[i] = abs(x[i])


@case(complex_quotients, grid=2, block=64, near=1e-12, **APPROXIMATE_DOUBLE)
def _(random):
    x, y = (floats(random, 100, dtype=np.float64) + 1j * floats(random, 100, dtype=np.float64) for _ in range(2))
    return [x, y, zeros(100, dtype=np.complex128), zeros(100, dtype=np.float64)], {2: x / y, 3: abs(x)}


def julia(c: Any, out: Any) -> None:
    x, y = cuda.grid(2)
    if x < out.shape[1] and y < out.shape[0]:
        z = complex(-1.5 + 3.0 * x / out.shape[1], -1.5 + 3.0 * y / out.shape[0])
        count = 0
        while count < 40 and z.real * z.real + z.imag * z.imag < 4:
            z = z * z + c
            count += 1
        out[y, x] = count


@case(julia, grid=(3, 5), block=(16, 8))
def _(random):
    return [np.complex128(-0.4 + 0.6j), zeros(40, 40, dtype=np.uint8)], {}


def butterflies(x: Any, turns: Any, out: Any) -> None:
    tile = cuda.shared.array(64, np.complex64)
    t = cuda.threadIdx.x
    for half in range(2):
        i, turned = t + 32 * half, 0
        for bit in range(6):
            turned |= (i >> bit & 1) << (5 - bit)
        tile[turned] = x[i]
    size = 1
    while size < 64:
        cuda.syncthreads()
        place = t % size
        a = (t // size) * 2 * size + place
        w = turns[place * (32 // size)] * tile[a + size]
        tile[a], tile[a + size] = tile[a] + w, tile[a] - w
        size *= 2
    cuda.syncthreads()
    out[t], out[t + 32] = tile[t], tile[t + 32]


@case(butterflies, grid=1, block=32, near=1e-5)
def _(random):
    x = (floats(random, 64) + 1j * floats(random, 64)).astype(np.complex64)
    turns = np.exp(-2j * np.pi * np.arange(32) / 64).astype(np.complex64)
    return [x, turns, zeros(64, dtype=np.complex64)], {2: np.fft.fft(x)}
