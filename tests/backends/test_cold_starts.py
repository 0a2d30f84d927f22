"""Programs that find an empty cache: many at once, and some that are killed while they fill it."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.backends import host_libraries
from cuda_shim.cache.folder import cache_of
from tests.backends.test_damaged_cache import PROGRAM
from tests.interpreters import PACKAGE_ROOT, clean_environment

RIGHT = (0, "42 True\n")


def begin(folder: Path) -> subprocess.Popen[str]:
    """A program that uses a kernel, compiled calls, the C interface and declarations."""
    environment = clean_environment(
        PYTHONPATH=str(PACKAGE_ROOT), CUDA_SHIM_CACHE_DIR=str(folder), CUDA_SHIM_QUIET="1", CUDA_SHIM_CPU_LOG="off"
    )
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def outcome(process: subprocess.Popen[str]) -> tuple[int, str]:
    said, errors = process.communicate(timeout=900)
    return process.returncode, said or errors


@pytest.fixture
def cold(tmp_path: Path) -> Path:
    """A cache with the runtime in it, as a wheel would bring it, and nothing else."""
    folder, chosen = tmp_path / "cache", settings.current()
    entry, own = Path(host_libraries.ensure_libraries(chosen)), Path(cache_of(chosen).root)
    folder.mkdir(mode=0o700)
    if entry.is_relative_to(own):
        inside = folder / entry.relative_to(own)
        for parent in [*inside.parents[: len(inside.relative_to(folder).parts) - 1]][::-1]:
            parent.mkdir(mode=0o700)  # with any umask
        shutil.copytree(entry, inside)
    return folder


@pytest.mark.parametrize("processes", [3, pytest.param(30, marks=pytest.mark.long)])
def test_programs_that_start_at_once_all_work(cold: Path, processes: int) -> None:
    started = [begin(cold) for _ in range(processes)]
    assert [outcome(process) for process in started] == [RIGHT] * processes


@pytest.mark.long
def test_thirty_programs_build_everything(tmp_path: Path) -> None:
    """The runtime too: one builds it, the others wait."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    started = [begin(folder) for _ in range(30)]
    assert [outcome(process) for process in started] == [RIGHT] * 30


@pytest.mark.parametrize("moments", [3, pytest.param(50, marks=pytest.mark.long)])
def test_programs_that_are_killed_leave_nothing_that_harms(cold: Path, moments: int) -> None:
    """Each at a random moment, and each goes on from the files that the ones before it left; then one is let go on."""
    whole = cold.with_name("whole")
    shutil.copytree(cold, whole)
    began = time.monotonic()
    assert outcome(begin(whole)) == RIGHT
    longest = time.monotonic() - began
    numbers = random.Random(moments)  # noqa: S311 (the sequence must be reproducible)
    for number in range(moments):
        if number % 5 == 4:  # now and then from the start, since existing files are not made again
            for part in ("kernels", "calls", "c_level"):
                shutil.rmtree(cold / part, ignore_errors=True)
        doomed = begin(cold)
        time.sleep(numbers.uniform(0, longest))
        doomed.kill()
        doomed.communicate()
    assert outcome(begin(cold)) == RIGHT
