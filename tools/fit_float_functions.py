"""Writes the numbers of the CPU runtime's functions of floats and doubles: polynomials and multiples of 2/pi.

    pip install mpmath
    python tools/fit_float_functions.py

Each polynomial meets its function at Chebyshev's nodes, worked out with 50 digits and then rounded to doubles; the
greatest relative error is printed, and has to be small beside half a unit in the last place of the result: 2**-25 of a
float, 2**-54 of a double. The functions that use them are in `device/prelude/float_*.h` and `double_*.h`; tests compare
these with the C library in double precision and in that of a long double.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import mpmath  # type: ignore[import-not-found, unused-ignore]  # only this needs it, so the tests do not install it
from mpmath import mp

PRELUDE = Path(__file__).parents[1] / "hip_on_host/device/prelude"
#: Powers of two by which angles are divided before they are reduced: below 2**50 by none.
SCALES = (0, 26, 52, 78)
#: The argument at which erfc's own becomes zero: x = ERFC_MIDDLE * (1 + t) / (1 - t).
ERFC_MIDDLE = mpmath.mpf("2.5")


class Fit(NamedTuple):
    """A function of numbers between two ends, and how many terms its polynomial has."""

    name: str
    said: str
    function: Callable[[Any], Any]
    begin: float
    end: float
    terms: int


def of_root(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """An odd function divided by its argument, as a function of the argument's square."""
    return lambda z: function(mp.sqrt(z)) / mp.sqrt(z)


def scaled_erfc(t: Any) -> Any:
    x = ERFC_MIDDLE * (1 + t) / (1 - t)
    return mp.exp(x * x) * mp.erfc(x) * (1 + 2 * x)


