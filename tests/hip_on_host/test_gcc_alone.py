"""Kernels where g++ is the only compiler and no Clang reads them: tokens alone decide which of them become loops."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# g++ builds the runtime first, which takes a minute: one worker of xdist does it for all tests here.
pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed"),
    pytest.mark.xdist_group("g++ alone"),
]

#: Runs every kernel of the file in argv[2], with 64 threads, and prints its results in `out` and its last argument.
LAUNCH = """
import ctypes, sys
import numpy as np
from pathlib import Path
from cuda.bindings import driver, nvrtc

def ok(answer):
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) == 2 else None

ok(driver.cuInit(0))
ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(0))))
program = ok(nvrtc.nvrtcCreateProgram(Path(sys.argv[1]).read_bytes(), b"k.cu", 0, [], []))
ok(nvrtc.nvrtcCompileProgram(program, 0, []))
code = bytearray(ok(nvrtc.nvrtcGetCUBINSize(program)))
ok(nvrtc.nvrtcGetCUBIN(program, code))
module = ok(driver.cuModuleLoadData(bytes(code)))
values = np.zeros(64, np.int32)
out = ok(driver.cuMemAlloc(values.nbytes))
for name in sys.argv[2:]:
    ok(driver.cuMemsetD8(out, 0, values.nbytes))
    function = ok(driver.cuModuleGetFunction(module, name.encode()))
    ok(driver.cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, 0, ((out, 60), (None, ctypes.c_int)), 0))
    ok(driver.cuMemcpyDtoH(values.ctypes.data, out, values.nbytes))
    print(name, *values)
"""

MIXED = """
__device__ int doubled(int x) { return 2 * x; }
__device__ int from_neighbour(int x) {
    __shared__ int all[64];
    all[threadIdx.x] = x;
    __syncthreads();
    return all[threadIdx.x ^ 1];
}
__device__ int through(int x) { return from_neighbour(x) + 1; }
template <class... Ts> __device__ int sum_of(Ts... values) { return (values + ...); }

extern "C" __global__ void guarded(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = doubled(i);
}
extern "C" __global__ void changes_its_parameters(int* out, int n) {
    out += threadIdx.x;
    n -= threadIdx.x;
    *out = n;
}
extern "C" __global__ void unnamed(int* out, int) { out[threadIdx.x] = sum_of(1, 2, (int)threadIdx.x); }
extern "C" __global__ void neighbours(int* out, int n) { out[threadIdx.x] = from_neighbour(threadIdx.x); }
extern "C" __global__ void further(int* out, int n) { out[threadIdx.x] = through(threadIdx.x); }
extern "C" __global__ void polls(int* out, int n) {
    volatile int* flag = out + 63;
    if (threadIdx.x == 63) *flag = 5;
    while (*flag != 5) {}
    if (threadIdx.x < 63) out[threadIdx.x] = 1;
}
"""

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
    folder = tmp_path_factory.mktemp("bin")
    for source in os.environ["PATH"].split(os.pathsep):
        for program in Path(source).iterdir() if Path(source).is_dir() else ():
            if not any(word in program.name for word in ("clang", "zig", "c++")) or program.name == "g++":
                (folder / program.name).symlink_to(program) if not (folder / program.name).exists() else None
    return folder


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
