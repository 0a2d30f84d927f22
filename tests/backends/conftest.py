"""Fixtures of the backend tests: real processes, a private cache, and a small stand-in for the C++ sources.

The stand-in has the folders of the real runtime and builds in a second, so that tests may build it often.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import cuda_shim
from cuda_shim import settings
from cuda_shim.backends import compilers
from cuda_shim.errors import BackendNotFound
from tests.backends.scripts import STAND_IN, Run

REPOSITORY = Path(next(iter(cuda_shim.__path__))).parent


#: The last is set for children by a process that has built with zig, which tests in this process may have done.
NOT_INHERITED = ("CXX", "LD_LIBRARY_PATH", "ZIG_GLOBAL_CACHE_DIR")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment with a cache of its own and no setting of the person who runs the tests."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CUDA_SHIM", "_CUDA_SHIM", "HIP_", "ROCM_")) and name not in NOT_INHERITED
    }
    kept["CUDA_SHIM_CACHE_DIR"] = str(tmp_path / "cache")
    kept["PYTHONPATH"] = str(REPOSITORY)
    return kept


@pytest.fixture
def stand_in(tmp_path: Path, environment: dict[str, str]) -> Path:
    """The folder of the stand-in sources; scripts that start with USE_STAND_IN build it."""
    folder = tmp_path / "sources"
    for name, text in STAND_IN.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    environment["STAND_IN"] = str(folder)
    return folder


@pytest.fixture
def start(environment: dict[str, str]) -> Callable[..., subprocess.Popen[str]]:
    """Start a script in a new interpreter; keywords are environment variables, None removes one."""

    def start(script: str, **variables: str | None) -> subprocess.Popen[str]:
        merged = {**environment, **variables}
        return subprocess.Popen(
            [sys.executable, "-c", script],
            env={name: value for name, value in merged.items() if value is not None},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        )  # fmt: skip

    return start


@pytest.fixture
def run(start: Callable[..., subprocess.Popen[str]]) -> Run:
    """Run a script to its end."""

    def run(script: str, **variables: str | None) -> subprocess.CompletedProcess[str]:
        with start(script, **variables) as process:
            out, err = process.communicate(timeout=300)
        return subprocess.CompletedProcess(script, process.returncode, out, err)

    return run


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> list[str]:
    """The command of the C++ compiler that the backend finds here; a machine without one skips the test."""
    monkeypatch.setenv("CUDA_SHIM_CACHE_DIR", environment["CUDA_SHIM_CACHE_DIR"])
    try:
        return list(compilers.find(settings.current()).command)
    except BackendNotFound as reason:
        pytest.skip(str(reason))


@pytest.fixture
def no_rocm(tmp_path: Path) -> dict[str, str]:
    """Variables with which hip-python finds no AMD library, on a machine that has one too."""
    folder = tmp_path / "broken" / "lib"
    folder.mkdir(parents=True)
    for name in ("libamdhip64.so", "libhiprtc.so"):
        (folder / name).write_text("this is no library\n" * 100)
    return {"ROCM_PATH": str(folder.parent), "LD_LIBRARY_PATH": str(folder)}


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write an executable shell script: a compiler that behaves as a test needs it."""

    def program(name: str, text: str) -> Path:
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    return program
