"""Double functions that the prelude writes out are right to one unit in the last place, beside the C library's long doubles."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernels.prelude_functions import PRELUDE, measured, require, with_mistake

SOURCE = Path(__file__).with_name("double_functions.cpp")
#: GCC has the C library's sine and cosine.
FUNCTIONS = {"clang++-19": 9, "g++": 7}
MAX_ERROR = 1.0


def errors(compiler, folder, count, prelude=PRELUDE):
    require(compiler)
    results = measured(compiler, folder, count, SOURCE, prelude)
    if not results:
        pytest.skip("the processor has no fused multiplication")
    assert len(results) == FUNCTIONS[compiler]
    return {name: values for name, values in results.items() if values[0] > MAX_ERROR or values[1]}


@pytest.mark.parametrize("compiler", FUNCTIONS)
def test_they_are_right_to_one_unit(compiler, tmp_path):
    assert errors(compiler, tmp_path, 400_000) == {}


@pytest.mark.long
@pytest.mark.parametrize("compiler", FUNCTIONS)
def test_many_arguments(compiler, tmp_path):
    assert errors(compiler, tmp_path, 20_000_000) == {}


@pytest.mark.parametrize(
    ("file", "before", "after", "functions"),
    [
        ("double_exponentials.h", "__builtin_fma(x.high, y.low, __builtin_fma(x.low, y.high, product.low))", "product.low", {"pow"}),
        ("double_exponentials.h", "sum.low + __builtin_fma(parts.exponent, CUDA_SHIM_LN_2_LOW, rest.low)", "rest.low", {"log"}),
        ("double_angles.h", "rest.low + most.low", "rest.low", {"sin", "cos"}),
    ],
)  # fmt: skip
def test_a_lost_rest_is_seen(file, before, after, functions, tmp_path):
    prelude = with_mistake(tmp_path, file, before, after)
    assert functions <= set(errors("clang++-19", tmp_path, 400_000, prelude))
