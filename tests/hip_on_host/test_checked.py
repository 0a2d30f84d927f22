"""Checked mode: each kind of mistake is found, at its thread and line, with every compiler; and nothing else is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.hip_on_host import hip_program
from tests.hip_on_host.checked_run import COMPILERS, outcomes

SOURCE = Path(__file__).with_name("checked.cu")

PROGRAM = """
import json
import numpy as np
import hiprtc_program
from hiprtc_program import Kernels, value
kernels = Kernels(hip, hiprtc_program.load({folder!r}))
module = kernels.load(open({source!r}).read())
SHARED = {{"dynamic_behind": 200, "orderly": 256}}
for kernel in json.loads({wanted!r}):
    print(f"[{{kernel}}]", file=sys.stderr, flush=True)
    x = module.upload(np.arange(64, dtype="f4"))
    if kernel == "use_freed":
        value(hip.hipFree(x))
    argument = ctypes.c_void_p(int(x))
    params = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
    launched = hip.hipModuleLaunchKernel(
        module.function(kernel), 1, 1, 1, 64, 1, 1, SHARED.get(kernel, 0), None, params, None)
    print(kernel, name(launched), name(hip.hipDeviceSynchronize()), flush=True)
    module.reset_device()
"""

ILLEGAL, FAILED = "hipErrorIllegalAddress", "hipErrorLaunchFailure"

# Kernel: the error, the thread, and its line in the log.
WRONG = {
    "write_behind": (ILLEGAL, 61, "illegal write of 4 bytes .* right behind the 256 bytes of device memory"),
    "read_behind": (ILLEGAL, 32, "illegal read of 4 bytes .* right behind the 256 bytes of device memory"),
    "read_before": (ILLEGAL, 7, "illegal read of 4 bytes .* 4 bytes before the 256 bytes of device memory"),
    "atomic_behind": (ILLEGAL, 0, "illegal atomic operation on 4 bytes .* right behind the 256 bytes of device memory"),
    "null_pointer": (ILLEGAL, 5, "illegal write of 4 bytes at address 0xc, where the device has no memory"),
    "use_freed": (ILLEGAL, 0, "illegal read of 4 bytes .* 0 bytes into the 256 bytes of freed device memory"),
    "misaligned": (ILLEGAL, 1, "misaligned write of 8 bytes at address 0x"),
    "copy_behind": (ILLEGAL, 32, "illegal write of (8|16|32) bytes .* right behind the 256 bytes of device memory"),
    "copy_bytes": (ILLEGAL, 0, "illegal write of 57 bytes .* over the end of the 256 bytes"),
    "variable_behind": (ILLEGAL, 3, r"index 3 is out of bounds of an array of type 'int *\[3\]'"),
    "shared_behind": (ILLEGAL, 33, r"index 33 is out of bounds of an array of type 'float *\[33\]'"),
    "dynamic_behind": (ILLEGAL, 50, "illegal write of 4 bytes .* right behind the 200 bytes of dynamic shared memory"),
    "unwritten": (FAILED, 32, "read of 4 bytes of shared memory that no thread of the block has written, 128 bytes into"),
    "race": (FAILED, 2, r"race on shared memory: read of 4 bytes .* thread \(1,0,0\) wrote at kernel.cu:\d+ with no"),
    "race_of_reads": (FAILED, 1, r"race .* read of 4 bytes .* variable total .* thread \(0,0,0\) wrote at kernel.cu:\d+"),
    "race_of_counts": (FAILED, 10, r"race .* write of 4 bytes .* variable count .* thread \(9,0,0\) wrote"),
    "race_of_warps": (FAILED, 32, r"race .* write of 4 bytes .* thread \(31,0,0\) read at kernel.cu:\d+"),
    "divergent": (FAILED, 40, r"divergent barrier: thread \(0,0,0\) of the block waits at another one at kernel.cu:\d+"),
    "freed_heap": (ILLEGAL, 0, "illegal read of 4 bytes .* 12 bytes into the 16 bytes of freed memory from the device's heap"),
    "heap_behind": (ILLEGAL, 4, "illegal write of 4 bytes .* right behind the 16 bytes of memory from the device's heap"),
    "heap_before": (ILLEGAL, 9, "illegal write of 4 bytes .* 4 bytes before the 16 bytes of memory from the device's heap"),
    "freed_twice": (ILLEGAL, 0, r"free\(\) or delete of what is not, or no longer, on the device's heap"),
}  # fmt: skip
RIGHT = ["orderly", "early"]


def marked_line(kernel: str) -> int:
    """The line of the program where the kernel goes wrong."""
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    elsewhere = [number for number, line in enumerate(lines, 1) if line.endswith(f"// here {kernel}")]
    start = next(number for number, line in enumerate(lines, 1) if f"void {kernel}(" in line)
    return (
        elsewhere or [number for number, line in enumerate(lines, 1) if number > start and line.endswith("// here")]
    )[0]


@pytest.fixture(params=COMPILERS)
def outcome(request, runtime_folder):
    program = PROGRAM.format(folder=str(runtime_folder), source=str(SOURCE), wanted=json.dumps([*WRONG, *RIGHT]))
    results, logs = outcomes(runtime_folder, program, request.param)
    return lambda kernel: (results[kernel], logs[kernel])


@pytest.mark.parametrize("kernel", WRONG)
def test_what_is_wrong_is_found_where_it_is(kernel, outcome):
    error, thread, said = WRONG[kernel]
    results, log = outcome(kernel)
    assert results == ["hipSuccess", error], log
    place = rf"kernel {kernel} was stopped in block \([01],0,0\), thread \({thread},0,0\), at kernel.cu:{marked_line(kernel)}: "
    assert re.search(place + said, log), log
    assert log.count(" was stopped in ") == 1


def test_what_is_right_is_left_alone(outcome):
    assert outcome("orderly") == (["hipSuccess", "hipSuccess"], "\n")


def test_threads_that_return_before_a_barrier_are_warned_of(outcome):
    results, log = outcome("early")
    assert results == ["hipSuccess", "hipSuccess"], log
    assert f"40 of the block's 64 threads meet at the barrier at kernel.cu:{marked_line('early')}" in log
    assert log.count("early") == 1


def test_modules_compiled_without_checks_are_reported(run_hip, runtime_folder, tmp_path):
    code = PROGRAM.format(folder=str(runtime_folder), source=str(SOURCE), wanted="[]")
    path = tmp_path / "module"
    run_hip(code + f"open({str(path)!r}, 'wb').write(kernels.compile('__global__ void plain() {{}}').code)")
    load = f"check(hip.hipModuleLoadData(open({str(path)!r}, 'rb').read()))"
    done = hip_program.run(runtime_folder, load, CUDA_SHIM_CPU_CHECK="1")
    assert done.returncode == 0, done.stderr
    assert "compiled without CUDA_SHIM_CPU_CHECK=1" in done.stderr
