"""Places of faults: with CUDA_SHIM_CPU_DEBUG=1 faults name the block, the thread and the line, for every compiler."""

from __future__ import annotations

import functools
import json
import re
import shutil
from pathlib import Path

import pytest

from tests.hip_on_host import hip_program
from tests.program_files import read_program

COMPILERS = [name for name in ("clang++-19", "clang++", "g++") if shutil.which(name)]

SOURCE = read_program(__file__, "fault_places.cu")

PROGRAM = """
import json
import numpy as np
import hiprtc_program
from hiprtc_program import Kernels, value
kernels = Kernels(hip, hiprtc_program.load({folder!r}))
module = kernels.load({source!r}, *json.loads({options!r}))
for kernel in json.loads({wanted!r}):
    x = module.upload(np.ones(32, dtype="i4"))
    argument = ctypes.c_void_p(int(x))
    params = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
    value(hip.hipModuleLaunchKernel(module.function(kernel), 2, 1, 1, 32, 1, 1, 0, None, params, None))
    print(kernel, name(hip.hipDeviceSynchronize()), flush=True)
    module.reset_device()
"""

# Kernel: the error, block, thread and line, and the text in the log.
FAULTS = {
    "bad_pointer": ("hipErrorIllegalAddress", 1, 5, 12, "illegal memory access at address 0x40"),
    "trapping": ("hipErrorLaunchFailure", None, 3, 20, r"__trap\(\)"),
    "asserting": ("hipErrorAssert", None, 4, 23, "assertion failed"),
    "overflow": ("hipErrorIllegalAddress", None, 0, "[4-7]", "stack overflow"),
}


@functools.cache
def outcomes(folder: Path, compiler: str) -> tuple[dict[str, str], str]:
    """Return, for each kernel, the status of waiting for it; and the log."""
    wanted = json.dumps([*FAULTS, "fine"])
    code = PROGRAM.format(folder=str(folder), source=SOURCE, options="[]", wanted=wanted)
    done = hip_program.run(folder, code, CUDA_SHIM_CPU_DEBUG="1", CUDA_SHIM_CPU_CXX=compiler)
    assert done.returncode == 0, done.stderr
    return dict(line.split() for line in done.stdout.splitlines()), done.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("kernel", FAULTS)
def test_faults_name_thread_and_line(kernel, compiler, runtime_folder):
    error, block, thread, line, said = FAULTS[kernel]
    results, log = outcomes(runtime_folder, compiler)
    assert results[kernel] == error, log
    number = "[01]" if block is None else block
    place = (
        rf"kernel {kernel} was stopped in block \({number},0,0\), thread \({thread},0,0\), at kernel.cu:{line}: {said}"
    )
    assert re.search(place, log), log


@pytest.mark.parametrize("compiler", COMPILERS)
def test_what_is_right_runs(compiler, runtime_folder):
    results, log = outcomes(runtime_folder, compiler)
    assert results["fine"] == "hipSuccess"
    assert "kernel fine" not in log


@pytest.mark.parametrize("compiler", COMPILERS)
def test_assertions_are_quoted_as_they_are_written(compiler, runtime_folder):
    log = outcomes(runtime_folder, compiler)[1]
    assert "kernel.cu:23: asserting: block: [0,0,0], thread: [4,0,0] Assertion `threadIdx.x != 4` failed." in log


def test_line_information_that_a_program_asks_for_is_used(runtime_folder):
    code = PROGRAM.format(folder=str(runtime_folder), source=SOURCE, options='["-lineinfo"]', wanted='["bad_pointer"]')
    done = hip_program.run(runtime_folder, code)
    assert done.returncode == 0, done.stderr
    assert re.search(r"kernel bad_pointer was stopped in .*, at kernel.cu:12: illegal memory access", done.stderr), (
        done.stderr
    )
