"""What a host compiler's optimiser made of legal C++ that was wrong, and is kept from making of kernels."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.cpu_runtime.program_outcomes import DEFAULT, Launch, Program, Runner

Words = npt.NDArray[np.uint32]

COMPILERS = {
    "clang++-19": shutil.which("clang++-19"), "g++": shutil.which("g++"), "zig": f"{sys.executable} -m ziglang c++",
}  # fmt: skip

#: GCC 12 at -O3 splits the loop where `i > r` changes, although what ends it changes in the first round.
SPLIT = """
extern "C" __global__ void k(const unsigned* in, unsigned* out, unsigned n) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned own[4] = {1u, t, 3u, in[t] % 16u}, sum = in[t] >> 8, most = in[t] >> 4;
    own[in[t] & 3u] += in[t] % 16u;
    for (unsigned i = 0; i < (most & 7u); ++i) {
        sum -= i > own[t & 3u] ? 38u : n != sum ? n : t;
        most = own[t & 3u];
    }
    out[t] = sum;
}"""

#: The vectoriser of zig's Clang took a thread's elements for evenly spaced.
SPACED = """
extern "C" __global__ void k(const unsigned* in, unsigned* out, unsigned n) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned own[6][4] = {};
    for (unsigned i = 0; i < n; ++i) own[i][i & 3u] += in[t] + i * 7u;
    __syncthreads();
    unsigned sum = 0;
    for (unsigned i = 0; i < 6u; ++i) for (unsigned j = 0; j < 4u; ++j) sum = sum * 3u + own[i][j];
    out[t] = sum;
}"""


def split_loop(given: Words, n: int) -> list[int]:
    found = []
    for t, value in enumerate(given.tolist()):
        own = [1, t, 3, value % 16]
        own[value & 3] += value % 16
        sum_, most, r, i = value >> 8, value >> 4, own[t & 3], 0
        while i < most & 7:
            sum_ = (sum_ - (38 if i > r else n if n != sum_ else t)) % 2**32
            most, i = r, i + 1
        found.append(sum_)
    return found


def evenly_spaced(given: Words, n: int) -> list[int]:
    found = []
    for value in given.tolist():
        own = [[(value + i * 7) if j == i & 3 and i < n else 0 for j in range(4)] for i in range(6)]
        sum_ = 0
        for element in (element for row in own for element in row):
            sum_ = (sum_ * 3 + element) % 2**32
        found.append(sum_)
    return found


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("source", "expected", "n"), [(SPLIT, split_loop, 96), (SPACED, evenly_spaced, 6)], ids=["split", "spaced"]
)
def test_loops_give_what_they_say(runtime_folder: Path, compiler: str, source: str, expected, n: int) -> None:
    command = COMPILERS[compiler]
    if command is None:
        pytest.skip(f"{compiler} is not installed")
    given = np.random.default_rng(3).integers(0, 2**32, 2048, np.uint32)
    launch = Launch("k", (given, np.zeros_like(given), np.uint32(n)), (8, 1, 1), (256, 1, 1))
    runner = Runner(runtime_folder, command)
    try:
        found = runner.outcomes(Program(source, (launch,)), DEFAULT)["k"]
    finally:
        runner.close()
    assert not isinstance(found, str), found
    assert found[1].tolist() == expected(given, n)


#: A program with one guarded kernel, which writes its code object to the file it is given.
GUARDED = """
import sys
from pathlib import Path
from cuda.bindings import nvrtc

SOURCE = b'''extern "C" __global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = sqrtf(x[i]);
}'''
status, program = nvrtc.nvrtcCreateProgram(SOURCE, b"k.cu", 0, [], [])
(status,) = nvrtc.nvrtcCompileProgram(program, 0, [])
assert status == nvrtc.nvrtcResult.NVRTC_SUCCESS
status, size = nvrtc.nvrtcGetCUBINSize(program)
code = b" " * size
nvrtc.nvrtcGetCUBIN(program, code)
Path(sys.argv[1]).write_bytes(code)
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="looks for an instruction of x86")
@pytest.mark.parametrize("compiler", COMPILERS)
def test_guarded_rows_of_threads_become_vectors(tmp_path: Path, compiler: str) -> None:
    command, objdump = COMPILERS[compiler], shutil.which("objdump")
    if command is None or objdump is None:
        pytest.skip(f"{compiler} or objdump is not installed")
    program, code = tmp_path / "guarded.py", tmp_path / "code.so"
    program.write_text(GUARDED)
    subprocess.run(
        [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", program, code],
        env={**os.environ, "CUDA_SHIM_CPU_CXX": command}, check=True,
    )  # fmt: skip
    listing = subprocess.run([objdump, "-d", code], capture_output=True, encoding="utf-8", check=True).stdout
    assert "sqrtps" in listing  # "sqrtss" alone, where each thread is by itself
