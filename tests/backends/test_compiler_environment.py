"""The environment of compilers, of kernels and of the runtime: a list of variables, the same in both languages."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hip_on_host.compiler_environment import compiler_environment
from hip_on_host.compiler_names import DEFAULT_PATH, ENVIRONMENT
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.interpreters import PACKAGE_ROOT, clean_environment

# Each names folders that a compiler searches.
HOSTILE = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH")
KERNEL = """
from cuda.bindings import nvrtc
source = b'#include <cstdint>\\nextern "C" __global__ void f(int *a) { a[0] = %d; }'
program = nvrtc.nvrtcCreateProgram(source, b"f.cu", 0, None, None)[1]
status = nvrtc.nvrtcCompileProgram(program, 0, None)[0]
log = bytearray(nvrtc.nvrtcGetProgramLogSize(program)[1])
nvrtc.nvrtcGetProgramLog(program, log)
print(status.name, log.decode().strip("\\0"))
"""
SPY = """#!/bin/sh
env >> {record}
exec clang++-19 "$@"
"""


def test_the_list_is_what_compilers_get(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PATH")
    monkeypatch.setenv("HOME", "/home/of/user")
    monkeypatch.setenv("CPATH", "/surprise")
    monkeypatch.setenv("GCC_EXEC_PREFIX", "/surprise")
    environment = compiler_environment({"TMPDIR": "/of/build"})
    assert set(environment) <= {*ENVIRONMENT, "PATH", "LC_ALL"}
    assert environment["PATH"] == DEFAULT_PATH
    assert (environment["HOME"], environment["TMPDIR"], environment["LC_ALL"]) == ("/home/of/user", "/of/build", "C")


def compile_kernel(cxx: str, **environment: str) -> str:
    """Return the status of a kernel that no cache has, and its log."""
    if "CUDA_SHIM_CACHE_DIR" in os.environ:  # it has the runtime
        environment["CUDA_SHIM_CACHE_DIR"] = os.environ["CUDA_SHIM_CACHE_DIR"]
    done = subprocess.run(
        [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", "--quiet", "-c", KERNEL % (time.time_ns() % (1 << 31))],
        env=clean_environment(PYTHONPATH=str(PACKAGE_ROOT), CUDA_SHIM_CPU_CXX=cxx, **environment),
        capture_output=True, text=True, timeout=400, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.strip()


@pytest.mark.parametrize("name", ["clang++-19", "g++"])
def test_a_kernel_compiles_beside_hostile_variables(name: str, tmp_path: Path) -> None:
    compiler = find_compiler(name)
    if not compiler:
        pytest.skip(f"{name} is not installed")
    (tmp_path / "cstdint").write_text("#error the program's CPATH was read\n")
    variables = dict.fromkeys(HOSTILE, str(tmp_path))
    variables |= {"GCC_EXEC_PREFIX": f"{tmp_path}/", "CCC_OVERRIDE_OPTIONS": "+-DNO +-fsyntax-only"}
    assert compile_kernel(compiler, **variables) == "NVRTC_SUCCESS"


def test_a_compiler_of_kernels_gets_the_list_alone(tmp_path: Path) -> None:
    if not find_compiler("clang++-19"):
        pytest.skip("clang++-19 is not installed")
    record, compiler = tmp_path / "record", tmp_path / "clang++-19"
    compiler.write_text(SPY.format(record=record))
    compiler.chmod(0o755)
    (tmp_path / "temporary").mkdir()
    variables = {
        "CPATH": "/surprise",
        "LANG": "de_DE.UTF-8",
        "CCACHE_DIR": "/own",
        "TMPDIR": str(tmp_path / "temporary"),
    }
    assert compile_kernel(str(compiler), **variables) == "NVRTC_SUCCESS"
    seen = [line.split("=", 1) for line in record.read_text().splitlines()]
    names = {name for name, _ in seen}
    # The shell of the script adds the last ones.
    assert names <= {*ENVIRONMENT, "PATH", "LC_ALL", "PWD", "OLDPWD", "SHLVL", "_"}
    assert {"HOME", "PATH", "LC_ALL", "TMPDIR", "CCACHE_DIR"} <= names