def fits() -> list[Fit]:
    narrow = float(((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2) * 1.0001
    begin, end = (float((x - ERFC_MIDDLE) / (x + ERFC_MIDDLE)) for x in (1, mpmath.mpf("10.1")))
    half_turn = mp.pi / 2
    return [
        Fit("exp2m1", "(2^t - 1) / t, |t| <= 1/2", lambda t: mp.expm1(t * mp.log(2)) / t, -0.5, 0.5, 7),
        Fit(
            "log",
            "log((1 + s) / (1 - s)) / s of s^2, |s| <= 0.1716",
            of_root(lambda s: 2 * mp.atanh(s)),
            0,
            narrow,
            6,
        ),
        Fit("sin", "sin(q pi/2) / q of q^2, |q| <= 1/2", of_root(lambda q: mp.sin(half_turn * q)), 0, 0.25, 5),
        Fit(
            "cos",
            "(cos(q pi/2) - 1) / q^2 of q^2, |q| <= 1/2",
            lambda z: -2 * mp.sin(half_turn * mp.sqrt(z) / 2) ** 2 / z,
            0,
            0.25,
            5,
        ),
        Fit("atan", "atan(x) / x of x^2, |x| <= 1", of_root(mp.atan), 0, 1, 12),
        Fit("asin", "asin(x) / x of x^2, |x| <= 1/2", of_root(mp.asin), 0, 0.25, 8),
        Fit("erf", "erf(x) / x of x^2, |x| <= 1", of_root(mp.erf), 0, 1, 8),
        Fit(
            "erfc",
            f"exp(x^2) erfc(x) (1 + 2 x) of (x - {ERFC_MIDDLE}) / (x + {ERFC_MIDDLE}), 1 <= x <= 10.1",
            scaled_erfc,
            begin,
            end,
            11,
        ),
    ]


def double_fits() -> list[Fit]:
    """The polynomials of doubles: the terms before them are exact in the functions."""
    narrow = float(((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2) * 1.0001
    half = float(mp.log(2) / 2) * 1.0001
    third, quarter_turn = mp.mpf(2) / 3, float(mp.pi / 4) ** 2 * 1.0001
    log_rest = of_root(lambda s: 2 * mp.atanh(s))
    return [
        Fit("double_exp", "(e^t - 1 - t) / t^2, |t| <= log(2) / 2", lambda t: mp.hyp1f1(1, 3, t) / 2, -half, half, 11),
        Fit("double_log", "log((1 + s) / (1 - s)) / s - 2, by s^2, of s^2, |s| <= 0.1716",
            lambda z: (log_rest(z) - 2) / z, 0, narrow, 8),
        Fit("double_log_further", "the same without its first term, by s^2 again",
            lambda z: ((log_rest(z) - 2) / z - third) / z, 0, narrow, 8),
        Fit("double_sin", "(sin(x) - x) / x^3 of x^2, |x| <= pi/4",
            lambda z: (of_root(mp.sin)(z) - 1) / z, 0, quarter_turn, 7),
        Fit("double_cos", "(cos(x) - 1 + x^2 / 2) / x^4 of x^2, |x| <= pi/4",
            lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, 0, quarter_turn, 7),
    ]  # fmt: skip


def coefficients(fit: Fit) -> tuple[list[float], float]:
    """The polynomial's coefficients from the lowest on, and the exponent of two of its greatest relative error."""
    middle, half = (mp.mpf(fit.begin) + fit.end) / 2, (mp.mpf(fit.end) - fit.begin) / 2
    nodes = [middle + half * mp.cos(mp.pi * (2 * k + 1) / (2 * fit.terms)) for k in range(fit.terms)]
    powers = mp.matrix([[node**power for power in range(fit.terms)] for node in nodes])
    solved = [float(value) for value in mp.lu_solve(powers, mp.matrix([fit.function(node) for node in nodes]))]
    between = [middle + half * (mp.mpf(k) + mp.mpf("0.5")) / 500 for k in range(-500, 500)]
    worst = max(
        abs(mp.polyval([mp.mpf(value) for value in reversed(solved)], x) / fit.function(x) - 1) for x in between
    )
    return solved, float(mp.log(worst, 2))


def turns() -> list[tuple[float, float]]:
    """2^e 2/pi for each scale, without whole turns (multiples of 4), as sums of two doubles."""
    found = []
    for exponent in SCALES:
        exact = mp.mpf(2) ** exponent * 2 / mp.pi
        exact -= 4 * mp.nint(exact / 4)
        high = float(exact)
        found.append((high, float(exact - mp.mpf(high))))
    return found


def double_turns() -> list[list[float]]:
    """2^(32 row) 2/pi without whole turns, as sums of four doubles."""
    rows = []
    for row in range(31):
        exact = mp.mpf(2) ** (32 * row) * 2 / mp.pi
        exact -= 4 * mp.nint(exact / 4)
        parts: list[float] = []
        for _ in range(4):
            parts.append(float(exact))
            exact -= mp.mpf(parts[-1])
        rows.append(parts)
    return rows


def written(title: str, all_fits: list[Fit]) -> list[str]:
    """The lines of a header with the polynomials."""
    lines = [f"// Written by tools/fit_float_functions.py: the numbers that {title} are made of.", "#pragma once"]
    for fit in all_fits:
        values, error = coefficients(fit)
        print(f"{fit.name}: 2^{error:.1f}")
        lines += [
            "",
            f"// {fit.said}",
            f"static constexpr double cuda_shim_{fit.name}_coefficients[] = {{",
            *(f"    {value.hex()}," for value in values),
            "};",
        ]
    return lines


def main() -> None:
    mp.dps = 50
    lines = written("the float functions", fits())
    doubles = written("the double functions", double_fits())
    mp.dps = 90
    lines += [
        "",
        f"// 2^e 2/pi without multiples of 4, high and low part, for e = {', '.join(map(str, SCALES))}",
        f"static constexpr double cuda_shim_turns[{len(SCALES)}][2] = {{",
        *(f"    {{{high.hex()}, {low.hex()}}}," for high, low in turns()),
        "};",
    ]
    mp.dps = 400
    doubles += [
        "",
        "// 2^(32 row) 2/pi without multiples of 4, in four parts",
        "static constexpr double cuda_shim_double_turns[31][4] = {",
        *(f"    {{{', '.join(part.hex() for part in parts)}}}," for parts in double_turns()),
        "};",
    ]
    for name, text in (("float", lines), ("double", doubles)):
        (PRELUDE / f"{name}_coefficients.h").write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
