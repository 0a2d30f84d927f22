"""Kernels with hidden meanings give the results of their threads one by one, and of a GPU.

`python -m tests.hip_on_host.hidden_meanings --compiler g++` compares them all, each in a program of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hip_on_host import hidden_meanings, record_gpu
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.hip_on_host.program_outcomes import DEFAULT, FIBRES, Program, Runner, differences
from tests.hip_on_host.test_fuzz_kernels import COMPILERS
from tests.kernels import compilers

FILES = hidden_meanings.files()
TOGETHER = 7  # kernels in one program: starting the compiler costs as much as a few of them

#: Each part of a file, and by turns one of the compilers.
PARTS = {
    f"{name}-{place}": (name, place, number)
    for number, (name, file, place) in enumerate(
        (name, file, place)
        for name, file in FILES.items()
        for place in range(len(file.programs(TOGETHER)))
    )
}  # fmt: skip


@pytest.fixture(scope="module")
def runners(runtime_folder: Path) -> Iterator[dict[str, Runner]]:
    """Runners of programs by the compiler's name."""
    made = {name: Runner(runtime_folder, command) for name in COMPILERS if (command := find_compiler(name))}
    made[""] = Runner(runtime_folder)
    yield made
    for runner in made.values():
        runner.close()


def test_there_are_enough_kernels() -> None:
    names = [kernel for file in FILES.values() for kernel in file.kernels]
    assert len(names) >= 250
    assert sum(file.source.count("\nextern \"C\" __global__") + file.source.count("\nKERNEL(") for file in FILES.values()) == len(names)  # fmt: skip


@pytest.mark.parametrize("layout", sorted(compilers.WHEELS.values()))
@pytest.mark.parametrize("name", FILES)
def test_nvrtc_takes(name: str, layout: str) -> None:
    compiler = compilers.nvrtc().get(layout)
    if compiler is None:
        pytest.skip(f"NVRTC {layout} is not installed")
    options = [b"-arch=compute_80", *(option.encode() for option in hidden_meanings.NVRTC_OPTIONS)]
    done = compiler.compile(FILES[name].source.encode(), f"{name}.cu".encode(), options)
    assert done.status == 0, done.log


#: The others are compared by test_every_compiler_gives_what_the_threads_give.
@pytest.mark.parametrize("part", list(PARTS)[::3])
def test_the_default_form_gives_what_the_threads_give(runners: dict[str, Runner], part: str) -> None:
    name, place, number = PARTS[part]
    found = sorted(name for name in runners if name)
    check(runners, found[number % len(found)], name, FILES[name].programs(TOGETHER)[place])


@pytest.mark.long
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", FILES)
def test_every_compiler_gives_what_the_threads_give(runners: dict[str, Runner], name: str, compiler: str) -> None:
    if compiler not in runners:
        pytest.skip(f"no {compiler} here")
    for program in FILES[name].programs(1):
        check(runners, compiler, name, program)


def test_a_gpu_ran_nearly_all_of_them() -> None:
    kernels = {f"{name}/{kernel}" for name, file in FILES.items() for kernel in file.kernels}
    recorded = record_gpu.recorded_kernels("hidden_meanings")
    assert len(kernels & recorded) >= 370
    assert recorded <= kernels


def check(runners: dict[str, Runner], compiler: str, name: str, program: Program) -> None:
    """Compare the default form with the threads' own, and both with a GPU's recorded results."""
    expected = runners[""].outcomes(program, FIBRES)
    found = runners[compiler].outcomes(program, DEFAULT)
    assert differences(program, found, expected) == {}, compiler
    assert record_gpu.differing(f"hidden_meanings/{name}", program, found) == []
