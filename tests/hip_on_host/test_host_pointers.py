"""Pointers to the program's own memory: kernels do not reach it, in each form, with each compiler, by each kind of parameter."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hip_on_host.hiprtc_program import find_compiler

FOLDER = Path(__file__).parent
SOURCE = FOLDER / "programs/host_pointers.cu"
COMPILERS = ["clang++-19", "g++", "zig"]
FORMS = ["LOOP", "SPLIT", "FIBRES"]
#: Kernels that use the pointer; what the log names.
USES = {
    "pointer": "parameter 1 (x)", "behind_numbers": "parameter 3 (x)", "reads": "parameter 1 (x)",
    "reference": "parameter 1 (x)", "nested": "parameter 1 (o)", "either": "parameter 1 (e)",
    "view": "parameter 1 (v)", "adds": "parameter 1 (x)", "called": "parameter 1 (f) holds",
}  # fmt: skip
#: A jump to no code is another fault than an access.
STATUSES = {"called": "hipErrorLaunchFailure"}


@functools.cache
def run(folder: Path, compiler: str, form: str, **settings: str) -> tuple[list[dict[str, Any]], str]:
    """Return the results of the program, and its log."""
    command = find_compiler(compiler)
    if not command:
        pytest.skip(f"{compiler} is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "tests.hip_on_host.host_pointers", str(folder), str(SOURCE), form],
        env={**os.environ, "CUDA_SHIM_CPU_CXX": command, **settings}, cwd=FOLDER.parents[1], capture_output=True,
        encoding="utf-8", timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("form", FORMS)
def test_the_use_of_host_memory_is_an_illegal_address(runtime_folder: Path, compiler: str, form: str) -> None:
    results, log = run(runtime_folder, compiler, form)
    by_kernel = {result["kernel"]: result for result in results if "kernel" in result}
    for kernel, parameter in USES.items():
        status = STATUSES.get(kernel, "hipErrorIllegalAddress")
        assert by_kernel[kernel] == {"kernel": kernel, "status": status, "changed": False}, log
        (line,) = [line for line in log.splitlines() if f"kernel {kernel} was stopped" in line]
        assert parameter in line
        assert "cudaHostRegister" in line


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("form", FORMS)
def test_a_pointer_that_is_not_used_and_a_number_do_no_harm(runtime_folder: Path, compiler: str, form: str) -> None:
    results, log = run(runtime_folder, compiler, form)
    by_kernel = {result["kernel"]: result for result in results if "kernel" in result}
    assert {by_kernel[kernel]["status"] for kernel in ("unused", "number")} == {"hipSuccess"}, log


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("form", FORMS)
def test_memory_that_a_gpu_reaches_is_used(runtime_folder: Path, compiler: str, form: str) -> None:
    results, log = run(runtime_folder, compiler, form)
    by_place = {result["place"]: set(result["statuses"]) for result in results if "place" in result}
    assert by_place.keys() == {"registered", "pinned", "managed", "device", "end of registered"}
    assert set().union(*by_place.values()) == {"hipSuccess"}, log


@pytest.mark.parametrize("checks", ["CUDA_SHIM_CPU_CHECK", "CUDA_SHIM_CPU_DEBUG"])
def test_checks_name_the_parameter_too(runtime_folder: Path, checks: str) -> None:
    results, log = run(runtime_folder, "clang++-19", "LOOP", **{checks: "1"})
    by_kernel = {result["kernel"]: result for result in results if "kernel" in result}
    for kernel, parameter in USES.items():
        assert by_kernel[kernel]["status"] == STATUSES.get(kernel, "hipErrorIllegalAddress"), log
        (line,) = [line for line in log.splitlines() if f"kernel {kernel} was stopped" in line]
        assert parameter in line


def test_a_setting_lets_kernels_use_host_memory(runtime_folder: Path) -> None:
    results, log = run(runtime_folder, "clang++-19", "LOOP", CUDA_SHIM_CPU_HOST_POINTERS="1")
    by_kernel = {result["kernel"]: result for result in results if "kernel" in result}
    for kernel in USES.keys() - {"reads", "called"}:
        assert by_kernel[kernel] == {"kernel": kernel, "status": "hipSuccess", "changed": True}, log
