import math

import numpy as np

from . import Run, case

ERF = np.vectorize(math.erf, otypes=[np.float64])
ERFC = np.vectorize(math.erfc, otypes=[np.float64])
GAMMA = np.vectorize(math.gamma, otypes=[np.float64])
LGAMMA = np.vectorize(math.lgamma, otypes=[np.float64])


def _integral(function, steps=4000):
    """The integral of a function of (x, angle) over 0..pi divided by pi, by the midpoint rule, which is exact here."""
    angles = (np.arange(steps) + 0.5) * np.pi / steps

    def of(x):
        return function(np.asarray(x)[:, None], angles[None, :]).mean(1)

    return of


J0 = _integral(lambda x, a: np.cos(x * np.sin(a)))


def _y1(x):
    """Y1 by its integrals: one over an angle, one that falls off exponentially."""
    angles = (np.arange(20000) + 0.5) * np.pi / 20000
    first = np.sin(x[:, None] * np.sin(angles) - angles).mean(1)
    t = (np.arange(40000) + 0.5) * 12 / 40000
    second = ((np.exp(t) - np.exp(-t)) * np.exp(-x[:, None] * np.sinh(t))).mean(1) * 12 / np.pi
    return first - second


def _erfinv(u):
    x = np.zeros_like(u)
    for _ in range(60):
        x -= (ERF(x) - u) / (2 / np.sqrt(np.pi) * np.exp(-x * x))
    return x


def _functions(x):
    y, u = np.abs(x) + 0.25, x / 8
    return np.stack(
        [
            np.sin(x), np.cos(x), np.tan(x), np.arcsin(u), np.arccos(u), np.arctan(x), np.arctan2(x, y),
            np.sinh(x), np.cosh(x), np.tanh(x), np.arcsinh(x), np.arccosh(y + 1), np.arctanh(u),
            np.exp(x), np.exp2(x), 10.0**x, np.expm1(u), np.log(y), np.log2(y), np.log10(y), np.log1p(y),
            np.sqrt(y), 1 / np.sqrt(y), np.cbrt(x), 1 / np.cbrt(y), y**x, np.hypot(x, y), 1 / np.hypot(x, y),
            ERF(x), ERFC(x), GAMMA(y), LGAMMA(y), np.sin(np.pi * np.remainder(x, 2)), np.cos(np.pi * np.remainder(x, 2)),
            np.sqrt(x * x + y * y + u * u), 1 / np.sqrt(x * x + y * y + u * u), np.sqrt(x * x + y * y + u * u + 4),
            x * y + u, 0.5 * ERFC(-x / np.sqrt(2)), _erfinv(u), np.sin(x) + np.cos(x),
            np.sin(np.pi * u) - np.cos(np.pi * u), np.exp(y * y) * ERFC(y), J0(y), _y1(y),
        ]
    )  # fmt: skip


@case()
def of_float(rng):
    x = rng.uniform(-4, 4, 300).astype(np.float32)
    expected = _functions(x.astype(np.float64)).astype(np.float32)
    return Run(
        [x, np.zeros(expected.shape, np.float32), np.int32(300)], {1: expected}, grid=3, block=128, rtol=4e-5, atol=2e-6
    )


@case()
def of_double(rng):
    x = rng.uniform(-4, 4, 300)
    expected = _functions(x)
    return Run([x, np.zeros(expected.shape), np.int32(300)], {1: expected}, grid=3, block=128, rtol=2e-7, atol=1e-8)


@case()
def exact(rng):
    x = (rng.integers(-64, 64, 200) / 8 + 0.0625).astype(np.float32)
    y = np.float32(1.75)
    mantissa, exponent = np.frexp(x)
    nearest = np.round(x / np.float64(y))
    away = np.where(x >= 0, np.floor(x + 0.5), np.ceil(x - 0.5))
    expected = np.stack(
        [
            np.floor(x), np.ceil(x), np.trunc(x), away, np.rint(x), np.rint(x), np.fmod(x, y), x - nearest * y,
            np.maximum(x - y, 0), np.maximum(x, y), x, np.copysign(y, x), np.nextafter(x, np.float32(100)), x * 8, x / 4,
            x - np.trunc(x), np.trunc(x), mantissa, x - nearest * y, np.floor(np.log2(np.abs(x))),
            np.abs(x) + np.abs(np.trunc(x)), np.clip(x, 0, 1),
        ]
    ).astype(np.float32)  # fmt: skip
    flags = 1 + 2 + 4 + 8 * (x < 0)
    whole = np.stack([exponent, exponent - 1, np.rint(x) + away * 1000, flags]).astype(np.int32)
    return Run(
        [x, np.zeros(expected.shape, np.float32), np.zeros(whole.shape, np.int32), np.int32(200)],
        {1: expected, 2: whole},
        grid=2,
        block=100,
    )


