"""Blocks of a cluster wait for each other and see each other's shared memory, on the CPU runtime."""

from __future__ import annotations

from tests.interpreters import PACKAGE_ROOT

DONE = [
    "more than eight blocks",
    "shared memory of the cluster, and ranks",
    "__cluster_dims__",
    "set for all launches",
    "what cannot be",
    "a fault ends them all",
]


def test_they_run(run_on_cpu):
    done = run_on_cpu("-m", "tests.kernels.cluster_worker", cwd=PACKAGE_ROOT, CUDA_SHIM_CPU_COMPUTE_CAPABILITY="9.0")
    assert done.stdout.splitlines() == DONE, done.stderr
