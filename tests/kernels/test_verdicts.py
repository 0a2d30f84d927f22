"""Small programs that NVRTC takes or refuses by the rules of CUDA C++: their signs are its verdicts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.environments import Python
from tests.kernels.verdicts import compare
from tests.kernels.verdicts.programs import NVRTC, Program, programs

FOLDER = Path(__file__).resolve().parent / "verdicts"
PROGRAMS = programs()
#: Programs whose verdict here is not NVRTC's, each with this project's own as its sign.
DIFFERENCES = [line for line in (FOLDER / "differences.txt").read_text(encoding="utf-8").splitlines() if line[0] != "#"]
needs_clang = pytest.mark.skipif(not shutil.which("clang++-19"), reason="clang++-19 is not installed")
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


def differences_here(python: Python, some: list[Program], folder: Path) -> set[str]:
    """The programs among `some` whose verdict here is not NVRTC's, as in the list."""
    file = folder / "programs.json"
    file.write_text(json.dumps([[program.text, program.options] for program in some]))
    printed = python.run(
        "-m", "cuda_shim", "run", "--backend", "cpu", FOLDER / "logs.py", file,
        cwd=folder, CUDA_SHIM_CPU_CXX="clang++-19", CUDA_SHIM_CPU_LOG="off",
    )  # fmt: skip
    return {
        f"{'+' if taken else '-'} {program.subject}: {program.line}"
        for program, (taken, _) in zip(some, json.loads(printed), strict=True)
        if taken != program.taken
    }


def listed(some: list[Program]) -> set[str]:
    names = {f"{program.subject}: {program.line}" for program in some}
    return {line for line in DIFFERENCES if line[2:] in names}


def test_the_listed_differences_are_few() -> None:
    assert len(DIFFERENCES) == len(set(DIFFERENCES)) == len(listed(PROGRAMS))
    assert len(DIFFERENCES) <= 0.056 * len(PROGRAMS)
    assert sum(line[0] == "-" for line in DIFFERENCES) <= 0.015 * len(PROGRAMS)


@needs_clang
def test_a_part_of_the_verdicts_here(any_shim_python: Python, tmp_path: Path) -> None:
    """A new difference is a fault; one that is gone is taken out of the list."""
    some = PROGRAMS[::30]
    assert differences_here(any_shim_python, some, tmp_path) == listed(some)


@needs_clang
@pytest.mark.long
def test_all_verdicts_here(any_shim_python: Python, tmp_path: Path) -> None:
    assert differences_here(any_shim_python, PROGRAMS, tmp_path) == set(DIFFERENCES)