@case()
def fast(rng):
    x = rng.uniform(-3, 3, 256).astype(np.float32)
    d = x.astype(np.float64)
    y = np.abs(d) + 0.25
    expected = np.stack(
        [
            np.sin(d), np.cos(d), np.tan(d / 8), np.exp(d), 10.0**d, np.log(y + 2), np.log2(y + 2), np.log10(y + 2), y**d,
            d / y, 1 / np.sqrt(y), np.sqrt(y), 1 / y, d / y, np.sin(d) * np.cos(d),
        ]
    ).astype(np.float32)  # fmt: skip
    return Run(
        [x, np.zeros(expected.shape, np.float32), np.int32(256)], {1: expected}, grid=2, block=128, rtol=1e-4, atol=2e-6
    )


def _rounded(exact_values, direction, dtype):
    """The neighbours in `dtype` of values that are known exactly as (nearest, sign of the remainder)."""
    nearest, rest = exact_values
    up, down = np.nextafter(nearest, dtype(np.inf)), np.nextafter(nearest, dtype(-np.inf))
    if direction == "ru":
        return np.where(rest > 0, up, nearest)
    if direction == "rd":
        return np.where(rest < 0, down, nearest)
    if direction == "rz":
        return np.where((rest > 0) & (nearest < 0), up, np.where((rest < 0) & (nearest > 0), down, nearest))
    return nearest


def _exact(values, dtype):
    """Nearest numbers of `dtype` to fractions, and the side of them on which the fractions are."""
    nearest = np.array([dtype(float(v)) if dtype is np.float64 else _to_float(v) for v in values], dtype)
    from fractions import Fraction

    rest = np.array([(v > Fraction(float(r))) - (v < Fraction(float(r))) for v, r in zip(values, nearest, strict=True)])
    return nearest, rest


def _to_float(value):
    """The float nearest to a fraction: float(value) rounds to double first, so its neighbours are tried too."""
    from fractions import Fraction

    guess = np.float32(float(value))
    near = [guess, np.nextafter(guess, np.float32(np.inf)), np.nextafter(guess, np.float32(-np.inf))]
    return min(near, key=lambda f: (abs(Fraction(float(f)) - value), int(f.view(np.uint32)) & 1))


def _root(values, dtype):
    """Nearest roots, and the side of them on which the roots are."""
    from fractions import Fraction

    nearest = np.sqrt(values.astype(np.longdouble)).astype(dtype)
    rest = np.array(
        [
            (Fraction(float(v)) > Fraction(float(r)) ** 2) - (Fraction(float(v)) < Fraction(float(r)) ** 2)
            for v, r in zip(values, nearest, strict=True)
        ]
    )
    return nearest, rest


@case(options=("--fmad=false",))
def rounding(rng):
    from fractions import Fraction

    n = 200
    a, b = rng.uniform(-9, 9, n).astype(np.float32), rng.uniform(0.1, 9, n).astype(np.float32)
    p, q = rng.uniform(-9, 9, n), rng.uniform(0.1, 9, n)

    def fractions(values):
        return [Fraction(float(v)) for v in values]

    def each(function, *arrays):
        return [function(*row) for row in zip(*map(fractions, arrays), strict=True)]

    tenth, tenth_wide = Fraction(float(np.float32(0.1))), Fraction(0.1)
    f32, f64 = np.float32, np.float64
    sums, products = _exact(each(lambda x, y: x + y, a, b), f32), _exact(each(lambda x, y: x * y, a, b), f32)
    fused = _exact(each(lambda x, y: x * y + tenth, a, b), f32)
    rows = [_rounded(group, way, f32) for group in (sums, products, fused) for way in ("rn", "rz", "ru", "rd")]
    rows.append(_rounded(_exact(each(lambda x, y: x / y, a, b), f32), "rz", f32))
    rows.append(_rounded(_root(b, f32), "ru", f32))
    rows.append(_rounded(_exact(each(lambda y: 1 / y, b), f32), "rd", f32))
    rows.append(_rounded(_exact(each(lambda x, y: x - y, a, b), f32), "rz", f32))
    wide_sum, wide_product = _exact(each(lambda x, y: x + y, p, q), f64), _exact(each(lambda x, y: x * y, p, q), f64)
    wide_fused = _exact(each(lambda x, y: x * y + tenth_wide, p, q), f64)
    wide = [
        wide_sum[0], _rounded(wide_sum, "rz", f64), _rounded(wide_product, "ru", f64), _rounded(wide_product, "rd", f64),
        wide_fused[0], _rounded(wide_fused, "rd", f64), _rounded(_exact(each(lambda x, y: x / y, p, q), f64), "rz", f64),
        _rounded(_root(q, f64), "rd", f64),
    ]  # fmt: skip
    return Run(
        [a, b, np.zeros((16, n), f32), p, q, np.zeros((8, n)), np.int32(n)],
        {2: np.stack(rows), 5: np.stack(wide)},
        grid=2,
        block=128,
    )


@case(options=("--use_fast_math",))
def fast_keeps_infinities(rng):
    values = rng.integers(0, 100, 40).astype(np.float32)
    values[3] = np.nan
    expected = np.full(64, -7, np.float32)
    expected[:40] = np.where(np.isnan(values), -1, values)
    return Run([values, np.zeros(64, np.float32), np.int32(40)], {1: expected}, block=64)
