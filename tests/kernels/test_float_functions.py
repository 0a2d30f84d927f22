"""Float functions that the prelude writes out are those of the C library in double precision, rounded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernels.prelude_functions import any_compiler, measured, require, with_mistake

SOURCE = Path(__file__).with_name("float_functions.cpp")
FUNCTIONS = 23
#: Half a unit in the last place is the cost of rounding.
MOST = 0.51


def are_right(found):
    assert len(found) == FUNCTIONS
    assert {name: values for name, values in found.items() if values[0] > MOST or values[1]} == {}


@pytest.mark.parametrize("compiler", ["clang++-19", "g++"])
def test_they_are_the_c_librarys(compiler, tmp_path):
    require(compiler)
    are_right(measured(compiler, tmp_path, 997, SOURCE))


def test_an_error_in_a_coefficient_is_seen(tmp_path):
    compiler = any_compiler()
    prelude = with_mistake(tmp_path, "float_coefficients.h", "0x1.3b2a1b", "0x1.3b3a1b")  # a coefficient of 2^t
    found = measured(compiler, tmp_path, 997, SOURCE, prelude)
    assert found["exp"][0] > MOST
    assert found["pow"][0] > MOST
    assert found["sin"][0] < MOST


@pytest.mark.long
def test_every_float(tmp_path):
    are_right(measured(any_compiler(), tmp_path, 1, SOURCE))
