"""Kernels on fibres through the API: the choice of fibres, its line in the log, warps of 32 and 64."""

from __future__ import annotations

import subprocess

import pytest

from tests.hip_on_host.hip_program import run
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
