"""Environments with Triton, with and without PyTorch."""

from __future__ import annotations

from pathlib import Path

from tests import environments
from tests.environments import Python

__all__ = ["with_torch", "with_triton"]

TRITON, TORCH = "triton==3.9.0", "torch==2.13.0+cpu"
#: PyTorch's own index has its builds for host cores.
INDEX = "https://download.pytorch.org/whl/cpu"


def with_triton(folder: Path, wheel: str) -> Python:
    """Return an interpreter with the shim's wheel, Triton and numpy."""
    newest = environments.newest(environments.HIP_PYTHON)
    return environments.make(folder, wheel, environments.HIP_PYTHON[newest], "numpy", "pip", TRITON)


def with_torch(folder: Path, wheel: str) -> Python:
    """Return an interpreter that has PyTorch's build for host cores as well."""
    python = with_triton(folder, wheel)
    # By pip, whose configuration says where the build is on machines without a network.
    done = python.start_for(1200, "-m", "pip", "install", "--quiet", "--extra-index-url", INDEX, TORCH)
    assert done.returncode == 0, done.stderr
    return python
