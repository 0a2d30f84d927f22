"""C's arithmetic on special values, in the forms that compilers fold: by constants, by identities, by types.

Each expression meets every pair of special values at run time. On an NVIDIA GPU, with NVIDIA's own CUDA Python, the
results are recorded:

    CUDA_INCLUDE=folder/of/cuda_fp16.h python -m tests.kernels.folds record tests/kernels/folds.npz

With the shim in its place each expression is printed that is not as recorded, with its operands:

    python -m cuda_shim run --backend cpu -m tests.kernels.folds compare tests/kernels/folds.npz

The same without a recording, beside the expressions whose constants are read from memory, where nothing can be folded:

    python -m cuda_shim run --backend cpu -m tests.kernels.folds compare
"""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

IN_ONE = 60
INTEGERS = np.array([0, 1, -1, 5, -(2**31), 2**31 - 1, 2**24 + 1], np.int32)


class Type(NamedTuple):
    """A floating-point type: its names, how a constant is written, and a type of numpy's."""

    name: str
    constant: str
    numpy: Any
    #: The relative tolerance of an inexact function to the GPU's.
    relative: float

    @property
    def bits(self) -> np.dtype[Any]:
        return np.dtype(f"u{np.dtype(self.numpy).itemsize}")


FLOAT = Type("float", "__int_as_float((int){0:#x}u)", np.float32, 2e-6)
DOUBLE = Type("double", "__longlong_as_double((long long){0:#x}ull)", np.float64, 1e-14)
HALF = Type("__half", "__ushort_as_half((unsigned short){0:#x}u)", np.float16, 2e-3)
TYPES = (FLOAT, DOUBLE, HALF)


def special_bits(type_: Type) -> dict[str, int]:
    """The values that constants have, by their names."""
    numbers = {"0": 0.0, "-0": -0.0, "1": 1.0, "-1": -1.0, "inf": np.inf, "-inf": -np.inf}
    found = {name: int(np.array(value, type_.numpy).view(type_.bits)) for name, value in numbers.items()}
    mantissa = np.finfo(type_.numpy).nmant
    quiet = found["inf"] | 1 << (mantissa - 1)
    return {**found, "nan": quiet, "snan": found["inf"] | 1 << (mantissa - 2), "denormal": 3}


def operands(type_: Type) -> tuple[Array, Array]:
    """Every pair of special and of plain values."""
    limits: Any = np.finfo(type_.numpy)
    plain = np.array([0.5, -2.5, 3, 0.1, limits.max, -limits.tiny, 2 * limits.tiny], type_.numpy).view(type_.bits)
    values = np.concatenate((np.array(list(special_bits(type_).values()), type_.bits), plain))
    left, right = np.meshgrid(values, values, indexing="ij")
    return np.ascontiguousarray(left.ravel()), np.ascontiguousarray(right.ravel())


class Expression(NamedTuple):
    """An expression of x, y and the integer i, in C++'s words, and whether its result is one rounding away from exact."""

    text: str
    exact: bool = True


def expressions(type_: Type) -> list[Expression]:
    """All of them: operators, conversions, comparisons, choices, identities and functions."""
    constants = [type_.constant.format(bits) for bits in special_bits(type_).values()]
    found = [Expression(text) for text in _operators(type_, constants)]
    found += [Expression(text) for text in _choices(type_, constants)]
    return found + (_functions(type_, constants) if type_ is not HALF else _half_functions(constants))


def _operators(type_: Type, constants: list[str]) -> Iterator[str]:
    of_integer = f"{type_.name}(i)" if type_ is not HALF else "__int2half_rn(i)"
    for sign in "+-*/":
        yield f"x {sign} y"
        yield f"-(x {sign} y)"
        yield f"x {sign} x"
        yield f"x {sign} -x"
        yield f"-x {sign} -y"
        for constant in constants:
            yield f"x {sign} {constant}"
            yield f"{constant} {sign} x"
            yield f"-(x {sign} {constant})"
            yield f"{constant} {sign} -x"
            yield f"{constant} {sign} {of_integer}"
            yield f"{of_integer} {sign} {constant}"
        for one, other in itertools.product(constants, constants):
            yield f"{one} {sign} {other}"
    for constant in constants:
        yield f"(x + {constant}) - {constant}"
        yield f"(x - {constant}) + {constant}"
        yield f"(x * {constant}) / {constant}"
        yield f"{constant} - ({constant} - x)"
        yield f"x * {constant} + y * {constant}"
        yield f"x * {constant} - x"
    yield "-(-x)"
    yield "(x + y) - y"
    yield "(x - y) + (y - x)"
    yield f"-{of_integer}"
    yield f"{of_integer} - {of_integer}"
    if type_ is FLOAT:
        for sign in "+-*/":
            yield f"float((double)x {sign} (double)y)"
        yield "float((double)x)"
        yield "__half2float(__float2half(x))"
    if type_ is DOUBLE:
        yield "double((float)x)"
        yield "double((float)x + (float)y)"


