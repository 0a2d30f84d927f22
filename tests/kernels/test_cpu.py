"""Every kernel of the corpus computes the right numbers on the CPU runtime, through the shim, unmodified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kernels.corpus import cases

# Compiling the corpus takes a minute: one worker of xdist does it for all tests here.
pytestmark = pytest.mark.xdist_group("corpus on the CPU")
CASES = cases()
FOLDER = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def outcomes(any_shim_python):
    """Return the outcome of each case; a crash counts for the case that was running."""
    found = {}
    waiting = list(CASES)
    while waiting:
        some = waiting[:30]
        done = any_shim_python.start_for(600, "-m", "cuda_shim", "run", "--backend", "cpu", FOLDER / "worker.py", *some)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"case"')]
        assert lines, done.stderr
        found.update({line["case"]: line for line in lines if "error" in line})
        crashed = [line["case"] for line in lines if line["case"] not in found]
        found.update({name: {"error": f"exit status {done.returncode}\n{done.stderr}"} for name in crashed})
        waiting = [name for name in waiting if name not in found]
    return found


@pytest.mark.parametrize("name", CASES)
def test_case(name, outcomes):
    assert outcomes[name]["error"] is None, outcomes[name]["error"]


@pytest.mark.skipif(not (FOLDER / "recorded.npz").exists(), reason="nothing is recorded: see record.py")
def test_results_were_compared_with_those_of_an_nvidia_gpu(outcomes):
    failed = json.loads((FOLDER / "recorded.json").read_text(encoding="utf-8"))["failed"]
    wanted = [name for name, case in CASES.items() if name not in failed and case.run().comparable]
    assert [name for name in wanted if not outcomes[name].get("compared")] == []
