"""Calls raise nothing but what CUDA Python raises: in a process without file descriptors, and for ctypes' objects."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.interpreters import PACKAGE_ROOT, clean_environment

PROGRAMS = Path(__file__).with_name("programs")


def run(name: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", "--quiet", PROGRAMS / name],
        env=clean_environment(PYTHONPATH=str(PACKAGE_ROOT)), capture_output=True, text=True, timeout=400, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def test_a_call_that_can_open_no_file_answers_with_a_status() -> None:
    assert run("no_open_files.py") == [
        "True ['CUDA_ERROR_OPERATING_SYSTEM', 'cudaErrorOperatingSystem']",
        "NVRTC_ERROR_INTERNAL_ERROR NVRTC_ERROR_COMPILATION",
    ]


def test_objects_of_ctypes_are_the_memory_that_they_have() -> None:
    """A `py_object`, which may hold none, stands for its own eight bytes, as every buffer does."""
    assert run("ctypes_objects.py") == [
        "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED cudaErrorHostMemoryNotRegistered True",
        "True",
    ]
