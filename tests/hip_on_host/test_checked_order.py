"""Checked mode: objects that order threads, lanes that warp operations name, and indices of arrays of known length."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hip_on_host.checked_run import COMPILERS, outcomes

SOURCE = Path(__file__).with_name("checked_order.cu")

PROGRAM = """
import json
import numpy as np
import hiprtc_program
from hiprtc_program import Kernels, value
kernels = Kernels(hip, hiprtc_program.load({folder!r}))
module = kernels.load(open({source!r}).read())
for kernel in json.loads({kernels!r}):
    print(f"[{{kernel}}]", file=sys.stderr, flush=True)
    x = module.upload(np.arange(64, dtype="f4"))
    argument = ctypes.c_void_p(int(x))
    params = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
    launched = hip.hipModuleLaunchKernel(module.function(kernel), 1, 1, 1, 64, 1, 1, 0, None, params, None)
    print(kernel, name(launched), name(hip.hipDeviceSynchronize()), flush=True)
    module.reset_device()
"""

RIGHT = (
    "barrier", "split_arrival", "completion", "stages", "semaphore", "latch", "release_and_acquire", "fences", "polled",
    "indices", "lanes",
)  # fmt: skip
ILLEGAL, FAILED = "hipErrorIllegalAddress", "hipErrorLaunchFailure"
WRONG = {
    "no_wait": (FAILED, r"race on shared memory: read of 4 bytes .* which thread \(\d+,0,0\) wrote"),
    "too_late": (FAILED, r"race on shared memory: .* variable value"),
    "relaxed": (FAILED, r"race on shared memory: .* variable value"),
    "no_fence": (FAILED, r"race on shared memory: read of 4 bytes .* variable tile"),
    "missing_lanes": (
        FAILED,
        r"divergent warp operation: the thread waits for thread \(16,0,0\), which does not come there, of its mask 0xf{8}",
    ),
    "not_in_the_mask": (FAILED, "divergent warp operation: the thread is not among the lanes of its mask 0xffff;"),
    "local_index": (ILLEGAL, r"index 4 is out of bounds of an array of type 'float *\[4\]'"),
    "negative_index": (ILLEGAL, r"index -1 is out of bounds of an array of type 'float *\[4\]'"),
    "member_index": (ILLEGAL, r"index 3 is out of bounds of an array of type 'float *\[3\]'"),
    "next_shared_array": (ILLEGAL, r"index 33 is out of bounds of an array of type 'float *\[32\]'"),
}
#: Where which thread meets the fault first does not depend on the order in which threads run.
THREADS = {"missing_lanes": 0, "not_in_the_mask": 16, "local_index": 32, "negative_index": 2, "member_index": 9}


def faulty_line(kernel: str) -> int:
    """Return the line of the program where the kernel goes wrong."""
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines, 1) if f"void {kernel}(" in line)
    return next(number for number, line in enumerate(lines, 1) if number > start and line.endswith("// here"))


Outcome = Callable[[str], tuple[list[str], str]]


@pytest.fixture(params=COMPILERS)
def outcome(request: pytest.FixtureRequest, runtime_folder: Path) -> Outcome:
    program = PROGRAM.format(folder=str(runtime_folder), source=str(SOURCE), kernels=json.dumps([*RIGHT, *WRONG]))
    results, logs = outcomes(runtime_folder, program, request.param)
    return lambda kernel: (results[kernel], logs[kernel])


@pytest.mark.parametrize("kernel", RIGHT)
def test_objects_and_fences_order_threads(kernel: str, outcome: Outcome) -> None:
    assert outcome(kernel) == (["hipSuccess", "hipSuccess"], "\n")


@pytest.mark.parametrize("kernel", WRONG)
def test_faults_are_found_where_they_are(kernel: str, outcome: Outcome) -> None:
    error, message = WRONG[kernel]
    results, log = outcome(kernel)
    assert results == ["hipSuccess", error], log
    thread = THREADS.get(kernel, r"\d+")
    place = rf"kernel {kernel} was stopped in block \(0,0,0\), thread \({thread},0,0\), at kernel.cu:{faulty_line(kernel)}: "
    assert re.search(place + message, log), log
    assert log.count(" was stopped in ") == 1
