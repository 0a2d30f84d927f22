"""Reports of a program's own mistakes: its name, its lines, its columns, and nothing about ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.hip_on_host import hiprtc_program
from tests.hip_on_host.hiprtc_program import CompileError

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def hiprtc(runtime_folder: Path) -> ModuleType:
    return hiprtc_program.load(runtime_folder)


#: Programs with one mistake each: the line and column that it is found at, and a word of the message.
MISTAKES = {
    "kernel with a result": ('#define EXPORT extern "C"\n\nEXPORT __global__ int k(int* x) {\n  return 1;\n}', 3, None, "void return type"),
    "undeclared name": ('extern "C" __global__ void k(int* x) {\n    x[0] = missing;\n}', 2, 12, "missing"),
    "missing semicolon": ("__global__ void k(int* x) {\n  int a = 1\n  x[0] = a;\n}", None, None, "expected"),
    "wrong type": ("__global__ void k(float* x) {\n\n  int* p = x;\n}", 3, None, "float"),
    "unknown type": ("\n\nflaot y;\n__global__ void k() {}", 3, 1, "flaot"),
    "call with too few arguments": ("__device__ int f(int a, int b) { return a + b; }\n__global__ void k(int* x) { *x = f(1); }", 2, None, "f"),
    "missing brace": ("__global__ void k(int* x) {\n  if (x) {\n", None, None, "}"),
    "no such member": ("__global__ void k(int* x) {\n  x[0] = threadIdx.w;\n}", 2, 20, "w"),
    "assignment to a constant": ("__global__ void k(const int* x) {\n  x[0] = 1;\n}", 2, None, "read-only"),
    "error directive": ("#if 1\n#error choose another\n#endif", 2, None, "choose another"),
    "missing header": ('\n#include "nowhere.h"\n', 2, None, "nowhere.h"),
    "redefinition": ("__device__ int a;\n__device__ int a;\n", 2, 16, "a"),
    "in a macro": ("#define GET(i) values[i]\n__global__ void k(int* x) {\n  x[0] = GET(3);\n}", None, None, "values"),
    "in a barrier kernel": ("__global__ void k(int* x) {\n  __shared__ int s[4];\n  s[0] = 1; __syncthreads();\n  x[0] = s[0] + tooMuch;\n}", 4, 17, "tooMuch"),
    "dynamic shared memory": ("__global__ void k(int* x) {\n  extern __shared__ int s[]; x[0] = s[0] + nope;\n}", 2, 44, "nope"),
    "template without instantiation": ("template <class T> __global__ void k(T* x) {\n  undeclared_name = 1;\n}", 2, 3, "undeclared_name"),
    "void used": ("__device__ void f() {}\n__global__ void k(int* x) {\n  x[0] = f();\n}", 3, None, "void"),
}  # fmt: skip


@pytest.mark.parametrize("case", MISTAKES)
def test_the_log_points_at_the_mistake(hiprtc: ModuleType, case: str) -> None:
    source, line, column, word = MISTAKES[case]
    with pytest.raises(CompileError) as caught:
        hiprtc_program.compile_program(hiprtc, source, program_name="mine.cu")
    assert caught.value.status == "HIPRTC_ERROR_COMPILATION"
    log = caught.value.log
    assert word in log
    expected = "mine.cu:" if line is None else f"mine.cu:{line}:" if column is None else f"mine.cu:{line}:{column}:"
    assert expected in log
    assert "error" in log
    # The log shows neither the translated program nor its place.
    for noise in ("cuda_shim_split", "CUDA_SHIM_THREADS", "/tmp-", "kernel.cpp", "original/"):
        assert noise not in log


def test_an_error_in_a_given_header_names_the_header(hiprtc: ModuleType) -> None:
    with pytest.raises(CompileError) as caught:
        hiprtc_program.compile_program(
            hiprtc, '#include "util.h"\n__global__ void k() {}', headers={"util.h": "\n\nint broken = ;\n"}
        )
    assert "util.h:3:14: error" in caught.value.log
    assert "/util.h" not in caught.value.log


def test_a_wrong_instantiation_is_shown_in_the_programs_lines(hiprtc: ModuleType) -> None:
    with pytest.raises(CompileError) as caught:
        hiprtc_program.compile_program(
            hiprtc,
            "template <class T> __global__ void k(T* x) {\n  x->count = 1;\n}",
            names=["k<float>"],
            program_name="t.cu",
        )
    assert "t.cu:2:" in caught.value.log
    assert "k<float>" in caught.value.log


def test_a_name_expression_that_names_nothing_is_shown(hiprtc: ModuleType) -> None:
    with pytest.raises(CompileError) as caught:
        hiprtc_program.compile_program(hiprtc, "__global__ void k() {}", names=["absent<int>"])
    assert "name expression absent<int>" in caught.value.log


@pytest.mark.parametrize(
    "name", ["path/to/saxpy.cu", "with blank.cu", "", "noending", "/abs/olute.cu", "../up.cu", 'quo"te.cu']
)
def test_any_program_name_is_used_as_it_is(hiprtc: ModuleType, name: str) -> None:
    with pytest.raises(CompileError) as caught:
        hiprtc_program.compile_program(hiprtc, "int x = y;", program_name=name)
    assert f"{name or 'default_program'}:1:9: error" in caught.value.log


def test_warnings_are_shown_when_asked_for(hiprtc: ModuleType) -> None:
    source = 'extern "C" __global__ void k(int* x) {\n  int unused = 3;\n  x[0] = 1;\n}'
    assert hiprtc_program.compile_program(hiprtc, source).log == ""
    warned = hiprtc_program.compile_program(hiprtc, source, ["-Wall"], program_name="w.cu")
    assert "w.cu:2:7: warning" in warned.log


def run(runtime_folder: Path, code: str, **environment: str) -> str:
    """Run code in a fresh interpreter that has hiprtc and compile_program."""
    prelude = f"import sys; sys.path.insert(0, {str(HERE.parents[1])!r})\n" + (
        "from tests.hip_on_host.hiprtc_program import *\n" + f"hiprtc = load({str(runtime_folder)!r})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", prelude + code], env={**os.environ, **environment}, capture_output=True, encoding="utf-8",
        timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


TRY = """
try:
    compile_program(hiprtc, 'extern "C" __global__ void k(int* x) { *x = 1; }')
    print("compiled")
