"""Requests for memory that are refused, one by one: an error is answered, no process dies, and all works afterwards."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.backends import host_libraries
from cuda_shim.cache.folder import cache_of
from tests.interpreters import PACKAGE_ROOT, start

SOURCE = Path(__file__).with_name("failing_malloc.c")
SUCCESS, OUT_OF_MEMORY, ILLEGAL_ADDRESS = "0", "2", "700"


@pytest.fixture(scope="module")
def failing_malloc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs a C compiler")
    made = tmp_path_factory.mktemp("malloc") / "failing.so"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", made, SOURCE], check=True)
    return made


def test_every_refused_request_is_answered(failing_malloc: Path) -> None:
    """The call or the next wait answers, whichever thread asked; a kernel's fault stays one, even without a report."""
    chosen = settings.current()
    host_libraries.ensure_libraries(chosen)  # this may take a minute
    done = start("-m", "tests.fuzz.scarce_memory", PYTHONPATH=str(PACKAGE_ROOT), CUDA_SHIM_CACHE_DIR=cache_of(chosen).root, LD_PRELOAD=str(failing_malloc),
                 CUDA_SHIM_QUIET="1", CUDA_SHIM_CPU_LOG="off")  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [line.partition(":") for line in done.stdout.splitlines()]
    answered = {name: answers.split() for name, _, answers in lines}
    assert len(answered) > 20
    for name, answers in answered.items():
        whole = {ILLEGAL_ADDRESS} if "fault" in name else {SUCCESS}
        assert answers[-1] == "complete", (name, answers)
        assert set(answers[:-1]) == whole | {OUT_OF_MEMORY}, (name, answers)
