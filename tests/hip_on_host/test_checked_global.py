"""Checked mode and global memory: races and reads of unwritten memory are found; correct kernels are left alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.hip_on_host.checked_run import COMPILERS, outcomes

SOURCE = Path(__file__).with_name("checked_global.cu")

PROGRAM = """
import json
import numpy as np
import hiprtc_program
from hiprtc_program import Kernels
kernels = Kernels(hip, hiprtc_program.load({folder!r}))
for kernel in json.loads({wanted!r}):
    module = kernels.load(open({source!r}).read())
    print(f"[{{kernel}}]", file=sys.stderr, flush=True)
    x = module.upload(np.arange(256, dtype="i4"))
    y = check(hip.hipMalloc(1024))
    if kernel in ("locked", "grid_without_barrier"):  # the last block may be the first to run
        check(hip.hipMemset(y, 0, 1024))
    values = [ctypes.c_void_p(int(one)) for one in (x, x, y)]
    params = (ctypes.c_void_p * 4)(*map(ctypes.addressof, values))
    shape = module.function(kernel), 4, 1, 1, 64, 1, 1, 0, None, params
    together = kernel.startswith("grid_")
    launched = hip.hipModuleLaunchCooperativeKernel(*shape) if together else hip.hipModuleLaunchKernel(*shape, None)
    print(kernel, name(launched), name(hip.hipDeviceSynchronize()), flush=True)
    module.reset_device()
"""

WRONG = {
    "blocks_race": r"race on global memory: write of 4 bytes .* which thread .* of block \(\d,0,0\) wrote at kernel.cu:\d+",
    "threads_race": r"race on global memory: .* which thread \(\d+,0,0\) wrote at kernel.cu:\d+ with no barrier in between",
    "bytes_race": r"race on global memory: write of 1 byte .* which thread \(17,0,0\) wrote at kernel.cu:\d+",
    "variable_races": r"race on global memory: .* of a module's variable",
    "mixed_race": r"race on global memory: write of 4 bytes .* which thread \(31,0,0\) (wrote|read) at kernel.cu:\d+",
    "grid_without_barrier": r"race on global memory: (read|write) of 4 bytes .* of block \(\d,0,0\) (wrote|read) at kernel.cu:\d+",
    "reads_unwritten": r"read of 4 bytes that nobody has written, \d+ bytes into the 1024 bytes of device memory",
    "adds_to_unwritten": r"atomic operation on 4 bytes that nobody has written, \d+ bytes into the 1024 bytes",
}
RIGHT = [
    "own_elements", "neighbours_after_barrier", "neighbours_of_warp", "one_flag", "counted", "last_block_sums", "locked",
    "handed_over", "grid_with_barriers",
]  # fmt: skip


def marked_lines(kernel: str) -> list[int]:
    """Return the lines of the kernel that a report may name."""
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines, 1) if f"void {kernel}(" in line)
    end = next(number for number, line in enumerate(lines, 1) if number > start and line == "}")
    return [number for number in range(start, end) if lines[number - 1].endswith("// here")]


@pytest.fixture(params=[(compiler, threads) for compiler in COMPILERS for threads in ("1", "2")], ids="-".join)
def outcome(request, runtime_folder):
    program = PROGRAM.format(folder=str(runtime_folder), source=str(SOURCE), wanted=json.dumps([*WRONG, *RIGHT]))
    compiler, threads = request.param
    results, logs = outcomes(runtime_folder, program, compiler, CUDA_SHIM_CPU_THREADS=threads)
    return lambda kernel: (results[kernel], logs[kernel])


@pytest.mark.parametrize("kernel", WRONG)
def test_what_is_wrong_is_found_where_it_is(kernel, outcome):
    results, log = outcome(kernel)
    assert results == ["hipSuccess", "hipErrorLaunchFailure"], log
    told = re.search(
        rf"kernel {kernel} was stopped in block \(\d,0,0\), thread \(\d+,0,0\), at kernel.cu:(\d+): (.*)", log
    )
    assert told is not None, log
    if kernel not in (
        "threads_race",
        "grid_without_barrier",
    ):  # the compiler decides which of two lines comes second
        assert int(told[1]) in marked_lines(kernel)
    assert re.search(WRONG[kernel], told[2]), log
    assert log.count(" was stopped in ") == 1


@pytest.mark.parametrize("kernel", RIGHT)
def test_what_is_right_is_left_alone(kernel, outcome):
    results, log = outcome(kernel)
    assert results == ["hipSuccess", "hipSuccess"], log
    assert log.strip() == ""
