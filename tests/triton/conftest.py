"""Interpreters with Triton, with and without PyTorch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import environments
from tests.environments import Python
from tests.triton.environment import with_torch, with_triton


@pytest.fixture(scope="session")
def triton_python(shared_folder: Path) -> Python:
    """An interpreter with the shim, Triton and numpy."""
    return with_triton(shared_folder / "triton", environments.as_in_the_readme(environments.build_wheel(shared_folder)))


@pytest.fixture(scope="session")
def torch_python(shared_folder: Path) -> Python:
    """An interpreter with the shim, Triton and PyTorch's build for host cores."""
    wheel = environments.as_in_the_readme(environments.build_wheel(shared_folder))
    return with_torch(shared_folder / "triton-torch", wheel)
