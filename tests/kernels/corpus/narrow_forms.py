"""Half and bfloat16: the forms of narrow_forms.cu, against float64 and exact whole numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from . import Run, case

N = 500
NEAREST, TO_ZERO, DOWN, UP = range(4)


class Kind:
    """A narrow type: how its bits are read, and rounded to from exact fractions.

    Results are arrays of `dtype`. A half's is numpy's own, which knows that all NaNs are alike.
    """

    def __init__(self, digits, exponents, dtype):
        self.digits, self.least, self.most = digits, 2 - 2 ** (exponents - 1), 2 ** (exponents - 1) - 1
        self.dtype = dtype

    def read(self, bits):
        if self.digits == 11:
            return bits.view(np.float16).astype(np.float64)
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)

    def rounded(self, exact, mode=NEAREST):
        """An exact fraction rounded, as a float; too large ones as the mode has it."""
        if exact == 0:
            return 0.0
        magnitude = abs(exact)
        exponent = max(math.frexp(float(magnitude))[1] - 1 if magnitude < 2**1000 else 1000, self.least)
        if magnitude < Fraction(2) ** exponent and exponent > self.least:
            exponent -= 1
        unit = Fraction(2) ** (exponent - self.digits + 1)
        units = magnitude / unit
        away = mode == (UP if exact > 0 else DOWN)
        count = round(units) if mode == NEAREST else math.ceil(units) if away else math.floor(units)
        largest = (2 - Fraction(2) ** (1 - self.digits)) * Fraction(2) ** self.most
        value = count * unit
        if value > largest:
            value = math.inf if mode == NEAREST or away else largest
        return math.copysign(float(value), exact)

    def bits(self, numbers):
        """The bits of numbers that the type holds."""
        numbers = np.asarray(numbers, np.float64)
        if self.digits == 11:
            return numbers.astype(np.float16).view(np.uint16)
        return (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


HALF, BFLOAT = Kind(11, 5, np.float16), Kind(8, 8, np.uint16)


def _numbers(rng, kind, number=N):
    """Numbers around one, with pairs that are equal, zeros and NaNs among them."""
    values = kind.bits([kind.rounded(Fraction(float(x))) for x in rng.normal(0, 1, number)])
    values[::17], values[3::29] = kind.bits([np.nan])[0], kind.bits([0.0])[0]
    return values


def _clipped(value, low=0.0, high=1.0):
    return 0.0 if math.isnan(value) else min(max(value, low), high)


def _forms(kind, a, b, c):
    """The rows of forms() for three numbers."""

    def of(*parts):
        """The sum of products, rounded once."""
        if any(math.isnan(part) for pair in parts for part in pair):
            return math.nan
        return kind.rounded(sum(math.prod(map(Fraction, pair)) for pair in parts))

    either = math.isnan(a) or math.isnan(b)
    least = b if math.isnan(a) else a if math.isnan(b) else min(a, b)
    most = b if math.isnan(a) else a if math.isnan(b) else max(a, b)
    fused = of((a, b), (c, 1.0))
    return [
        _clipped(of((a, 1.0), (b, 1.0))), _clipped(of((a, 1.0), (b, -1.0))), _clipped(of((a, b))), _clipped(fused),
        math.nan if math.isnan(fused) else max(fused, 0.0), fused, math.nan if either else least, math.nan if either else most, least, most,
    ]  # fmt: skip


def _tests(a, b):
    ordered = [a == b, a == a and b == b and a != b, a < b, a <= b, a > b, a >= b]
    unordered = [not (a == a and b == b) or test for test in ordered]
    return [*ordered, *unordered, a != a]


def _check_numbers(kind, place, expected):
    def check(results):
        np.testing.assert_array_equal(kind.read(results[place]), expected)

    return check


def _single(rng, kind):
    x, y, z = (_numbers(rng, kind) for _ in range(3))
    y[::11] = x[::11]
    triples = list(zip(*(kind.read(values).tolist() for values in (x, y, z)), strict=True))
    bits = np.array([sum(test << at for at, test in enumerate(_tests(a, b))) for a, b, _ in triples], np.uint32)
    run = Run(
        [x, y, z, np.zeros((10, N), kind.dtype), np.zeros(N, np.uint32), np.int32(N)], {4: bits}, grid=4, block=128
    )
    run.check = _check_numbers(kind, 3, np.array([_forms(kind, *triple) for triple in triples]).T)
    return run


@case(toolkit=True)
def half_forms(rng):
    return _single(rng, HALF)


@case(toolkit=True)
def bfloat_forms(rng):
    return _single(rng, BFLOAT)


@case(toolkit=True)
def half_pair_forms(rng):
    x, y, z = (_numbers(rng, HALF, 2 * N).reshape(N, 2) for _ in range(3))
    y[::7] = x[::7]
    a, b, c = (HALF.read(values) for values in (x, y, z))
    parts = [
        _forms(HALF, *triple) for triple in zip(a.ravel().tolist(), b.ravel().tolist(), c.ravel().tolist(), strict=True)
    ]
    added, relu, most = (np.array([row[at] for row in parts]).reshape(N, 2) for at in (0, 4, 7))
    below = (np.isnan(a) | np.isnan(b) | (a < b)).astype(np.float64)

    def fused(p, q, r):
        either = np.isnan(p) | np.isnan(q) | np.isnan(r)
        rows = zip(np.nan_to_num(p), np.nan_to_num(q), np.nan_to_num(r), strict=True)
        found = [HALF.rounded(Fraction(float(i)) * Fraction(float(j)) + Fraction(float(k))) for i, j, k in rows]
        return np.where(either, np.nan, found)

    real = fused(-a[:, 1], b[:, 1], fused(a[:, 0], b[:, 0], c[:, 0]))
    imaginary = fused(a[:, 1], b[:, 0], fused(a[:, 0], b[:, 1], c[:, 1]))
    above, not_above = a > b, ~(a > b)
    masks = [(test[:, 0] * 0xFFFF + test[:, 1] * 0xFFFF0000).astype(np.uint32) for test in (above, not_above)]
    both = above.all(axis=1) + 2 * not_above.all(axis=1) + 4 * (~(a == b)).all(axis=1)
    run = Run(
        [x, y, z, np.zeros((5, N, 2), HALF.dtype), np.zeros((3, N), np.uint32), np.int32(N)], {4: np.stack([*masks, both.astype(np.uint32)])},
        grid=4, block=128,
    )  # fmt: skip
    run.check = _check_numbers(HALF, 3, np.stack([added, relu, np.stack([real, imaginary], axis=1), most, below]))
    return run


def _saturated(value, mode, low, high):
    if math.isinf(value):
        return high if value > 0 else low
    roundings: dict[Any, Callable[[float], int]] = {
        NEAREST: round,
        TO_ZERO: math.trunc,
        DOWN: math.floor,
        UP: math.ceil,
    }
    whole = roundings[mode](value)
    return min(max(whole, low), high)


def _conversions(rng, kind):
    x = (rng.normal(0, 1, N) * 2.0 ** rng.integers(-30, 20, N)).astype(np.float32)
    whole = (rng.integers(-(2**62), 2**62, N) >> rng.integers(0, 62, N)).astype(np.int64)
    # Numbers just beside the middle between two of bfloat16, which a double cannot tell from the middle.
    whole[:4] = [(2**62) + 2**54 + 1, (2**62) + 2**54 - 1, -(2**62) - 2**54 - 1, 2**62 + 2**54]
    modes = (NEAREST, TO_ZERO, DOWN, UP)
    rows = [[kind.rounded(Fraction(float(value)), mode) for value in x] for mode in modes]
    rows += [[kind.rounded(Fraction(value), mode) for value in whole.tolist()] for mode in modes]
    rows.append([kind.rounded(Fraction(value), DOWN) for value in whole.astype(np.int32).tolist()])
    rows.append([kind.rounded(Fraction(value), UP) for value in whole.astype(np.uint32).tolist()])
    limits = [
        (NEAREST, -(2**31), 2**31 - 1), (DOWN, -(2**31), 2**31 - 1), (UP, 0, 2**32 - 1), (TO_ZERO, -(2**15), 2**15 - 1),
        (NEAREST, -(2**63), 2**63 - 1), (DOWN, 0, 2**64 - 1), (TO_ZERO, -128, 127), (TO_ZERO, 0, 255),
    ]  # fmt: skip
    back = np.array(
        [[_saturated(value, *limit) & (2**64 - 1) for value in rows[0]] for limit in limits], np.uint64
    ).view(np.int64)
    run = Run(
        [x, whole, np.zeros((10, N), kind.dtype), np.zeros((8, N), np.int64), np.int32(N)], {3: back}, grid=4, block=128
    )
    run.check = _check_numbers(kind, 2, np.array(rows))
    return run


@case(toolkit=True)
def half_conversions(rng):
    return _conversions(rng, HALF)


@case(toolkit=True)
def bfloat_conversions(rng):
    return _conversions(rng, BFLOAT)
