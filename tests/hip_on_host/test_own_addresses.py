"""Random objects that hold their own address give the results of the threads one by one, with every compiler.

``CUDA_SHIM_TEST_PROGRAMS`` sets the number of programs to try; hidden_meanings/own_addresses.cu has the situations by
name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hip_on_host import hiprtc_program, random_objects
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.hip_on_host.program_outcomes import DEFAULT, FIBRES, Runner, differences
from tests.hip_on_host.test_fuzz_kernels import COMPILERS

COUNT = int(os.environ.get("CUDA_SHIM_TEST_PROGRAMS", "12"))


@pytest.fixture(scope="module")
def runners(runtime_folder: Path) -> Iterator[list[Runner]]:
    """Runners of programs: with the default compiler, then with each other."""
    commands = ["", *(command for name in COMPILERS if (command := find_compiler(name)))]
    made = [Runner(runtime_folder, command) for command in commands]
    yield made
    for runner in made:
        runner.close()


@pytest.mark.parametrize("seed", range(COUNT))
def test_objects_are_where_they_were_made(runners: list[Runner], seed: int) -> None:
    program = random_objects.program(seed)
    runner = runners[1 + seed % (len(runners) - 1)]
    expected = runners[0].outcomes(program, FIBRES)
    assert differences(program, runner.outcomes(program, (*DEFAULT, "-O1")), expected) == {}, runner.compiler


def test_most_of_them_are_split(programs: hiprtc_program.Kernels) -> None:
    """Otherwise the comparison would show nothing."""
    forms = hiprtc_program.forms(programs.compile(random_objects.program(0).source, "-std=c++17", "-O0"))
    with_barriers = [split for barriers, split in forms.values() if barriers]
    assert len(with_barriers) >= random_objects.KERNELS - 1
    assert sum(with_barriers) >= 0.7 * len(with_barriers)
