"""Every process that the CPU backend starts is shown where CUDA_SHIM_CPU_LOG is debug."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.environments import Python

CODE = """
from cuda.bindings import nvrtc
source = b'extern "C" __global__ void k(int* p) { *p = 1; } // FOLDER'
program = nvrtc.nvrtcCreateProgram(source, b"k.cu", 0, [], [])[1]
print(nvrtc.nvrtcCompileProgram(program, 0, [])[0].name)
"""


@pytest.mark.parametrize("level", ["debug", "info"])
def test_each_process_is_shown(shim_python: Python, tmp_path: Path, level: str) -> None:
    compiler = shutil.which("clang++-19") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("clang++ is not installed")
    calls, wrapper = tmp_path / "calls", tmp_path / "compiler"
    wrapper.write_text(f'#!/bin/sh\necho called >> "{calls}"\nexec {compiler} "$@"\n', encoding="ascii")
    wrapper.chmod(0o700)
    done = shim_python.start(
        "-c", CODE.replace("FOLDER", f"{tmp_path} {level}"),
        CUDA_SHIM="1", CUDA_SHIM_BACKEND="cpu", CUDA_SHIM_CPU_LOG=level, CUDA_SHIM_CPU_CXX=str(wrapper),
    )  # fmt: skip
    assert done.stdout == "NVRTC_SUCCESS\n", done.stderr
    shown = [line for line in done.stderr.splitlines() if line.startswith(f"cuda_shim: starts {wrapper} ")]
    started = calls.read_text(encoding="ascii").splitlines()
    # Asked for its version by Python, and made to compile and link by the runtime.
    assert len(started) >= 2
    assert len(shown) == (len(started) if level == "debug" else 0)
