"""CUDA's C++ core libraries compile and run, as their wheel has them and as far as they come with the CPU runtime;
tensor cores work as arithmetic."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cpu_runtime.hiprtc_program import find_compiler
from tests.kernels import compilers

WORKER = Path(__file__).with_name("core_worker.py")
CORE = ["cub::BlockReduce", "cuda::barrier", "cuda::pipeline", "cuda::std"]
OWN = ["our cuda::barrier", "our cuda::pipeline", "our latch and semaphore", "wmma of half", "wmma of bytes"]
OWN += ["cp.async, ldmatrix and mma.sync of half", "mma.sync of bytes"]


@pytest.mark.parametrize("compiler", ["clang++-19", "g++"])
def test_they_run(any_shim_python, compiler):
    if not find_compiler(compiler):
        pytest.skip(f"{compiler} is not installed")
    folders = compilers.toolkit_folders("13.5") if compiler == "clang++-19" else ()
    done = any_shim_python.start_for(
        600, "-m", "cuda_shim", "run", "--backend", "cpu", WORKER, *folders, CUDA_SHIM_CPU_CXX=compiler
    )
    assert done.stdout.split("\n")[:-1] == (CORE if folders else []) + OWN, done.stderr
