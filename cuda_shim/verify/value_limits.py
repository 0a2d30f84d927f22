"""Allowed distances of a device function's value from the value of an NVIDIA GPU: equal, but for these limits."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Signature", "is_alike"]


@dataclass(frozen=True)
class Limit:
    """The freedom that CUDA's documentation leaves to functions whose names, or names with types, match.

    Attributes:
        names: a pattern that matches one whole.
        reason: the documentation's words, or why a GPU's value is no reference.
        ulps, absolute, relative: how far a value may be away: the greatest of the three.
        within: the greatest absolute argument for which anything is promised.
        any_tiny: True if a result below the least normal number may be any such number.
    """

    names: str
    reason: str
    ulps: float = 0
    absolute: float = 0
    relative: float = 0
    within: float = math.inf
    any_tiny: bool = False


_FAST = "fast functions have errors of their own, and make denormal numbers zeros"
_LIMITS = (
    Limit(r"__(sin|cos)f", f"{_FAST}: 2^-21 in [-pi, pi]", absolute=2.0**-20, within=math.pi),
    Limit(r"__tanf", f"{_FAST}: those of __sinf and __cosf", absolute=1e-5, relative=1e-5, within=1.0),
    Limit(
        r"__(log|log2|log10)f", f"{_FAST}: 2^-21.41 around 1, elsewhere 3 ulps",
        ulps=4, absolute=2.0**-20, any_tiny=True,
    ),
    Limit(r"__exp(10)?f", f"{_FAST}: 2 ulps, and more for great exponents", ulps=128, any_tiny=True),
    Limit(r"__tanhf", f"{_FAST}: 2^-11 of the result", relative=2.0**-10.9, any_tiny=True),
    Limit(r"__frsqrt_rn|rsqrtf?|__fdividef", "2 ulps", ulps=2),
    Limit(
        r"[jy][01]f?", "near their zeros absolute errors alone: 2.2e-6, of double precision 5e-12",
        ulps=16, absolute=4e-6,
    ),
    Limit(r"lgammaf?", "between -10 and -2.3 the error is larger than 6 ulps", ulps=64),
    Limit(r"pow\(\w+, int\)", "by products, whose errors add up", relative=2.0**-5, any_tiny=True),
    Limit(
        r"hypot|r?norm[34]d", "the greatest numbers' sum may be infinite on a GPU, and a NaN hide an infinite one",
        ulps=3,
    ),
    Limit(r"erfcinv|normcdfinv|cyl_bessel_i[01]|tgamma", "8 ulps or less", ulps=10),
)  # fmt: skip
#: The allowed error of functions of C's mathematical library and their kind, in units in the last place.
_MATHEMATICS = 4.0
#: Functions with a rounding mode of their own, and those that round nothing, are exact.
_EXACT = re.compile(
    r"__\w*|(f?(abs|min|max)|l?l?abs|min|max|copysign|ceil|floor|trunc|round|rint|nearbyint|nextafter|fdim|fmod|remainder|"
    r"sqrt|fma|ldexp|scalbl?n|logb|saturate|fdivide)f?"
)
#: Digits of the significand and the exponent of the least normal number, by the element type of a result.
_FORMATS = {"<f4": (24, -126), "<f8": (53, -1022)}


@dataclass(frozen=True)
class Signature:
    """A device function: its name, "(int)" for a cast, and the types of its arguments, in C++'s words."""

    name: str
    arguments: tuple[str, ...]

    @classmethod
    @functools.cache
    def of(cls, text: str) -> Signature:
        """Return the signature that a text such as "float powf(float, float)" has."""
        declared = re.fullmatch(r"[\w ]+ (\w+|\([\w ]+\))\((.*)\)", text)
        if declared is None:
            raise ValueError(f"{text!r} declares no function")
        return cls(declared[1], tuple(declared[2].split(", ")))

    @property
    def is_cast(self) -> bool:
        """True for a conversion to an integer, written as a cast."""
        return self.name.startswith("(")


def is_alike(function: Signature, type_: str, arguments: Sequence[float], recorded: float, actual: float) -> bool:
    """Return whether a value is the recorded one, or as near to it as CUDA's documentation has it.

    Args:
        function: the function.
        type_: the element type of its result.
        arguments: the arguments of this value.
        recorded: the value on an NVIDIA GPU.
        actual: the value here.
    """
    if type_ not in _FORMATS:
        # A cast makes a NaN the highest bit on a GPU where either type has 64 bits, and zero here.
        return recorded == actual or (function.is_cast and math.isnan(arguments[0]))
    if math.isnan(recorded) and math.isnan(actual):
        return True
    if recorded == actual and math.copysign(1, recorded) == math.copysign(1, actual):
        return True
    return _is_near(function, type_, arguments, recorded, actual) or _is_open(
        function, type_, arguments, recorded, actual
    )


@functools.cache
def _limit(function: Signature) -> Limit:
    names = (function.name, f"{function.name}({', '.join(function.arguments)})")
    for limit in _LIMITS:
        if any(re.fullmatch(limit.names, name) for name in names):
            return limit
    return Limit("", "", ulps=0 if _EXACT.fullmatch(function.name) else _MATHEMATICS)


def _is_near(function: Signature, type_: str, arguments: Sequence[float], recorded: float, actual: float) -> bool:
    if not math.isfinite(recorded) or not math.isfinite(actual):
        return False
    limit = _limit(function)
    if limit.absolute == 0 and math.copysign(1, recorded) != math.copysign(1, actual):
        return False
    size = abs(recorded)
    if function.name == "__powf":
        allowed = _fast_power_error(arguments)[0] * size
    else:
        allowed = max(limit.ulps * _spacing(size, type_), limit.absolute, limit.relative * size)
    return abs(recorded - actual) <= allowed


def _is_open(function: Signature, type_: str, arguments: Sequence[float], recorded: float, actual: float) -> bool:
    """Return whether CUDA's documentation promises nothing for these arguments."""
    limit = _limit(function)
    if function.name == "__powf":
        error, exponent = _fast_power_error(arguments)
        return error > 0.01 or exponent > 127
    if math.isfinite(limit.within) and not abs(arguments[0]) <= limit.within:
        return True
    least = 2.0 ** _FORMATS[type_][1]
    if limit.any_tiny and abs(recorded) < least and abs(actual) <= 4 * least:
        return True
    if not re.fullmatch(r"hypot|r?norm[34]d", function.name):
        return False
    infinite = any(map(math.isinf, arguments)) and math.isinf(actual)
    return infinite or any(math.isfinite(one) and abs(one) > 1e307 for one in arguments)


def _fast_power_error(arguments: Sequence[float]) -> tuple[float, float]:
    """Return the relative error that __powf may have, and the size of the result's exponent."""
    base, power = abs(arguments[0]), arguments[1]
    logarithm = math.log2(base) if base > 0 else -math.inf if base == 0 else math.nan
    exponent = abs(power * logarithm)
    return 2.0**-20 * (1 + abs(power) + exponent), exponent


def _spacing(size: float, type_: str) -> float:
    """Return the distance from a number to the next one of a type, of which the least normal number has the least."""
    digits, least = _FORMATS[type_]
    exponent = max(math.frexp(size)[1] - 1, least) if size else least
    return 2.0 ** (exponent - digits + 1)