except CompileError as error:
    print(error.status, error.log, end="")
"""


def test_without_a_compiler_the_log_says_what_to_install(
    runtime_folder: Path, hiprtc: ModuleType, tmp_path: Path
) -> None:
    said = run(runtime_folder, TRY, PATH=str(tmp_path), CXX="", CUDA_SHIM_CPU_CXX="", CUDA_SHIM_CACHE_DIR=str(tmp_path / "cache"),
               CUDA_SHIM_TEST_RUNTIME=str(runtime_folder))  # fmt: skip
    assert (
        said
        == "HIPRTC_ERROR_COMPILATION no C++ compiler found; install clang++ or g++, or: pip install ziglang==0.14.1\n"
    )


def test_a_named_compiler_that_is_not_there_is_not_replaced(
    runtime_folder: Path, hiprtc: ModuleType, tmp_path: Path
) -> None:
    said = run(runtime_folder, TRY, CUDA_SHIM_CPU_CXX="/no/such/c++ -x", CUDA_SHIM_CACHE_DIR=str(tmp_path / "cache"),
               CUDA_SHIM_TEST_RUNTIME=str(runtime_folder))  # fmt: skip
    assert "/no/such/c++" in said
    assert said.startswith("HIPRTC_ERROR_COMPILATION")


def test_a_compiler_that_breaks_down_is_reported(runtime_folder: Path, hiprtc: ModuleType, tmp_path: Path) -> None:
    broken = tmp_path / "broken-c++"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    said = run(runtime_folder, TRY, CUDA_SHIM_CPU_CXX=str(broken), CUDA_SHIM_CACHE_DIR=str(tmp_path / "cache"),
               CUDA_SHIM_TEST_RUNTIME=str(runtime_folder))  # fmt: skip
    assert said.startswith("HIPRTC_ERROR_COMPILATION")
    assert "status 3" in said
