"""Rerolling: only proven ranges are one loop again, and they compute the same as plain dispatch (golden/reroll.ptx)."""

from __future__ import annotations

import pytest

from tests.ptx.loop_passes import run_loop_passes
from tests.ptx.random_reroll import CHANGES, RIGHT, module
from tests.ptx.test_induction import compared


@pytest.mark.parametrize("seed", range(40))
def test_the_loop_of_the_source_is_recovered(seed):
    passes = run_loop_passes(module([seed], RIGHT))
    assert len(passes.rerolled) == 1
    assert len(passes.counted_from(passes.rerolled[0])) == 1


@pytest.mark.parametrize("place", range(len(CHANGES)), ids=[change.replace(" ", "_") for change in CHANGES])
def test_loops_that_compute_something_else_stay_as_they_are(place):
    for seed in range(20):
        assert run_loop_passes(module([seed], place)).rerolled == [], seed


def test_random_ranges_compute_what_dispatch_does(any_shim_python, tmp_path):
    compared(any_shim_python, tmp_path, range(100), module)


@pytest.mark.long
def test_ten_thousand_random_ranges(any_shim_python, tmp_path):
    compared(any_shim_python, tmp_path, range(1000, 11_000), module)
