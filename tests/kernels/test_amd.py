"""AMD's own compiler takes every program of the corpus once it is translated; it needs no GPU for that.

Debian's `libamdhip64-5` and `libhiprtc-builtins5` hold hiprtc of ROCm 5.2. It is older than the release that hip-python
asks for, so code that only a newer one takes is marked in the corpus.
"""

from __future__ import annotations

import json
import os

import pytest

from tests.interpreters import PACKAGE_ROOT, start
from tests.kernels import compilers
from tests.kernels.corpus import programs

PROGRAMS = programs()

pytestmark = [
    pytest.mark.skipif(
        compilers.amd() is None and not os.environ.get("CI"), reason="Debian's libamdhip64-5 is not installed"
    ),
    pytest.mark.xdist_group("AMD's compiler"),  # one worker compiles the corpus
]


@pytest.fixture(scope="module", params=["gfx90a", "gfx1030"])
def outcomes(request):
    """Return the outcome of each program for one architecture: waves of 64 lanes, waves of 32."""
    found = {}
    waiting = list(PROGRAMS)
    while waiting:
        some = waiting[:8]
        done = start(
            "-m", "tests.kernels.amd_worker", request.param, *some, cwd=PACKAGE_ROOT, PYTHONPATH=str(PACKAGE_ROOT)
        )
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        found.update({line["program"]: line for line in lines if "status" in line})
        crashed = [line["program"] for line in lines if line["program"] not in found]
        assert lines, done.stderr
        found.update({name: {"status": -1, "log": done.stderr, "size": 0} for name in crashed})
        waiting = [name for name in waiting if name not in found]
    return {name: {**done, "architecture": request.param} for name, done in found.items()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_hiprtc_takes_the_translation_of(name, outcomes):
    done, reason = outcomes[name], PROGRAMS[name].newer_rocm
    if done["architecture"] in PROGRAMS[name].no_hardware:
        assert done["status"] != 0, f"{name} is marked as beyond {done['architecture']}, and is not"
        pytest.skip(f"{done['architecture']} has no instruction for it")
    if reason:
        assert done["status"] != 0, f"{name} is marked as too new for ROCm 5.2, and is not: {reason}"
        pytest.skip(f"only a newer ROCm takes it: {reason}")
    assert done["status"] == 0, done["log"]
    assert done["size"] > 0
    # Warnings about the user's text may be; our headers give none.
    assert "cuda_shim/" not in done["log"]
