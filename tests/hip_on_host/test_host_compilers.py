"""Optimisations of host compilers that broke legal C++, and that kernels are kept from."""

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

from tests import newer_zig
from tests.hip_on_host.program_outcomes import DEFAULT, Launch, Program, Runner
from tests.program_files import read_program

Words = npt.NDArray[np.uint32]

COMPILERS = {
    "clang++-19": shutil.which("clang++-19"), "g++": shutil.which("g++"), "zig": f"{sys.executable} -m ziglang c++",
}  # fmt: skip

#: GCC 12 at -O3 splits the loop where `i > r` changes, although the loop's end condition changes in the first round.
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


#: Indices that wrap, in each way that C has for it: none of them grows by one in every iteration.
WRAPPED = read_program(__file__, "host_compilers_wrapped.cu")


def wrapped(name: str, given: Words, n: int) -> list[int]:
    """Return the results of the kernels above, thread by thread."""
    values = given.tolist()
    found = [0] * len(values)
    for t, value in enumerate(values):
        if name == "turned":
            found[t & ~7 | (t + n) & 7] = (values[t % 96] + values[t & 255]) % 2**32
            continue
        if name == "of_constants":
            found[t] = (3, 1, 4, 5)[t & 3] * 7
            continue
        if name in ("masked", "remainder_"):
            own = [0] * (4 if name == "masked" else 3)
            for i in range(n):
                own[i % len(own)] = (own[i % len(own)] * 5 + value + i) % 2**32
            found[t] = sum(one * factor for one, factor in zip(own, (1, 3, 7, 11), strict=False)) % 2**32
            continue
        if name == "of_block":
            block = values[t & ~255 : (t & ~255) + 256]
            terms = [block[(t + i) & 255] + block[i % 5] for i in range(n)]
        elif name == "of_char":
            terms = [values[i & 255] for i in range(200, 200 + n)]
        else:
            terms = [values[7 if i > 32767 else i - 32700] for i in range(32700, 32700 + n)]
        sum_ = 0
        for term in terms:
            sum_ = (sum_ * 3 + term) % 2**32
        found[t] = (sum_ + (value if name != "of_block" else 0)) % 2**32
    return found


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


@pytest.mark.parametrize("compiler", [*COMPILERS, "newer zig"])
def test_wrapped_indices_wrap(runtime_folder: Path, compiler: str) -> None:
    command = f"{newer_zig.program()} c++" if compiler == "newer zig" else COMPILERS[compiler]
    if command is None:
        pytest.skip(f"{compiler} is not installed")
    given, n = np.random.default_rng(4).integers(0, 2**32, 2048, np.uint32), 101
    names = ("masked", "remainder_", "of_char", "of_short", "turned", "of_block", "of_constants")
    arguments = (given, np.zeros_like(given), np.uint32(n))
    runner = Runner(runtime_folder, command)
    try:
        outcomes = runner.outcomes(
            Program(WRAPPED, tuple(Launch(name, arguments, (8, 1, 1), (256, 1, 1)) for name in names)), DEFAULT
        )
    finally:
        runner.close()
    for name in names:
        outcome = outcomes[name]
        assert not isinstance(outcome, str), f"{name}: {outcome}"
        assert outcome[1].tolist() == wrapped(name, given, n), name


#: A program with one guarded kernel, which writes its code object to the file it is given. The function beside it, which
#: is never called, has all that makes an index wrap: it must not keep the kernel from becoming vectors.
GUARDED = read_program(__file__, "host_compilers_guarded.py")


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
