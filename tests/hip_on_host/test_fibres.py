"""Kernels on fibres through the API: the choice of fibres, its line in the log, warps of 32 and 64."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.hip_on_host.hip_program import run
from tests.hip_on_host.hiprtc_program import Kernels, needs_reader, rows
from tests.hip_on_host.kernel_modules import compile_module

PROGRAM = """
import numpy as np
from kernel_modules import Kernels
kernels = Kernels(hip)
basic = kernels.load({path!r})
data = np.arange(128 * 10, dtype="i4")
device, how = kernels.device(data), kernels.device(np.zeros(1, "i4"))
check(kernels.launch(kernels.function(basic, "reverse"), 10, 128, device, how, shared=512))
got = kernels.fetch(device, data)
print("reversed", bool((got == data.reshape(10, 128)[:, ::-1].ravel()).all()))
print("form", kernels.fetch(how, np.zeros(1, "i4"))[0])
ones = np.ones(256, "i4")
device = kernels.device(ones)
for _ in range(2):
    check(kernels.launch(kernels.function(basic, "warp_sum"), 2, 128, device))
print("sums", sorted(set(kernels.fetch(device, ones).tolist())))
print("warp", check(hip.hipDeviceGetAttribute(hip.hipDeviceAttribute_t.hipDeviceAttributeWarpSize, 0)))
"""


@pytest.fixture
def outcome(runtime_folder):
    def start(**environment: str) -> subprocess.CompletedProcess[str]:
        done = run(runtime_folder, PROGRAM.format(path=str(compile_module("basic"))), **environment)
        assert done.returncode == 0, done.stderr
        return done

    return start


def test_the_split_form_is_preferred(outcome):
    assert outcome().stdout.split("\n")[:3] == ["reversed True", "form 1", f"sums [{32 * 32}]"]


def test_fibres_give_the_same_results(outcome):
    done = outcome(CUDA_SHIM_CPU_SPLIT="0", CUDA_SHIM_CPU_LOG="info")
    assert done.stdout.split("\n")[:3] == ["reversed True", "form 2", f"sums [{32 * 32}]"]
    assert "kernel reverse runs on fibres: CUDA_SHIM_CPU_SPLIT=0" in done.stderr


def test_the_log_says_once_why_a_kernel_runs_on_fibres(outcome):
    done = outcome(CUDA_SHIM_CPU_LOG="info")
    assert done.stderr.count("kernel warp_sum runs on fibres: written by hand without a split form") == 1
    assert "runs on fibres" not in outcome().stderr


def test_warps_of_64(outcome):
    done = outcome(CUDA_SHIM_CPU_WARP_SIZE="64")
    assert done.stdout.split("\n")[2:4] == [f"sums [{64 * 64}]", "warp 64"]


def test_one_thread_is_enough(outcome):
    done = outcome(CUDA_SHIM_CPU_THREADS="1", CUDA_SHIM_CPU_SPLIT="0")
    assert done.stdout.split("\n")[:3] == ["reversed True", "form 2", f"sums [{32 * 32}]"]


SPLIT = """
template <class T> __global__ void reversed_sums(T* x) {
    __shared__ T s[64];
    s[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    for (int n = 1; n < 64; n *= 2) {
        __syncthreads();
        const T left = threadIdx.x >= n ? s[threadIdx.x - n] : T(0);
        __syncthreads();
        s[threadIdx.x] += left;
    }
    __syncthreads();
    x[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
"""

LAUNCH = """
import numpy as np
from kernel_modules import Kernels
kernels = Kernels(hip)
module = kernels.load({path!r})
data = np.arange(640, dtype="i4")
device = kernels.device(data)
check(kernels.launch(kernels.function(module, {name!r}), 10, 64, device))
expected = data.reshape(10, 64).cumsum(1)[:, ::-1].ravel()
print(bool((kernels.fetch(device, data) == expected).all()))
"""


@needs_reader
def test_a_kernel_that_is_split_runs_on_fibres_as_well(programs: Kernels, runtime_folder: Path, tmp_path: Path):
    """Its module has both forms: the one for fibres is compiled for its size."""
    compiled = programs.compile(SPLIT, names=["reversed_sums<int>"])
    (row,) = rows(compiled).values()
    assert row.run_split
    module = tmp_path / "module.so"
    module.write_bytes(compiled.code)
    program = LAUNCH.format(path=str(module), name=compiled.lowered["reversed_sums<int>"])
    for mode, fibres in (("1", 0), ("0", 1)):
        done = run(runtime_folder, program, CUDA_SHIM_CPU_SPLIT=mode, CUDA_SHIM_CPU_LOG="info")
        assert done.stdout == "True\n", done.stderr
        assert done.stderr.count("runs on fibres: CUDA_SHIM_CPU_SPLIT=0") == fibres


#: The loops of `plain` and `named` stand in for their functions; one of the two kernels `several` runs as it is written.
FORMS = """
__global__ void plain(int* x) { x[threadIdx.x] += 1; }
template <class T> __global__ void named(T* x) { x[threadIdx.x] += 2; }
template <class T> __global__ void several(T* x) { x[threadIdx.x] += 3; }
template <> __global__ void several<int>(int* x) { x[threadIdx.x] += 4; }
"""

COMPILE = """
from hiprtc_program import compile_program, load
compile_program(load({folder!r}), {source!r}, names={names!r})
"""


@needs_reader
@pytest.mark.parametrize(
    ("names", "for_size"),
    [
        (["named<int>"], ["plain", "named"]),
        (["named<int>", "several<float>"], ["plain", "named"]),
        (["&*named<int>"], []),
    ],
    ids=["by its arguments", "a kernel that is specialised", "an expression that may be any kernel"],
)
def test_functions_that_a_loop_stands_in_for_are_compiled_for_size(
    runtime_folder: Path, tmp_path: Path, names: list[str], for_size: list[str]
):
    program = COMPILE.format(folder=str(runtime_folder), source=FORMS, names=names)
    done = run(runtime_folder, program, CUDA_SHIM_CPU_KEEP="1", CUDA_SHIM_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    (kernel,) = (tmp_path / "kernels").glob("tmp-*/kernel.cpp")
    text = kernel.read_text(encoding="utf-8")
    assert re.findall(r"CUDA_SHIM_SELDOM __global__ void (\w+)", text) == for_size
