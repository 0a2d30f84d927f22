"""How far a function's value may lie from what an NVIDIA GPU has: not at all, but for what is said here."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

__all__ = ["differences"]


class Limit(NamedTuple):
    """What CUDA's documentation leaves open for functions whose names, or names with types, match.

    Attributes:
        names: a pattern that matches one whole.
        said: what the documentation says, or why a GPU's value is none to hold on to.
        ulps, absolute, relative: how far a value may be away: the greatest of the three.
        within: the greatest absolute argument for which anything is promised.
        any_tiny: whether a result below the least normal number may be any such number.
    """

    names: str
    said: str
    ulps: float = 0
    absolute: float = 0
    relative: float = 0
    within: float = np.inf
    any_tiny: bool = False


_FAST = "fast functions have errors of their own, and make denormal numbers zeros"
LIMITS = (
    Limit(r"__(sin|cos)f", f"{_FAST}: 2^-21 in [-pi, pi]", absolute=2.0**-20, within=np.pi),
    Limit(r"__tanf", f"{_FAST}: those of __sinf and __cosf", absolute=1e-5, relative=1e-5, within=1.0),
    Limit(
        r"__(log|log2|log10)f",
        f"{_FAST}: 2^-21.41 around 1, elsewhere 3 ulps",
        ulps=4,
        absolute=2.0**-20,
        any_tiny=True,
    ),
    Limit(r"__exp(10)?f", f"{_FAST}: 2 ulps, and more for great exponents", ulps=128, any_tiny=True),
    Limit(r"__tanhf", f"{_FAST}: 2^-11 of the result", relative=2.0**-10.9, any_tiny=True),
    Limit(r"__frsqrt_rn|rsqrtf?|__fdividef", "2 ulps", ulps=2),
    Limit(
        r"[jy][01]f?",
        "near their zeros absolute errors alone: 2.2e-6, of double precision 5e-12",
        ulps=16,
        absolute=4e-6,
    ),
    Limit(r"lgammaf?", "between -10 and -2.3 the error is larger than 6 ulps", ulps=64),
    Limit(r"pow\(\w+, int\)", "by products, whose errors add up", relative=2.0**-5, any_tiny=True),
    Limit(
        r"hypot|r?norm[34]d",
        "the greatest numbers' sum may be infinite on a GPU, and a NaN hide an infinite one",
        ulps=3,
    ),
    Limit(r"erfcinv|normcdfinv|cyl_bessel_i[01]|tgamma", "8 ulps or less", ulps=10),
)
#: What functions of C's mathematical library and their kind may differ by, in units in the last place.
_MATHEMATICS = 4.0


def differences(function: Any, given: list[Any], wanted: Any, found: Any) -> str:
    """Return how many values are not as recorded, with one of them; nothing where all are."""
    if wanted.dtype.kind != "f":
        # A cast makes a NaN the highest bit on a GPU where either type has 64 bits, and zero here.
        bad = (wanted != found) & ~(
            np.isnan(given[0]) if function.name.startswith("(") else np.zeros(found.shape, bool)
        )
    else:
        bad = ~_alike(function, given, wanted, found)
    if not bad.any():
        return ""
    at = int(np.nonzero(bad)[0][0])
    arguments = ", ".join(str(argument[at]) for argument in given)
    return f"{int(bad.sum())} of {bad.size}; of ({arguments}): {found[at]}, recorded: {wanted[at]}"


def _limit(function: Any) -> Limit:
    name = function.name
    for limit in LIMITS:
        if any(re.fullmatch(limit.names, known) for known in (name, f"{name}({', '.join(function.arguments)})")):
            return limit
    # What has a rounding mode of its own, or rounds nothing, is exact.
    mathematics = not name.startswith("__") and not re.fullmatch(
        r"(f?(abs|min|max)|l?l?abs|min|max|copysign|ceil|floor|trunc|round|rint|nearbyint|nextafter|fdim|fmod|remainder|sqrt|fma|"
        r"ldexp|scalbl?n|logb|saturate|fdivide)f?",
        name,
    )
    return Limit("", "", ulps=_MATHEMATICS if mathematics else 0)


def _alike(function: Any, given: list[Any], wanted: Any, found: Any) -> Any:
    """Return which values are as recorded, or as near as they have to be."""
    limit, bits = _limit(function), np.dtype(f"u{wanted.dtype.itemsize}")
    same = (wanted.view(bits) == found.view(bits)) | (np.isnan(wanted) & np.isnan(found))
    least = np.finfo(wanted.dtype).tiny
    with np.errstate(all="ignore"):
        size, distance = np.abs(wanted.astype(float)), np.abs(wanted.astype(float) - found.astype(float))
        allowed = np.maximum(limit.ulps * np.spacing(np.maximum(np.abs(wanted), least)), limit.absolute)
        allowed = np.maximum(allowed, limit.relative * size)
        open_ = _not_promised(function.name, given, found)
        if function.name == "__powf":
            exponent = np.abs(given[1] * np.log2(np.abs(given[0])))
            error = 2.0**-20 * (1 + np.abs(given[1]) + exponent)
            allowed, open_ = error * size, (error > 0.01) | (exponent > 127)
        near = np.isfinite(wanted) & np.isfinite(found) & (distance <= allowed)
        near &= (limit.absolute > 0) | (np.signbit(wanted) == np.signbit(found))
        if np.isfinite(limit.within):
            open_ = open_ | ~(np.abs(given[0]) <= limit.within)
        if limit.any_tiny:
            open_ = open_ | ((size < least) & (np.abs(found) <= 4 * least))
    return same | near | open_


def _not_promised(name: str, given: list[Any], found: Any) -> Any:
    """Return for which arguments a GPU's value is not what CUDA's documentation says."""
    if not re.fullmatch(r"hypot|r?norm[34]d", name):
        return np.zeros(found.shape, bool)
    infinite = np.any([np.isinf(one) for one in given], axis=0)
    return (infinite & np.isinf(found)) | np.any([np.isfinite(one) & (np.abs(one) > 1e307) for one in given], axis=0)
