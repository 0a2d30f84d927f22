"""Every function of the driver answers as an NVIDIA GPU's before cuInit, and after it without a context.

Null arguments: `record.py` says which. Functions that HIP lacks, and those whose null arguments Python refuses, are
left out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.interpreters import PACKAGE_ROOT, start
from tests.program_files import read_program

HERE = Path(__file__).parent
NO_CONTEXT, NOT_SUPPORTED = 201, 801
# CUDA looks at the wrong type of resource first, HIP at the null context.
OTHER_ORDER = {"cuGreenCtxGetDevResource"}
# The least number of functions to compare: most of the 400 that CUDA answered with a status.
LEAST = {"uninitialized": 350, "initialized": 250}


def statuses(state: str) -> list[tuple[str, int, int]]:
    """The functions that answered with a status on both sides: their names, CUDA's status and ours."""
    recorded = json.loads((HERE / f"{state}.json").read_text(encoding="utf-8"))
    done = start(
        "-m", "cuda_shim", "run", "--backend", "cpu", "--cuda", "13.5", HERE / "record.py", state, "--together",
        PYTHONPATH=str(PACKAGE_ROOT), CUDA_SHIM_LOG="off", CUDA_SHIM_QUIET="1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ours: dict[str, Any] = json.loads(done.stdout)
    return [
        (name, status, ours[name])
        for name, status in recorded.items()
        if isinstance(status, int) and isinstance(ours.get(name), int) and ours[name] != NOT_SUPPORTED
    ]


def test_before_cuinit() -> None:
    compared = statuses("uninitialized")
    assert len(compared) > LEAST["uninitialized"]
    assert [(name, cuda, ours) for name, cuda, ours in compared if cuda != ours] == []


def test_without_a_context() -> None:
    compared = statuses("initialized")
    assert len(compared) > LEAST["initialized"]
    wrong = [(name, cuda, ours) for name, cuda, ours in compared if (cuda == NO_CONTEXT) != (ours == NO_CONTEXT)]
    # Functions that an older HIP lacks answer that they are not supported, and were left out.
    assert {name for name, *_ in wrong} == OTHER_ORDER & {name for name, *_ in compared}, wrong


THREADS = read_program(__file__, "recorded_threads.py")
# Recorded on an H100 with cuda-bindings 13.5.0: a stream brings its context along, and so does an event that is asked.
WITHOUT = "201 201 201 0 0 0 201 0 201 201 0"
WITH = " ".join("0" * 11)


@pytest.mark.parametrize("compiled", ["0", "1"])
def test_contexts_are_each_threads_own(compiled: str) -> None:
    done = start(
        "-m", "cuda_shim", "run", "--backend", "cpu", "--cuda", "13.5", "--compiled-calls", compiled, "-c", THREADS,
        PYTHONPATH=str(PACKAGE_ROOT),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    round_ = [f"main {WITH}", f"thread {WITHOUT} 0", f"pushed {WITH} True", f"popped {WITHOUT} 0"]
    assert done.stdout.splitlines() == [
        *round_, *round_, f"none {WITHOUT} 0", f"made {WITH}", f"destroyed {WITHOUT}",
    ]  # fmt: skip


FIRST_CALLS = """
from cuda.bindings import driver
print(int(driver.cuMemAlloc(16)[0]), int(driver.cuInit(5)[0]), int(driver.cuMemAlloc(16)[0]))
print(int(driver.cuInit(0)[0]), int(driver.cuMemAlloc(16)[0]), int(driver.cuDeviceGetCount()[0]))
"""


def test_cuinit_has_to_succeed() -> None:
    done = start("-m", "cuda_shim", "run", "--backend", "cpu", "-c", FIRST_CALLS, PYTHONPATH=str(PACKAGE_ROOT))
    assert done.stdout == "3 1 3\n0 201 0\n", done.stderr
