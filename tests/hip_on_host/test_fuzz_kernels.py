"""Random kernels give the same results split at their barriers as thread by thread, with every compiler that is there.

``CUDA_SHIM_TEST_KERNELS`` sets the number of kernels to try, ``CUDA_SHIM_TEST_FIRST`` the first one's number;
fuzz_kernels.py beside this file tries many. Failures found so are kept, as short as they could be made, in
test_split_kernels.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hip_on_host import hiprtc_program, kernel_outcomes, random_kernels

FIRST = int(os.environ.get("CUDA_SHIM_TEST_FIRST", "0"))
COUNT = int(os.environ.get("CUDA_SHIM_TEST_KERNELS", "200"))
TOGETHER = 25  # kernels in one program: starting the compiler costs as much as a few of them
# Most programs are optimised a little: that compiles in a quarter of the time, and the splitting is the same.
FULLY_OPTIMISED = 10  # one program of this number

COMPILERS = ("clang++", "clang++-19", "g++", "zig")
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, TOGETHER))
def test_split_kernels_agree_with_fibres(programs: hiprtc_program.Kernels, first: int) -> None:
    program = random_kernels.program(range(first, first + TOGETHER))
    level = "-O3" if first // TOGETHER % FULLY_OPTIMISED == 0 else "-O1"
    split = kernel_outcomes.outcomes(programs, program, (*kernel_outcomes.SPLIT, level))
    assert split == kernel_outcomes.outcomes(programs, program, kernel_outcomes.FIBRES)


def test_most_of_them_are_split(programs: hiprtc_program.Kernels) -> None:
    """Otherwise the comparison would show nothing."""
    compiled = programs.compile(random_kernels.program(range(FIRST, FIRST + TOGETHER)).source, "-O0")
    with_barriers = [split for barriers, split in hiprtc_program.forms(compiled).values() if barriers]
    assert len(with_barriers) >= 0.9 * TOGETHER
    assert sum(with_barriers) >= 0.7 * len(with_barriers)


@pytest.mark.long
@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_compiler_gives_the_same(programs: hiprtc_program.Kernels, compiler: str, runtime_folder: Path) -> None:
    command = hiprtc_program.find_compiler(compiler)
    if not command:
        pytest.skip(f"no {compiler} here")
    expected = kernel_outcomes.outcomes(
        programs, random_kernels.program(range(FIRST, FIRST + TOGETHER)), kernel_outcomes.FIBRES
    )
    for options in ((*kernel_outcomes.SPLIT, "-O1"), ("--cuda-shim-split=0", "-O3")):
        assert by_worker(runtime_folder, command, options) == expected, options


def by_worker(folder: Path, compiler: str, options: tuple[str, ...]) -> dict[str, str]:
    """The first kernels' outcomes in a process that uses a compiler of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.hip_on_host.kernel_outcomes", str(folder)],
        input=f"{FIRST} {TOGETHER} {' '.join(options)}\n", env={**os.environ, "CUDA_SHIM_CPU_CXX": compiler},
        cwd=ROOT, capture_output=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answer: dict[str, str] = json.loads(done.stdout)
    return answer
