"""The first access to a thread's variables keeps what Clang takes for kept: the upper vector registers of AVX-512.

There a kernel's arguments may be. Which ones are depends on the optimiser, so another of its settings is tried as well.
"""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

WORKER = Path(__file__).with_name("first_access_worker.py")


@pytest.mark.parametrize("flags", ["", "-mllvm -unswitch-threshold=10"], ids=["default", "loops stay whole"])
def test_arguments_survive_it(any_shim_python, tmp_path: Path, flags: str) -> None:
    clang = shutil.which("clang++-19")
    if clang is None:
        pytest.skip("clang++-19 is not installed")
    compiler = tmp_path / "clang++"
    # With --version or -E the flags have no effect.
    compiler.write_text(f'#!/bin/sh\nexec {shlex.quote(clang)} "$@" {flags}\n', encoding="utf-8")
    compiler.chmod(0o755)
    command = ("-m", "cuda_shim", "run", "--backend", "cpu", str(WORKER))
    done = any_shim_python.start_for(600, *command, CUDA_SHIM_CPU_CXX=str(compiler if flags else clang))
    assert done.stdout == "0\n", done.stderr
