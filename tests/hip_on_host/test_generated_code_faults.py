"""Generated code that does not compile: a warning that asks for a report, and an error where fallbacks are off."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cuda_shim.backends.host import device_headers
from tests.hip_on_host.hiprtc_program import Kernels, forms, needs_reader, reasons
from tests.interpreters import start
from tests.program_files import read_program

pytestmark = needs_reader

PROGRAM = read_program(__file__, "generated_code_faults_program.py")
#: A macro of the headers that only the loops of a kernel with a shuffle use.
LOOPS = "CUDA_SHIM_WARP_THREADS"
KEPT = """
struct Large { double numbers[500]; };
extern "C" __global__ void sum(float* x) {
    Large large;
    for (int i = 0; i < 500; ++i) large.numbers[i] = x[threadIdx.x] + i;
    __syncthreads();
    x[threadIdx.x] = large.numbers[threadIdx.x];
}"""

Run = Callable[..., tuple[str, str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that compiles a kernel and launches it, with faulty headers if asked; its output and messages."""

    def run_program(broken: str = "", source: str = "", fallbacks: str = "1") -> tuple[str, str]:
        headers = tmp_path / "device"
        shutil.copytree(device_headers(), headers, dirs_exist_ok=True)
        shutil.copytree(Path(device_headers()).parent / "src/abi", tmp_path / "src/abi", dirs_exist_ok=True)
        for file in headers.rglob("*.h") if broken else ():
            text = file.read_text(encoding="utf-8")
            file.write_text(text.replace(f"#define {broken}", f"#define not_{broken}"), encoding="utf-8")
        environment = {
            "CUDA_SHIM_CPU_DEVICE_HEADERS": str(headers),
            "CUDA_SHIM_CPU_FALLBACKS": fallbacks,
            "CUDA_SHIM_CPU_LOG": "info",
            "CUDA_SHIM_QUIET": "1",
        }
        words = ("-m", "cuda_shim", "run", "--backend", "cpu", "-c", PROGRAM, source, str(tmp_path))
        done = start(*words, cwd=tmp_path, **environment)
        return done.stdout, done.stderr

    return run_program


def test_right_headers_have_no_fault(run: Run) -> None:
    output, messages = run(fallbacks="0")
    assert output == "NVRTC_SUCCESS\n\n[496.0, 496.0, 1520.0, 1520.0]\n"
    assert "kernel sum: loops, split at the barriers\n" in messages


def test_a_fault_is_a_warning_that_asks_for_a_report(run: Run) -> None:
    output, messages = run(LOOPS)
    assert output == "NVRTC_SUCCESS\n\n[496.0, 496.0, 1520.0, 1520.0]\n"
    assert "the code that hiprtc generates as loops of kernel sum does not compile, and slower code" in messages
    assert "please report this with the program's source (CUDA_SHIM_CPU_FALLBACKS=0 shows" in messages
    assert "kernel sum: fibres: its rewritten form does not compile" in messages


def test_a_fault_is_an_error_without_fallbacks(run: Run) -> None:
    output, _ = run(LOOPS, fallbacks="0")
    status, log = output.split("\n", 1)
    assert status == "NVRTC_ERROR_COMPILATION"
    assert log.startswith("the code generated as loops of kernel sum does not compile: please report it with")
    assert LOOPS in log


def test_a_requirement_that_only_the_compiler_can_judge_is_no_fault(run: Run) -> None:
    output, messages = run(source=KEPT, fallbacks="0")
    assert output.startswith("NVRTC_SUCCESS\n")
    assert "kernel sum: fibres: too much to keep for every thread of a block\n" in messages


BARRIERS = """
extern "C" __global__ void attribute(float* x) {
    __shared__ float s[64];
    [[maybe_unused]] const int t = threadIdx.x;
    [[maybe_unused]] float v = x[t];
    s[t] = v;
    __syncthreads();
    x[t] = s[63 - t] + v;
}
extern "C" __global__ void comma(float* x) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = x[t], __syncthreads();
    x[t] = s[63 - t];
}
extern "C" __global__ void own_type(float* x) {
    __shared__ float s[64];
    struct Pair { float a, b; } p = {x[threadIdx.x], 1};
    s[threadIdx.x] = p.a;
    __syncthreads();
    x[threadIdx.x] = s[63 - threadIdx.x] + p.b;
}
extern "C" __global__ void own_alignment(float* x) {
    __shared__ float s[64];
    alignas(16) float v[4] = {x[threadIdx.x]};
    s[threadIdx.x] = v[0];
    __syncthreads();
    x[threadIdx.x] = s[63 - threadIdx.x] + v[1];
}"""


def test_declarations_that_no_typedef_can_have(programs: Kernels) -> None:
    compiled = programs.compile(BARRIERS)
    split = {name for name, (_, is_split) in forms(compiled).items() if is_split}
    assert split == {"attribute", "comma"}
    assert reasons(compiled) == {
        "own_type": "a variable that is declared with its type is kept for every thread",
        "own_alignment": "a variable with an alignment is kept for every thread",
    }
