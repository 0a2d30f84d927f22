"""Every program of `programs/` says under cuda_shim what it said with CUDA Python on an NVIDIA GPU.

`recorded.json` holds what it said there (record.py writes it). The programs run on the CPU device, over each
generation of hip-python, and are compared line by line; `differences.py` names the lines that differ for a reason.
Over the older one calls go through Python alone, so that each program is seen both ways.
"""

from __future__ import annotations

import itertools
import json
import subprocess
from pathlib import Path

import pytest

from tests.conformance.differences import DIFFERENCES, Difference
from tests.environments import Python

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "recorded.json").read_text(encoding="utf-8"))
ALLOWED = DIFFERENCES
PROGRAMS = sorted(path.stem for path in (HERE / "programs").glob("[!_]*.py"))


def allowed(program: str, recorded: str, ours: str, differences: list[Difference]) -> list[Difference]:
    """The differences that explain two lines."""
    return [one for one in differences if one.explains(program, recorded, ours)]


def label(line: str) -> str:
    """The call that a line is about."""
    return line.split(":", 1)[0]


def test_every_program_is_recorded():
    assert sorted(RECORDED["programs"]) == PROGRAMS
    assert [name for name, run in RECORDED["programs"].items() if run["status"] != 0] == []


def test_every_difference_is_of_a_program():
    assert {one.program for one in ALLOWED} <= set(PROGRAMS)


def compare(program: str, run: subprocess.CompletedProcess[str], further: list[Difference] | None = None) -> None:
    """Fail where a program said what neither CUDA Python nor a difference of the tables says."""
    differences = [*ALLOWED, *(further or [])]
    recorded, said = RECORDED["programs"][program]["lines"], run.stdout.splitlines()
    assert list(map(label, said)) == list(map(label, recorded)), run.stderr[-2000:]
    wrong, met = [], set()
    for theirs, here in itertools.zip_longest(recorded, said, fillvalue=""):
        if theirs == here:
            continue
        reasons = allowed(program, theirs, here, differences)
        met.update(reasons)
        if not reasons:
            wrong.append(f"\n  CUDA {theirs}\n  ours {here}")
    assert not wrong, f"{len(wrong)} lines differ:{''.join(wrong[:20])}"
    assert {one for one in differences if one.program == program} == met
    assert run.returncode == 0, run.stderr[-2000:]


@pytest.mark.parametrize("program", PROGRAMS)
def test_says_what_cuda_python_said(shim_python: Python, program: str):
    path = HERE / "programs" / f"{program}.py"
    compiled = "0" if "7.2.2" in str(shim_python.executable) else "1"
    compare(program, shim_python.start("-m", "cuda_shim", "run", "--cuda", "13.x", "--compiled-calls", compiled, path))
