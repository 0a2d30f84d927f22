"""Kernels where g++ is the only compiler and no Clang reads them: tokens alone decide which of them become loops."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interpreters import link_programs_without_clang
from tests.program_files import read_program

# g++ builds the runtime first, which takes a minute: one worker of xdist does it for all tests here.
pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed"),
    pytest.mark.xdist_group("g++ alone"),
]

#: Runs every kernel of the file in argv[2], with 64 threads, and prints its results in `out` and its last argument.
LAUNCH = read_program(__file__, "gcc_alone_launch.py")

MIXED = read_program(__file__, "gcc_alone_mixed.cu")

THREADS = range(64)
RIGHT = {
    "guarded": [2 * t if t < 60 else 0 for t in THREADS],
    "changes_its_parameters": [60 - t for t in THREADS],
    "unnamed": [3 + t for t in THREADS],
    "neighbours": [t ^ 1 for t in THREADS],
    "further": [(t ^ 1) + 1 for t in THREADS],
    "polls": [1] * 63 + [5],
}
LOOPS = ("guarded", "changes_its_parameters", "unnamed")

WAIT = """
__device__ int wait(int x) {
    __shared__ int all[64];
    all[threadIdx.x] = x;
    __syncthreads();
    return all[threadIdx.x ^ 1];
}
"""
#: Programs with a kernel that waits without naming a barrier itself: none of their kernels may become a loop.
HIDDEN = {
    "method": """
struct Box {
    int* all;
    __device__ int operator()(int x) { all[threadIdx.x] = x; __syncthreads(); return all[threadIdx.x ^ 1]; }
};
extern "C" __global__ void k(int* out, int n) {
    __shared__ int all[64];
    Box box{all};
    out[threadIdx.x] = box(threadIdx.x);
}""",
    "pointer": WAIT
    + """__device__ int (*const chosen)(int) = wait;
extern "C" __global__ void k(int* out, int n) { out[threadIdx.x] = chosen(threadIdx.x); }""",
    "stored": WAIT
    + """__device__ int (*chosen)(int);
extern "C" __global__ void store(int* out, int n) { chosen = wait; }
extern "C" __global__ void k(int* out, int n) { chosen = nullptr; out[threadIdx.x] = threadIdx.x ^ 1; }""",
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PATH that has every program of this one except Clang and zig."""
    return link_programs_without_clang(tmp_path_factory.mktemp("bin"))


def run(source: str, names: list[str], path: Path, folder: Path) -> tuple[dict[str, list[int]], str]:
    """Return each kernel's results, and the text on stderr."""
    program, kernels = folder / "launch.py", folder / "kernels.cu"
    program.write_text("import sys\nsys.modules['ziglang'] = None\n" + LAUNCH)
    kernels.write_text(source)
    unset = ("CUDA_SHIM_CXX", "CXX", "CUDA_SHIM_CPU_CXX", "CUDA_SHIM_CPU_CLANG")
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.modules['ziglang'] = None; import cuda_shim.cli.main as m; m.main()",
         "run", "--backend", "cpu", program, kernels, *names],
        env={**{k: v for k, v in os.environ.items() if k not in unset}, "PATH": str(path), "CUDA_SHIM_CPU_LOG": "info"},
        capture_output=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = (line.split() for line in done.stdout.splitlines())
    return {name: [int(value) for value in values] for name, *values in lines}, done.stderr


def test_kernels_without_barriers_are_loops(path: Path, tmp_path: Path) -> None:
    results, log = run(MIXED, list(RIGHT), path, tmp_path)
    assert results == RIGHT
    forms = {name: log.split(f"kernel {name}: ", 1)[1].splitlines()[0] for name in RIGHT}
    loops = [name for name, form in forms.items() if form.startswith("a loop over the threads")]
    assert loops == list(LOOPS), forms
    warnings = [line for line in log.splitlines() if "thread by thread" in line and "about" in line]
    assert len(warnings) == 1
    assert warnings[0].endswith("pip install ziglang==0.14.1")


STRIDED = """
extern "C" __global__ void strided(int* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = i;
}"""


def test_a_loop_of_threads_that_take_turns_is_warned_of(path: Path, tmp_path: Path) -> None:
    results, log = run(STRIDED, ["strided"], path, tmp_path)
    assert results["strided"] == [t if t < 60 else 0 for t in THREADS]
    assert log.count("kernel strided runs thread by thread") == 1


@pytest.mark.parametrize("kind", HIDDEN)
def test_kernels_that_may_wait_are_none(path: Path, tmp_path: Path, kind: str) -> None:
    results, log = run(HIDDEN[kind], ["k"], path, tmp_path)
    assert results["k"] == [t ^ 1 for t in THREADS]
    assert "kernel k: fibres" in log
