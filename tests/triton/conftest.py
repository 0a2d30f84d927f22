"""Environments with Triton, with and without PyTorch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import environments
from tests.environments import Python

TRITON, TORCH = "triton==3.9.0", "torch==2.13.0+cpu"
#: PyTorch's own index has its builds for host cores.
INDEX = "https://download.pytorch.org/whl/cpu"


def with_triton(folder: Path, name: str, *requirements: str) -> Python:
    """An interpreter with the shim, Triton and more."""
    wheel = environments.as_in_the_readme(environments.build_wheel(folder))
    newest = environments.newest(environments.HIP_PYTHON)
    return environments.make(
        folder / name, wheel, environments.HIP_PYTHON[newest], "numpy", "pip", TRITON, *requirements
    )


@pytest.fixture(scope="session")
def triton_python(shared_folder: Path) -> Python:
    """An interpreter with the shim, Triton and numpy."""
    return with_triton(shared_folder, "triton")


@pytest.fixture(scope="session")
def torch_python(shared_folder: Path) -> Python:
    """An interpreter with the shim, Triton and PyTorch's build for host cores."""
    python = with_triton(shared_folder, "triton-torch")
    # By pip, whose configuration says where the build is on machines without a network.
    words = ("-m", "pip", "install", "--quiet", "--extra-index-url", INDEX, TORCH)
    done = python.start_for(1200, *words)
    assert done.returncode == 0, done.stderr
    return python
