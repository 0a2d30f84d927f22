"""Minima and maxima of three.cu, against Python's integers."""

from __future__ import annotations

import numpy as np

from . import Run, case

N = 300
OPTIONS = {"cuda": "12.9"}


def _signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _values(rng):
    """Random words; every seventh is like its neighbour in another array, and small ones are among them."""
    x, y, z = (rng.integers(0, 2**32, N).astype(np.uint32) for _ in range(3))
    y[::7], z[::5], x[::11] = x[::7], rng.integers(0, 9, z[::5].size), 2**32 - 3
    return x, y, z


@case(**OPTIONS)
def words(rng):
    x, y, z = _values(rng)
    rows = []
    for a, b, c in zip(x.tolist(), y.tolist(), z.tolist(), strict=True):
        p, q, r = (_signed(value, 32) for value in (a, b, c))
        total = _signed(p + q, 32)
        rows.append([
            max(p, q, r), min(a, b, c), max(p, q, r, 0), max(min(p, q), 0), max(total, r), min((a + b) & 0xFFFFFFFF, c), max(total, r, 0),
            max(p, q), min(a, b), (p >= q) + 2 * (a <= b),
        ])  # fmt: skip
    expected = (np.array(rows, np.int64).T & 0xFFFFFFFF).astype(np.uint32).view(np.int32)
    return Run([x, y, z, np.zeros((10, N), np.int32), np.int32(N)], {3: expected}, grid=3, block=128)


def _halves(a, b, c):
    """The nine results for one half of a word."""
    p, q, r = (_signed(value, 16) for value in (a, b, c))
    total = _signed(p + q, 16)
    return [
        max(p, q, r), min(a, b, c), max(min(p, q, r), 0), max(p, q, 0), max(total, r), min((a + b) & 0xFFFF, c), max(min(total, r), 0), max(p, q),
        int(p >= q),
    ]  # fmt: skip


@case(**OPTIONS)
def halves(rng):
    x, y, z = _values(rng)
    rows = []
    for a, b, c in zip(x.tolist(), y.tolist(), z.tolist(), strict=True):
        low, high = (_halves(*(value >> shift & 0xFFFF for value in (a, b, c))) for shift in (0, 16))
        rows.append(
            [(h & 0xFFFF) << 16 | (part & 0xFFFF) for h, part in zip(high[:-1], low[:-1], strict=True)]
            + [low[-1] + 2 * high[-1]]
        )
    return Run([x, y, z, np.zeros((9, N), np.uint32), np.int32(N)], {3: np.array(rows, np.uint32).T}, grid=3, block=128)
