"""Virtual environments with cuda_shim installed from its wheel, one for each hip-python generation.

They are made once a test run, for any number of pytest workers, with uv, which takes seconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import filelock
import pytest
import uv

from tests.interpreters import HANG, clean_environment

ROOT = Path(__file__).resolve().parents[1]

HIP_PYTHON = {"10.0": "hip-python==10.0.0.0.1.2", "7.2.2": "hip-python==7.2.2.562.43"}
"""The newest release of each generation that is served."""

NVIDIA = {"11.8": "cuda-bindings==11.8.7", "12.9": "cuda-bindings==12.9.10", "13.5": "cuda-bindings==13.5.0"}
"""NVIDIA's wheel of each layout; its types, enums and structs need no GPU."""

NVIDIA_PYTHONS = {"11.8": ((3, 9), (3, 13)), "12.9": ((3, 9), (3, 14)), "13.5": ((3, 11), (3, 14))}
"""The oldest and the newest Python that each of them has a wheel for."""


def newest(versions: Iterable[str]) -> str:
    """The newest version, by its numbers: 10.0 comes after 7.2."""
    return max(versions, key=lambda version: [int(part) for part in version.split(".")])


@dataclass(frozen=True)
class Python:
    """An interpreter in an environment of its own."""

    executable: Path

    def run(self, *words: str | Path, cwd: str | Path | None = None, **environment: str) -> str:
        """Run it to its end; its stdout, or a failure with its stderr."""
        done = self.start(*words, cwd=cwd, **environment)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start(
        self, *words: str | Path, cwd: str | Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run it to its end, with any exit status."""
        return self.start_for(HANG, *words, cwd=cwd, **environment)

    def start_for(
        self, seconds: float, *words: str | Path, cwd: str | Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """The same; after `seconds` seconds it counts as hanging."""
        environment.setdefault("CUDA_SHIM_QUIET", "1")
        return subprocess.run(
            [str(self.executable), *map(str, words)],
            # Not the checkout, whose package `-c` and `-m` would import instead of the installed one.
            cwd=cwd or self.executable.parent,
            env=clean_environment(**environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=seconds,
            check=False,
        )


def missing(reason: str) -> NoReturn:
    """Skip the test that lacks a tool, and fail it where CI has to have that."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


def build_wheel(folder: Path) -> Path:
    """cuda_shim's wheel, built from this checkout as pip would."""
    with filelock.FileLock(folder / "wheel.lock"):
        found = list(folder.glob("*.whl"))
        if not found:
            _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
            found = list(folder.glob("*.whl"))
    return found[0]


def as_in_the_readme(wheel: Path) -> str:
    """The wheel as the README has it installed: with the compiler of its `cpu` extra, where these tests have that too."""
    return f"cuda-shim[cpu] @ {wheel.as_uri()}" if find_spec("ziglang") else str(wheel)


def make(folder: Path, *requirements: str) -> Python:
    """An environment with `requirements`, made unless it is there already."""
    made = Python(folder / "bin" / "python")
    complete = folder / "complete"
    with filelock.FileLock(folder.with_suffix(".lock")):
        if not complete.exists():
            _run(uv.find_uv_bin(), "venv", "--quiet", "--python", sys.executable, folder)
            install(made, *requirements)
            complete.touch()
    return made


def nvidia(layout: str, folder: Path) -> Python:
    """An environment with NVIDIA's wheel of a layout; without a wheel for this Python the test is skipped."""
    oldest, latest = NVIDIA_PYTHONS[layout]
    if not oldest <= sys.version_info[:2] <= latest:
        version = "{}.{}".format(*sys.version_info)
        pytest.skip(f"there are no wheels of cuda-bindings {layout} for Python {version}")
    return make(folder / f"nvidia-{layout}", NVIDIA[layout], "numpy")


def install(python: Python, *requirements: str) -> None:
    """Add packages to an environment."""
    _run(uv.find_uv_bin(), "pip", "install", "--quiet", "--python", python.executable, *requirements)


def _run(*words: str | Path, cwd: Path | None = None) -> None:
    done = subprocess.run(list(map(str, words)), cwd=cwd, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
