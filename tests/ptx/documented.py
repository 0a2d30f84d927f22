"""Errors that PTX's documentation allows approximate results, and forms in which an H200 exceeds them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

__all__ = ["DEVIATIONS", "may_differ"]

_SINE = "the maximum absolute error over [-2pi, 2pi] is 2^-20.5"
_UPPER = "computed for the upper 32 bits, of which 20 are of the mantissa; the lower 32 bits are zero"
_HALF_TANH = "the maximum absolute error is 2^-10.987"
_BFLOAT_TANH = "the maximum absolute error is 2^-8"


@dataclass(frozen=True)
class _Error:
    """An error that the PTX ISA states for the forms that begin with a prefix; .ftz is left out of it.

    Attributes:
        said: the ISA's sentence.
        relative, absolute: the greatest one.
        ulps: the same in units in the last place.
        to: the greatest operand that the sentence holds for.
    """

    prefix: str
    said: str
    relative: float = 0.0
    absolute: float = 0.0
    ulps: int = 0
    to: float = math.inf


# A form's error is the first entry whose prefix fits. For sines of far greater angles the ISA promises nothing.
_ERRORS = (
    _Error("cos.approx.f32", _SINE, absolute=2.0**-20.5, to=2 * math.pi),
    _Error("div.approx.f32", "for |b| in [2^-126, 2^126] the maximum ulp error is 2", ulps=2),
    _Error("div.full.f32", "the maximum ulp error is 2 across the full range of inputs", ulps=2),
    _Error("ex2.approx.bf16", "the maximum relative error is 2^-7", relative=2.0**-7),
    _Error("ex2.approx.f16", "the maximum relative error is 2^-9.9", relative=2.0**-9.9),
    _Error("ex2.approx.f32", "the maximum ulp error is 2 from the correctly rounded result", ulps=2),
    _Error("lg2.approx.f32", "absolute error 2^-22 in (0.5, 2), relative error 2^-22 elsewhere", 2.0**-22, 2.0**-22),
    _Error("rcp.approx.f32", "the maximum ulp error is 1 across the full range of inputs", ulps=1),
    _Error("rcp.approx.f64", _UPPER, relative=2.0**-20),
    _Error("rsqrt.approx.f32", "the maximum relative error is 2^-22.9", relative=2.0**-22.9),
    _Error("rsqrt.approx.ftz.f64", _UPPER, relative=2.0**-20),
    _Error("rsqrt.approx.f64", "emulated in software; of CUDA's rsqrt the maximum ulp error is 1", ulps=1),
    _Error("sin.approx.f32", _SINE, absolute=2.0**-20.5, to=2 * math.pi),
    _Error("sqrt.approx.f32", "the maximum relative error is 2^-23", relative=2.0**-23),
    _Error("tanh.approx.bf16", _BFLOAT_TANH, absolute=2.0**-8),
    _Error("tanh.approx.f16", _HALF_TANH, absolute=2.0**-10.987),
    _Error("tanh.approx.f32", "the maximum relative error over the entire range is 2^-11", relative=2.0**-11),
)
_BITS = {"f64": 52, "f32": 23, "f16": 10, "bf16": 7}
_LEAST = {"f64": -1022, "f32": -126, "f16": -14, "bf16": -126}

_NOT_FLUSHED = "the ISA has .ftz flush single precision operands; the H200 rounds the denormal number away from zero"
DEVIATIONS = {
    "cvt.rm.ftz.f16.f32": _NOT_FLUSHED,
    "cvt.rp.ftz.f16.f32": _NOT_FLUSHED,
    "cvt.rp.ftz.sat.f16.f32": _NOT_FLUSHED,
}
"""The behaviour of an H200 that differs from the PTX ISA, by form; translated PTX follows the H200."""


def may_differ(opcode: str, kind: str, greatest: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Return by how much results of a type may differ: the stated error, and the rounding of the one that is compared.

    Args:
        greatest: the greatest absolute operand of each result.
        exact: the results.
    """
    deviations = next(
        error
        for error in _ERRORS
        if opcode.startswith(error.prefix) or opcode.replace(".ftz", "").startswith(error.prefix)
    )
    size = np.where(np.isfinite(exact), abs(exact), 0.0)
    exponent = np.maximum(np.frexp(size)[1] - 1, _LEAST[kind])
    unit = np.ldexp(1.0, exponent - _BITS[kind])
    room = deviations.relative * size + deviations.absolute + (deviations.ulps + 1) * unit
    return np.where(greatest <= deviations.to, room, np.inf)
