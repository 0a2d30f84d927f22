"""Ranges that NVVM unrolled are one loop again where that is proven, and compute the same as plain dispatch."""

from __future__ import annotations

import re

import pytest

from cuda_shim.translate.ptx.writer import translate
from tests.ptx.random_unrolled import CHANGES, RIGHT, module
from tests.ptx.test_induction import compared

_LOOP = re.compile(r"for \(long long (reg_counter\d_1) = .*; \1 < .*; \1 \+= .*\) {")


@pytest.mark.parametrize("seed", range(40))
def test_the_loop_that_was_meant_is_found(seed):
    text = translate(module([seed], RIGHT)).source
    assert _LOOP.search(text), text
    # Limits beyond 2^58 still take the unrolled code.
    assert "<= 0x400000000000000ull" in text


@pytest.mark.parametrize("place", range(len(CHANGES)), ids=[change.replace(" ", "_") for change in CHANGES])
def test_what_does_something_else_stays_as_it_is(place):
    for seed in range(20):
        assert "reg_counter" not in translate(module([seed], place)).source, seed


def test_a_number_of_such_a_loop_is_not_below_zero():
    text = translate(module([3], RIGHT)).source
    loop = re.split(_LOOP, text)[-1].partition("}")[0]
    assert "* 31" in loop or "& 31" in loop
    assert ">> 63" not in loop


def test_random_ranges_compute_what_dispatch_does(any_shim_python, tmp_path):
    compared(any_shim_python, tmp_path, range(100), module)


@pytest.mark.long
def test_ten_thousand_random_ranges(any_shim_python, tmp_path):
    compared(any_shim_python, tmp_path, range(1000, 11_000), module)
