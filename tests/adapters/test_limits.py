"""Limits on files, processes, memory and the size of files: a program works, or its error names the resource."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.backends import host_libraries
from tests.interpreters import PACKAGE_ROOT, start
from tests.program_files import read_program

PROGRAM = read_program(__file__, "limits.py")

WORKED = "computed True"
OUT_OF_MEMORY = "CUDA_ERROR_OUT_OF_MEMORY"
OTHER_USER = 54321


@pytest.fixture(scope="module")
def runtime() -> str:
    return host_libraries.ensure_libraries(settings.current())


@pytest.fixture
def run(tmp_path: Path, runtime: str) -> Callable[[str, int, str], str]:
    """Return the program's output under a limit that is set at its start, or once its kernel is there."""

    def run(what: str, limit: int, moment: str) -> str:
        folder = tmp_path / "cache"
        folder.mkdir(mode=0o700)
        owner = OTHER_USER if what == "NPROC" and os.geteuid() == 0 else 0
        if owner:
            os.chown(folder, owner, owner)
        words = "-c", PROGRAM, what, str(limit), moment, str(owner), runtime
        done = start(
            *words, PYTHONPATH=str(PACKAGE_ROOT), CUDA_SHIM_CACHE_DIR=str(folder), CUDA_SHIM_QUIET="1",
            CUDA_SHIM_CPU_LOG="off",
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.mark.parametrize(
    ("what", "limit", "words"),
    [
        ("NOFILE", 6, ["Too many open files"]),
        pytest.param("NOFILE", 12, [WORKED], marks=pytest.mark.long),
        ("FSIZE", 0, ["cannot write into", "File too large"]),
        pytest.param("FSIZE", 4096, ["could not do its work"], marks=pytest.mark.long),
        ("NPROC", 1, ["cannot run", "Resource temporarily unavailable"]),
        ("AS", 100 << 20, ["OUT_OF_MEMORY"]),
        pytest.param("AS", 1 << 30, [WORKED], marks=pytest.mark.long),
    ],
)
def test_from_the_start(run: Callable[[str, int, str], str], what: str, limit: int, words: list[str]) -> None:
    said = run(what, limit, "start")
    assert all(word in said for word in words), said


@pytest.mark.parametrize(
    ("what", "limit", "works"), [("NOFILE", 8, True), ("FSIZE", 0, True), ("NPROC", 1, False), ("AS", 400 << 20, True)]
)
def test_once_the_kernel_is_there(run: Callable[[str, int, str], str], what: str, limit: int, works: bool) -> None:
    """Without threads, a call that needs one names that as its error, and calls that need none work."""
    said = run(what, limit, "kernel")
    assert (WORKED in said) is works, said
    assert works or OUT_OF_MEMORY in said
