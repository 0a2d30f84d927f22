"""Fixtures for the tests of PTX."""

from __future__ import annotations

import pytest

from tests import environments
from tests.ptx.assembler import ptxas


@pytest.fixture(scope="session")
def assembler(shared_folder):
    """NVIDIA's assembler."""
    return ptxas(shared_folder)


@pytest.fixture(scope="session")
def numba_python(shared_folder):
    """An interpreter with the shim and the numba-cuda that docs/numba.md names."""
    wheel = environments.build_wheel(shared_folder)
    newest = environments.newest(environments.HIP_PYTHON)
    return environments.make(
        shared_folder / "numba", str(wheel), environments.HIP_PYTHON[newest], "numpy", "numba-cuda[cu12]==0.24.*",
        "numba==0.62.*", "cuda-core==0.3.2",
    )  # fmt: skip
