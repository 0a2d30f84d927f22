"""Kernels that overrun their arrays, recurse without an end or call what is no function: faults of theirs alone.

The process lives on, its memory is as it was, and right kernels give their results afterwards, in forked children too.
An H200 calls writes of 80 to 200 elements of an array of 64 a success, and those of 1000 and more an illegal address.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hip_on_host.kernel_modules import compile_module

PROGRAMS = Path(__file__).with_name("programs")
COMPILERS = {
    name: command
    for name, command in {
        "clang++-19": shutil.which("clang++-19"), "g++": shutil.which("g++"), "zig": f"{sys.executable} -m ziglang c++",
    }.items()
    if command
}  # fmt: skip
COUNTS = [
    60,
    64,
    66,
    68,
    72,
    80,
    96,
    110,
    128,
    150,
    200,
    300,
    500,
    700,
    1000,
    1500,
    2000,
    4000,
    8000,
    20000,
    50000,
    100000,
]
#: From within the array's own stack to the end of what an int can index.
DISTANCES = [0, 17, 1000, 10**5, 10**7, 5 * 10**8, 2 * 10**9, -100, -5000, -3 * 10**6, -(10**8), -2 * 10**9]
OVERRUN = {"CUDA_SUCCESS", "CUDA_ERROR_ILLEGAL_ADDRESS", "CUDA_ERROR_LAUNCH_FAILED"}


def outcomes(
    image: str, cases: list[tuple[str, int]], *where: str, compiler: str = "", **environment: str
) -> dict[tuple[str, int], tuple[str, int]]:
    """Return the status and the first result of each case; the program itself asserts that the rest lives on."""
    settings = ["--backend", "cpu", *(["--cpu-cxx", compiler] if compiler else [])]
    command = [sys.executable, "-m", "cuda_shim", "run", *settings]
    arguments = [str(PROGRAMS / "kernel_stacks.py"), str(PROGRAMS / image), json.dumps(cases), *where]
    environment = {**os.environ, "CUDA_SHIM_CPU_LOG": "off", **environment}
    done = subprocess.run(
        command + arguments, env=environment, capture_output=True, text=True, timeout=300, check=False
    )  # a kernel that never ends is a failure
    assert done.returncode == 0, done.stdout[-300:] + done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == len(cases), done.stderr
    return {(kernel, number): (status, result) for kernel, number, status, result in rows}


@pytest.mark.parametrize("split", ["1", "0"])
@pytest.mark.parametrize("where", ["parent", "child"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_an_array_that_is_overrun_harms_the_kernel_alone(compiler: str, where: str, split: str) -> None:
    cases = [(kernel, count) for kernel in ("loop", "barrier", "call") for count in COUNTS]
    child = ["child"] if where == "child" else []
    found = outcomes("kernel_stacks.cu", cases, *child, compiler=COMPILERS[compiler], CUDA_SHIM_CPU_SPLIT=split)
    assert {status for status, _ in found.values()} <= OVERRUN
    assert found["loop", 64][0] == found["barrier", 60][0] == found["call", 64][0] == "CUDA_SUCCESS"


@pytest.mark.parametrize("where", ["parent", "child"])
def test_local_memory_of_ptx_that_is_overrun_harms_the_kernel_alone(where: str) -> None:
    cases = [(kernel, count) for kernel in ("loop", "barrier", "call") for count in COUNTS]
    found = outcomes("kernel_stacks.ptx", cases, *(["child"] if where == "child" else []))
    assert {status for status, _ in found.values()} <= OVERRUN


@pytest.mark.parametrize("split", ["1", "0"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_an_index_that_is_wrong_by_far_reaches_no_other_memory(compiler: str, split: str) -> None:
    """Guards as wide as an int can index ints lie around the stack; within it, only the kernel's frames do."""
    cases = [("far", distance) for distance in DISTANCES]
    found = outcomes("kernel_stacks.cu", cases, compiler=COMPILERS[compiler], CUDA_SHIM_CPU_SPLIT=split)
    statuses = {distance: status for (_, distance), (status, _) in found.items()}
    outside = {status for distance, status in statuses.items() if abs(distance) > 4 * 10**6 or distance >= 0}
    assert outside == {"CUDA_ERROR_ILLEGAL_ADDRESS"}, statuses
    assert set(statuses.values()) <= OVERRUN


@pytest.mark.parametrize("image", ["kernel_stacks.cu", "kernel_stacks.ptx"])
def test_a_call_of_what_is_no_function_fails_the_launch(image: str) -> None:
    """An H200 fails calls of null (with an error that HIP does not have) and never ends others."""
    wrong = [("null_call", 0), ("data_call", 0), ("value_call", 0), ("value_call", 1), ("value_call", 9)]
    found = outcomes(image, [*wrong, ("right_call", 0), ("right_call", 1)])
    assert {found[case][0] for case in wrong} == {"CUDA_ERROR_LAUNCH_FAILED"}
    assert found["right_call", 0] == found["right_call", 1] == ("CUDA_SUCCESS", 42)


FAULTS = """
sys.path.insert(0, {folder!r})
from kernel_modules import Kernels
kernels = Kernels(hip)
faulty = kernels.load({path!r})
streams = [check(hip.hipStreamCreate()) for _ in range(2)]
bad, deep = (kernels.function(faulty, kernel) for kernel in ("bad_pointer", "overflow"))
def fault(count):
    for i in range(count):
        kernels.launch(*((bad, 4, 32, ctypes.c_void_p(64)) if i % 2 else (deep, 1, 1)), stream=streams[i // 2 % 2])
    return {{name(hip.hipStreamSynchronize(stream)) for stream in streams}} | {{name(hip.hipDeviceSynchronize())}}
def in_threads():
    results = []
    threads = [threading.Thread(target=lambda: results.append(fault(50))) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    return set().union(*results)
"""


@pytest.mark.parametrize("where", ["", "if (child := os.fork()): sys.exit(os.waitpid(child, 0)[1])\n"])
@pytest.mark.parametrize("turn", ["fault(200)", "in_threads()"])
def test_many_faults_on_streams_and_threads_end(run_hip: Callable[..., str], turn: str, where: str) -> None:
    """The first error stays until the reset, whatever is launched."""
    prelude = FAULTS.format(path=str(compile_module("faulty")), folder=str(PROGRAMS.parent))
    out = run_hip(prelude + where + f"print({turn}, flush=True)\nos._exit(0)", CUDA_SHIM_CPU_LOG="off")
    assert out == "{'hipErrorIllegalAddress'}\n"
