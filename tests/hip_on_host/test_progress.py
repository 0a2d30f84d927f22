"""Threads and blocks that wait for each other, where nothing in the kernel's text shows a barrier: all of them get on."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hip_on_host import hip_program, hiprtc_program
from tests.hip_on_host.progress_worker import SPINS, UNSEEN
from tests.program_files import read_program

ROOT = Path(__file__).resolve().parents[2]
HANG = 120
COMPILERS = ("clang++-19", "g++", "zig")


def run(folder: Path, *options: str, **environment: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.hip_on_host.progress_worker", str(folder), *options],
        cwd=ROOT, env={**os.environ, **environment}, capture_output=True, encoding="utf-8", timeout=HANG, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WRONG" not in done.stdout, done.stdout
    assert done.stdout.splitlines()[-1].startswith("done ")


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_everybody_gets_on(runtime_folder: Path, compiler: str, threads: str) -> None:
    command = hiprtc_program.find_compiler(compiler)
    if not command:
        pytest.skip(f"{compiler} is not installed")
    run(runtime_folder, CUDA_SHIM_CPU_CXX=command, CUDA_SHIM_CPU_THREADS=threads)


def test_kernels_as_they_are_written_get_on_too(runtime_folder: Path) -> None:
    run(runtime_folder, "--cuda-shim-split=0")


def test_on_fibres_from_the_start_they_get_on_too(runtime_folder: Path) -> None:
    run(runtime_folder, CUDA_SHIM_CPU_DEBUG="1")


def test_warps_of_64_get_on_too(runtime_folder: Path) -> None:
    code = """
from pathlib import Path
from tests.hip_on_host import hip_program, hiprtc_program, progress_worker
kernels = hiprtc_program.Kernels(hip, hiprtc_program.load(folder))
cases = progress_worker.Cases(kernels, []).every()
print([name for name, case in cases.items() if name not in ("by_pointer", "wait_in_warp") and not case()])
"""
    done = hip_program.run(
        runtime_folder, f"sys.path.insert(0, {str(ROOT)!r}); folder = {str(runtime_folder)!r}\n" + code,
        CUDA_SHIM_CPU_WARP_SIZE="64",
    )  # fmt: skip
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_only_what_may_wait_is_watched(programs: hiprtc_program.Kernels) -> None:
    """Watched kernels are neither split nor vectorised: the others must not pay for them."""
    rows = hiprtc_program.rows(programs.compile(SPINS))
    free = {"largest", "last_block", "never_waits", "work_queue"}
    assert {name for name, row in rows.items() if not row.may_wait} == free
    assert all(rows[name].run_split for name in ("last_block", "never_waits", "work_queue"))
    # If a function that waits is not called by its name, the kernel is watched or has fibres from the start.
    assert all(row.may_wait or row.has_barriers for row in hiprtc_program.rows(programs.compile(UNSEEN)).values())


FAULTS = """
import ctypes
import numpy as np
sys.path.insert(0, {root!r})
from tests.hip_on_host import hiprtc_program
kernels = hiprtc_program.Kernels(hip, hiprtc_program.load({folder!r}))
module = kernels.load('''
typedef void (*Step)();
__device__ void meet() {{ __syncthreads(); }}
__device__ Step step = meet;
extern "C" __global__ void behind_a_pointer(int* bad) {{ step(); if (threadIdx.x == 5) *bad = 1; step(); }}
extern "C" __global__ void while_others_wait(int* flags, int* bad) {{
    if (blockIdx.x + 1 < gridDim.x) while (*(volatile int*)flags == 0) {{}}
    else if (threadIdx.x == 5) *bad = 1;
}}
''')
flag = module.upload(np.zeros(1, "i4"))
for kernel, arguments in (("behind_a_pointer", [64]), ("while_others_wait", [int(flag), 64])):
    values = [ctypes.c_void_p(one) for one in arguments]
    pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(one) for one in values))
    check(hip.hipModuleLaunchKernel(module.function(kernel), 4, 1, 1, 64, 1, 1, sharedMemBytes=0, stream=None,
                                    kernelParams=pointers, extra=None))
    print(name(hip.hipDeviceSynchronize()))
    module.reset_device()
    flag = module.upload(np.zeros(1, "i4"))
"""


@pytest.mark.parametrize("threads", ["1", "2"])
def test_faults_of_such_kernels_are_reported(runtime_folder: Path, threads: str) -> None:
    code = FAULTS.format(root=str(ROOT), folder=str(runtime_folder))
    done = hip_program.run(runtime_folder, code, CUDA_SHIM_CPU_THREADS=threads)
    assert done.stdout.splitlines() == ["hipErrorIllegalAddress"] * 2, done.stdout + done.stderr
    for kernel in ("behind_a_pointer", "while_others_wait"):
        assert f"kernel {kernel} was stopped in block (" in done.stderr
    assert done.stderr.count("illegal memory access at address 0x40") == 2
    assert re.search(r"kernel behind_a_pointer was stopped in block \(\d,0,0\), thread \(5,0,0\)", done.stderr)


LABELS = read_program(__file__, "progress_labels.cu")


@pytest.mark.parametrize("compiler", COMPILERS)
def test_labels_are_told_from_what_looks_like_them(runtime_folder: Path, compiler: str) -> None:
    """A round is counted behind a label where that changes nothing, and not behind a class's `public:`."""
    command = hiprtc_program.find_compiler(compiler)
    if not command:
        pytest.skip(f"{compiler} is not installed")
    code = """
import numpy as np, hiprtc_program
module = hiprtc_program.Kernels(hip, hiprtc_program.load(folder)).load(source)
for n in (3, 4):
    x = np.zeros(2, "i4")
    module.launch("k", 1, 2, x, ctypes.c_int(n))
    print(x.tolist())
"""
    given = f"source, folder = {LABELS!r}, {str(runtime_folder)!r}\n"
    done = hip_program.run(runtime_folder, given + code, CUDA_SHIM_CPU_CXX=command)
    assert done.stdout.splitlines() == ["[3253, 3253]", "[44, 44]"], done.stdout + done.stderr
