"""Directed rounding, against exact fractions: to the bit, and in the sign of zero."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from . import Run, case

N = 300
DOWN, UP, TO_ZERO = range(3)


def _directed(exact, mode, kind, sign_of_zero):
    """The neighbour of an exact fraction in a direction. A zero has the sign that IEEE gives it in this mode."""
    if exact == 0:
        return kind(sign_of_zero)
    limit, sign = np.finfo(kind), 1 if exact > 0 else -1
    below = mode == DOWN or (mode == TO_ZERO and exact > 0)
    if abs(exact) > Fraction(float(limit.max)):
        inward = (exact > 0) == below
        return kind(sign * (float(limit.max) if inward else math.inf))
    # A float of the nearest double may be on the wrong side: steps correct that.
    nearest = kind(float(exact))
    if np.isinf(nearest):
        nearest = kind(sign * float(limit.max))
    if nearest == 0:
        nearest = kind(math.copysign(0.0, sign))
    while (Fraction(float(nearest)) > exact) if below else (Fraction(float(nearest)) < exact):
        nearest = np.nextafter(nearest, kind(-np.inf if below else np.inf))
    while True:
        further = np.nextafter(nearest, kind(np.inf if below else -np.inf))
        if np.isinf(further) or ((Fraction(float(further)) > exact) if below else (Fraction(float(further)) < exact)):
            return nearest
        nearest = further


def _sum_zero(parts, mode):
    """The sign of a sum that is zero: that of its parts where they agree, else minus when rounding down."""
    signs = {math.copysign(1.0, part) for part in parts}
    if len(signs) == 1 and all(part == 0 for part in parts):
        return math.copysign(0.0, parts[0])
    return -0.0 if mode == DOWN else 0.0


def _root(value, mode, kind):
    """A square root, by whole numbers: of twice 200 bits more than are kept."""
    if value == 0:
        return kind(value)
    exact = Fraction(float(value))
    scaled = exact * 4**1200
    whole = math.isqrt(int(scaled))
    # One bit more where it is no square, so that it is between the same two numbers as the root.
    inexact = whole * whole != int(scaled)
    return _directed(Fraction(2 * whole + int(inexact), 2 * 2**1200), mode, kind, 0.0)


def _rows(x, y, z, kind):
    """The rows of rounding.cu for numbers that are finite, and divisors and radicands that are positive or not zero."""
    rows = np.empty((21, len(x)), kind)
    for i, (a, b, c) in enumerate(zip(x.tolist(), y.tolist(), z.tolist(), strict=True)):
        p, q, r = Fraction(a), Fraction(b), Fraction(c)
        sign = math.copysign(1.0, a) * math.copysign(1.0, b)
        for mode in range(3):
            column = rows[mode::3, i]
            column[0] = _directed(p + q, mode, kind, _sum_zero((a, b), mode))
            column[1] = _directed(p - q, mode, kind, _sum_zero((a, -b), mode))
            column[2] = _directed(p * q, mode, kind, math.copysign(0.0, sign))
            column[3] = _directed(p / q, mode, kind, math.copysign(0.0, sign))
            column[4] = _directed(1 / p, mode, kind, 0.0)
            column[5] = _root(kind(a), mode, kind)
            zero = (
                _sum_zero((math.copysign(float(p * q != 0), sign), c), mode)
                if p * q
                else _sum_zero((math.copysign(0.0, sign), c), mode)
            )
            column[6] = _directed(p * q + r, mode, kind, zero)
    return rows


def _numbers(rng, kind):
    """Operands of all sizes, some of them so that results overflow, vanish or are exact."""
    limit = np.finfo(kind)
    spread = int(-limit.minexp) - 4
    x, y, z = ((rng.uniform(1, 2, N) * 2.0 ** rng.integers(-spread, spread, N)).astype(kind) for _ in range(3))
    y[:100] = x[:100] * rng.uniform(-2, 2, 100).astype(kind)
    z[:50] = (x[:50] * 0.75).astype(kind)
    tiny, huge = limit.smallest_subnormal, limit.max
    x[100:110] = [1, 1, 3, 0.5, huge, huge, tiny, tiny, 2, 4]
    y[100:110] = [-1, 1, -3, 0.25, huge, -huge, tiny, -tiny, -0.5, 0.125]
    z[100:110] = [1, -1, 9, 0, -huge, huge, 0, tiny, 1, -0.5]
    y[y == 0] = 1
    y[120:200] *= rng.choice(np.array([-1, 1], kind), 80)
    return x, y, z


def _same_bits(place, expected):
    """Numbers and signs of zeros alike."""

    def check(results):
        found = results[place].reshape(expected.shape)
        wrong = np.argwhere(found.view(f"u{found.itemsize}") != expected.view(f"u{found.itemsize}"))
        assert not len(wrong), [(row, at, found[row, at], expected[row, at]) for row, at in wrong[:5].tolist()]

    return check


def _run(rng, kind):
    x, y, z = _numbers(rng, kind)
    run = Run([x, y, z, np.zeros((21, N), kind), np.int32(N)], grid=5, block=64)
    run.check = _same_bits(3, _rows(x, y, z, kind))
    return run


@case("rounded_float")
def floats(rng):
    return _run(rng, np.float32)


@case("rounded_double")
def doubles(rng):
    return _run(rng, np.float64)


@case()
def reciprocal_root(rng):
    x = (rng.uniform(1, 4, 2000) * 2.0 ** rng.integers(-120, 120, 2000)).astype(np.float32)
    expected = (1 / np.sqrt(x.astype(np.longdouble))).astype(np.float32)
    return Run([x, np.zeros(2000, np.float32), np.int32(2000)], {1: expected}, grid=8)
