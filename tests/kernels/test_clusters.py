"""Blocks of a cluster wait for each other and see each other's shared memory, on the CPU runtime."""

from __future__ import annotations

import pytest

from tests.cpu_runtime.hiprtc_program import find_compiler
from tests.interpreters import PACKAGE_ROOT

DONE = ["shared memory of the cluster, and ranks", "__cluster_dims__", "what cannot be", "a fault ends them all"]


@pytest.mark.parametrize("compiler", ["clang++-19", "g++"])
def test_they_run(any_shim_python, compiler):
    if not find_compiler(compiler):
        pytest.skip(f"{compiler} is not installed")
    done = any_shim_python.start_for(
        600,
        "-m",
        "cuda_shim",
        "run",
        "--backend",
        "cpu",
        "-m",
        "tests.kernels.cluster_worker",
        cwd=PACKAGE_ROOT,
        CUDA_SHIM_CPU_CXX=compiler,
    )
    assert done.stdout.splitlines() == DONE, done.stderr
