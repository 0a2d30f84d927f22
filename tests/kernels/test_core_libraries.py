"""CUDA's C++ core libraries compile and run, as their wheel has them and as far as they come with the CPU runtime;
tensor cores work as arithmetic."""

from __future__ import annotations

from pathlib import Path

from tests.kernels import compilers

WORKER = Path(__file__).with_name("core_worker.py")
CORE = ["cub::BlockReduce", "cuda::barrier", "cuda::pipeline", "cuda::std"]
OWN = ["our cuda::barrier", "our cuda::pipeline", "our latch and semaphore", "wmma of half", "wmma of bytes"]
OWN += ["cp.async, ldmatrix and mma.sync of half", "mma.sync of bytes"]


def test_they_run(run_on_cpu, host_compiler):
    folders = compilers.toolkit_folders("13.5") if host_compiler == "clang++-19" else ()
    done = run_on_cpu(WORKER, *folders)
    assert done.stdout.split("\n")[:-1] == (CORE if folders else []) + OWN, done.stderr