def _choices(type_: Type, constants: list[str]) -> Iterator[str]:
    zero = type_.constant.format(0)
    one = type_.constant.format(special_bits(type_)["1"])
    for sign in ("<", "<=", ">", ">=", "==", "!="):
        for other in ["x", "y", *constants]:
            yield f"x {sign} {other} ? {one} : {zero}"
            yield f"!(x {sign} {other}) ? {one} : {zero}"
            if other != "x":
                yield f"x {sign} {other} ? x : {other}"
                yield f"x {sign} {other} ? {other} : x"
        yield f"x {sign} {zero} ? x : -x"
        yield f"x {sign} {zero} ? -x : x"
        yield f"{constants[0]} {sign} x ? y : x"
    yield f"x - y == {zero} ? {one} : {zero}"
    yield f"x - y < {zero} ? {one} : {zero}"


_ROUNDING = ("fabs", "sqrt", "floor", "ceil", "trunc", "rint", "round", "nearbyint")
_INEXACT = (
    "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt", "erf", "erfc", "lgamma", "tgamma", "rsqrt",
)  # fmt: skip
_OF_TWO = ("fmax", "fmin", "copysign", "fmod", "remainder", "fdim", "nextafter")
_INEXACT_OF_TWO = ("pow", "hypot", "atan2")
_QUESTIONS = ("isnan", "isinf", "isfinite", "signbit")


def _functions(type_: Type, constants: list[str]) -> list[Expression]:
    suffix = "f" if type_ is FLOAT else ""
    found = []
    for name in (*_ROUNDING, *_INEXACT):
        exact = name in _ROUNDING
        texts = [f"{name}{suffix}({operand})" for operand in ["x", "-x", *constants]]
        found += [Expression(text, exact) for text in [*texts, f"-{name}{suffix}(x)"]]
    for name in (*_OF_TWO, *_INEXACT_OF_TWO):
        exact = name in _OF_TWO
        pairs = [("x", "y"), ("x", "x"), ("-x", "y")]
        pairs += [pair for constant in constants for pair in ((constant, "x"), ("x", constant))]
        pairs += list(itertools.product(constants[:2] + constants[4:], constants[2:8:2])) if exact else []
        found += [Expression(f"{name}{suffix}({one}, {other})", exact) for one, other in pairs]
    for name in _QUESTIONS:
        found += [Expression(f"{type_.name}({name}({text}) ? 1 : 0)") for text in ["x", "x - x", "x * y", *constants]]
    for one, other in (("x", "y"), *(("x", constant) for constant in constants)):
        found += [Expression(f"fma{suffix}({one}, {other}, {third})") for third in ("y", constants[0], constants[1])]
    return found


def _half_functions(constants: list[str]) -> list[Expression]:
    found = []
    for name in ("__hneg", "__habs", "hsqrt", "hfloor", "hceil", "htrunc", "hrint"):
        found += [Expression(f"{name}({operand})") for operand in ["x", "-x", *constants]]
    for name in ("__hmax", "__hmin", "__hmax_nan", "__hmin_nan", "__hadd_sat", "__hsub_sat", "__hmul_sat", "__hdiv"):
        pairs = [("x", "y"), *(pair for constant in constants for pair in ((constant, "x"), ("x", constant)))]
        found += [Expression(f"{name}({one}, {other})") for one, other in pairs]
    return found + [Expression(f"__hfma(x, {other}, y)") for other in ["y", *constants]]


def source(type_: Type, chosen: list[Expression], constants_in_memory: bool) -> str:
    """Return a program with a kernel for every few expressions: one result for each expression and thread."""
    kernels = ["#include <cuda_fp16.h>"] if type_ is not DOUBLE else []
    name = type_.name
    from_memory = {type_.constant.format(bits): f"s[{k}]" for k, bits in enumerate(special_bits(type_).values())}
    for number, first in enumerate(range(0, len(chosen), IN_ONE)):
        lines = [f"    out[{place} * n + t] = {one.text};" for place, one in enumerate(chosen[first : first + IN_ONE])]
        body = "\n".join(lines)
        for constant, place in from_memory.items() if constants_in_memory else ():
            body = body.replace(constant, place)
        kernels.append(
            f'extern "C" __global__ void k{number}(const {name}* a, const {name}* b, const int* c, const {name}* s,\n'
            f"                                    {name}* out, int n) {{\n"
            f"    const int t = blockIdx.x * blockDim.x + threadIdx.x, i = c[t];\n    const {name} x = a[t], y = b[t];\n"
            f"{body}\n}}"
        )
    return "\n".join(kernels)


