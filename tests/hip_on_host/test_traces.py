"""The runtime leaves no files outside its cache, even if its compiler crashes."""

from __future__ import annotations

from pathlib import Path

from tests.interpreters import run_code

CRASH = """
import cuda_shim; cuda_shim.enable(backend="cpu", quiet=True)
from cuda.bindings import nvrtc
source = b'#pragma clang __debug crash\\nextern "C" __global__ void k() {}'
program = nvrtc.nvrtcCreateProgram(source, b"k.cu", 0, [], [])[1]
print(int(nvrtc.nvrtcCompileProgram(program, 0, [])[0]))
"""


def test_a_compiler_that_crashes_leaves_no_files(tmp_path: Path) -> None:
    """Clang writes the input for reproducing a crash into the folder for temporary files."""
    assert run_code(CRASH, TMPDIR=str(tmp_path), CUDA_SHIM_CPU_CXX="clang++-19").split() in (["0"], ["6"])
    assert list(tmp_path.iterdir()) == []
