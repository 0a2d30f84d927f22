"""The log of a program names refused features, and none of the functions that stand for them."""

from __future__ import annotations

import pytest

from cuda_shim.translate.refusal_log import without_refused_names
from tests.environments import Python

PROGRAM = """
from cuda.bindings import nvrtc
source = b'__device__ int twice(int x) {{ return y + x; }}\\n{lines}'
headers = [b'__device__ void fence() {{ asm volatile("tcgen05.wait::ld.sync.aligned;"); }}']
program = nvrtc.nvrtcCreateProgram(source, b"k.cu", 1, headers, [b"own.h"])[1]
print(nvrtc.nvrtcCompileProgram(program, 0, [])[0].name)
log = bytearray(nvrtc.nvrtcGetProgramLogSize(program)[1])
nvrtc.nvrtcGetProgramLog(program, log)
print(log.rstrip(b"\\0").decode())
"""
IN_PROGRAM = """extern "C" __global__ void k(int* p) {{ asm volatile("tcgen05.wait::ld.sync.aligned;"); *p = 1; }}"""
IN_HEADER = """#include "own.h"\\nextern "C" __global__ void k(int* p) {{ fence(); *p = 1; }}"""
REASON = "inline PTX 'tcgen05.wait::ld.sync.aligned': tensor memory is of NVIDIA's GPUs alone"


@pytest.mark.parametrize("compiler", ["", "g++"])
@pytest.mark.parametrize(("lines", "file"), [(IN_PROGRAM, "k.cu(2)"), (IN_HEADER, "own.h(1)")])
def test_a_refusal_in_the_log(any_shim_python: Python, compiler: str, lines: str, file: str) -> None:
    code = PROGRAM.format(lines=lines.format())
    settings = {"CUDA_SHIM_CPU_CXX": compiler} if compiler else {}
    done = any_shim_python.start("-c", code, CUDA_SHIM="1", CUDA_SHIM_BACKEND="cpu", **settings)
    status, *log = done.stdout.splitlines()
    assert status == "NVRTC_ERROR_COMPILATION", done.stderr
    assert "cuda_shim_refused" not in done.stdout
    (refusal,) = (line for line in log if REASON in line)
    assert refusal.startswith(file)
    assert refusal.endswith(f": error: not supported by cuda_shim: {REASON}")
    # The other error of the program stays.
    assert sum("k.cu(1): error: " in line for line in log) == 1


def test_a_log_without_refusals_stays() -> None:
    assert without_refused_names(b"k.cu:1:1: error: 'y' is not declared\n\0") is None
