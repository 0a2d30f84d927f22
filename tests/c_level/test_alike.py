"""The same questions, asked in C and in Python, have the same answers."""

from __future__ import annotations

import subprocess
import sys

import pytest

from cuda_shim.mapping.layouts import LAYOUTS
from tests.environments import ROOT
from tests.interpreters import clean_environment

QUESTIONS = 3000


@pytest.mark.parametrize("layout", LAYOUTS)
def test_answers_are_alike(layout: str) -> None:
    environment = clean_environment(
        CUDA_SHIM_QUIET="1", CUDA_SHIM_LOG="off", CUDA_SHIM_CPU_LOG="off", PYTHONPATH=str(ROOT)
    )
    command = [sys.executable, "-m", "tests.c_level.alike", layout, "1", str(QUESTIONS)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    *wrong, counted = done.stdout.splitlines()
    assert wrong == []
    _, asked, _, alike, _, succeeded = counted.split()
    assert int(asked) > 150
    assert int(alike) > QUESTIONS / 2
    assert int(succeeded) > QUESTIONS / 10
