"""zig as the kernels' compiler: its Clang and its linker run by themselves, and its driver for the rest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hip_on_host.hiprtc_program import find_compiler

ZIG = find_compiler("zig")
pytestmark = pytest.mark.skipif(not ZIG, reason="zig is not installed: pip install ziglang==0.14.1")
PROGRAM = Path(__file__).with_name("zig_program.py")


def run(tmp_path: Path, kernel: str) -> tuple[dict[str, list[int]], list[str]]:
    """Compile and launch a kernel of the program; its numbers, and the log of the processes that it started."""
    done = subprocess.run(
        [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM, kernel],
        env={**os.environ, "CUDA_SHIM_CPU_CXX": ZIG, "CUDA_SHIM_CACHE_DIR": str(tmp_path), "CUDA_SHIM_CPU_LOG": "debug"},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr.splitlines()


def started(log: list[str], *words: str) -> list[str]:
    """Return the commands of the log that have all these words."""
    return [line for line in log if "starts " in line and all(word in line.split() for word in words)]


def test_clang_and_the_linker_of_zig_run_by_themselves(tmp_path: Path) -> None:
    numbers, log = run(tmp_path, "sums")
    assert numbers["found"] == numbers["expected"]
    compiled = started(log, "clang", "-c")
    assert len(compiled) == 1
    assert "-include-pch" in compiled[0].split()
    assert len(started(log, "clang", "c++-header")) == 1  # the prelude, which reading and compiling share
    assert len(started(log, "ld.lld", "-shared")) == 1
    assert not started(log, "c++", "-shared")  # the driver would keep a copy of each object in its own cache


@pytest.mark.long  # zig builds its library, some 20 s of a processor
def test_the_driver_links_kernels_that_need_its_library(tmp_path: Path) -> None:
    numbers, log = run(tmp_path, "quotients")
    assert numbers["found"] == numbers["expected"]
    assert len(started(log, "ld.lld", "-shared")) == 1
    assert any("zig's linker by itself" in line for line in log)
    assert len(started(log, "c++", "-shared")) == 1
