"""Every program of `programs/` prints under cuda_shim the lines that CUDA Python printed on an NVIDIA GPU.

`recorded.json` holds the lines of CUDA Python (record.py writes it). The programs run on the CPU device, over each
generation of hip-python, and are compared line by line; `differences.py` names the lines that differ for a reason. Over
the older one calls go through Python alone, so that each program is seen both ways.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from cuda_shim.verify.compare import compare_lines
from tests.conformance.differences import DIFFERENCES, Difference, documented_lines
from tests.environments import Python

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "recorded.json").read_text(encoding="utf-8"))
PROGRAMS = sorted(path.stem for path in (HERE / "programs").glob("[!_]*.py"))


def label(line: str) -> str:
    """The call that a line is about."""
    return line.split(":", 1)[0]


def test_every_program_is_recorded():
    assert sorted(RECORDED["programs"]) == PROGRAMS
    assert [name for name, run in RECORDED["programs"].items() if run["status"] != 0] == []


def test_every_difference_is_of_a_program():
    assert {one.program for one in DIFFERENCES} <= set(PROGRAMS)


def compare(program: str, run: subprocess.CompletedProcess[str], further: Sequence[Difference] = ()) -> None:
    """Fail where a program's line equals neither CUDA Python's nor a difference of the tables."""
    recorded, said = RECORDED["programs"][program]["lines"], run.stdout.splitlines()
    assert list(map(label, said)) == list(map(label, recorded)), run.stderr[-2000:]
    documented = documented_lines(program, further)
    compared = compare_lines(recorded, said, documented)
    wrong = [f"\n  CUDA {theirs}\n  ours {here}" for theirs, here in compared.wrong]
    assert not wrong, f"{len(wrong)} lines differ:{''.join(wrong[:20])}"
    assert set(documented) == set(compared.documented)
    assert run.returncode == 0, run.stderr[-2000:]


@pytest.mark.parametrize("program", PROGRAMS)
def test_says_what_cuda_python_said(shim_python: Python, program: str):
    path = HERE / "programs" / f"{program}.py"
    compiled = "0" if "7.2.2" in str(shim_python.executable) else "1"
    compare(program, shim_python.start("-m", "cuda_shim", "run", "--cuda", "13.x", "--compiled-calls", compiled, path))