def results(type_: Type, constants_in_memory: bool = False) -> Array:
    """Run the expressions of a type here: a row of bits for each."""
    from cuda.bindings import driver

    from tests.kernels.core_worker import begin, check
    from tests.kernels.values import compiled_for_device

    begin()
    chosen = expressions(type_)
    include = os.environ.get("CUDA_INCLUDE")
    options = ["--fmad=false", *([f"-I{include}"] if include else [])]
    text = source(type_, chosen, constants_in_memory)
    module = check(driver.cuModuleLoadData(compiled_for_device(text, "folds.cu", *options)))
    left, right = operands(type_)
    count = left.size
    rows = np.zeros((len(chosen), count), type_.bits)
    room = int(check(driver.cuMemAlloc(IN_ONE * left.nbytes)))
    places = []
    specials = np.array(list(special_bits(type_).values()), type_.bits)
    for array in (left, right, np.resize(INTEGERS, count), specials):
        places.append(int(check(driver.cuMemAlloc(array.nbytes))))
        check((*driver.cuMemcpyHtoD(places[-1], array.ctypes.data, array.nbytes), None))
    for number, first in enumerate(range(0, len(chosen), IN_ONE)):
        kernel = check(driver.cuModuleGetFunction(module, f"k{number}".encode()))
        arguments = (*places, room, count), (*(ctypes.c_void_p,) * 5, ctypes.c_int)
        check((*driver.cuLaunchKernel(kernel, 1, 1, 1, count, 1, 1, 0, 0, arguments, 0), None))
        part = rows[first : first + IN_ONE]
        check((*driver.cuMemcpyDtoH(part.ctypes.data, room, part.nbytes), None))
    for place in (*places, room):
        driver.cuMemFree(place)
    return rows


def differing(type_: Type, expression: Expression, expected: Array, actual: Array) -> Array:
    """Return a mask of differences: any NaN is a NaN, and inexact functions may round otherwise, within a kind."""
    one, other = expected.view(type_.numpy), actual.view(type_.numpy)
    different = (expected != actual) & ~(np.isnan(one) & np.isnan(other))
    if not expression.exact:
        plain = np.isfinite(one) & np.isfinite(other) & (one != 0) & (other != 0)
        near = np.zeros_like(different)
        near[plain] = np.abs(one[plain] / 2 - other[plain] / 2) <= type_.relative * np.abs(one[plain])
        different &= ~near
    return np.nonzero(different)[0]


def described(type_: Type, expression: Expression, expected: Array, actual: Array) -> str:
    """A line for an expression that is not as recorded, with the first operands; "" for one that is."""
    places = differing(type_, expression, expected, actual)
    if not places.size:
        return ""
    left, right = operands(type_)
    place = int(places[0])
    x, y, was, now = (array[place : place + 1].view(type_.numpy)[0] for array in (left, right, expected, actual))
    integer = np.resize(INTEGERS, left.size)[place]
    values = f"x = {x} ({left[place]:#x}), y = {y}, i = {integer}: {now}, expected {was}"
    return f"{type_.name}, {expression.text}: {places.size} of {expected.size}, {values}"


def main(what: str, file: str = "") -> int:
    """Record, or compare and return the number of expressions that differ."""
    if what == "record":
        recorded: dict[str, Any] = {type_.name: results(type_) for type_ in TYPES}
        np.savez_compressed(file, **recorded)
        print(", ".join(f"{len(rows)} of {name}" for name, rows in recorded.items()))
        return 0
    stored = np.load(file) if file else {type_.name: results(type_, constants_in_memory=True) for type_ in TYPES}
    count, different = 0, 0
    for type_ in TYPES:
        for expression, expected, actual in zip(expressions(type_), stored[type_.name], results(type_), strict=True):
            said = described(type_, expression, expected, actual)
            count += 1
            different += bool(said)
            if said:
                print(said)
    print(f"{count} expressions, {different} differ")
    return different


if __name__ == "__main__":
    raise SystemExit(1 if main(*sys.argv[1:]) else 0)
