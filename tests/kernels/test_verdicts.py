"""Small programs that NVRTC takes or refuses by the rules of CUDA C++: their signs are its verdicts."""

from __future__ import annotations

import pytest

from tests.kernels.verdicts import compare
from tests.kernels.verdicts.programs import NVRTC, programs

PROGRAMS = programs()
needs_nvrtc = pytest.mark.skipif(not compare.has_that_nvrtc(), reason=f"the verdicts are those of NVRTC {NVRTC}")


def test_both_signs_are_many() -> None:
    assert sum(program.taken for program in PROGRAMS) >= 1500
    assert sum(not program.taken for program in PROGRAMS) >= 1500


@needs_nvrtc
def test_a_part_of_the_signs_is_right() -> None:
    assert {program.line: log for program, log in compare.differences(PROGRAMS[::12])} == {}


@needs_nvrtc
@pytest.mark.long
def test_all_signs_are_right() -> None:
    assert {program.line: log for program, log in compare.differences(PROGRAMS)} == {}
