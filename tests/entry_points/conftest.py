"""An environment as a user has it: the shim from its wheel, beside pytest, Jupyter, Dask and mpi4py."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import environments


@pytest.fixture(scope="session")
def full_python(shared_folder: Path) -> environments.Python:
    """The wheel with the dependency group `test`, which names the packages that are tested here."""
    wheel = environments.build_wheel(shared_folder)
    group = ("--group", f"{environments.ROOT / 'pyproject.toml'}:test")
    made = environments.make(shared_folder / "full", str(wheel), environments.HIP_PYTHON["10.0"], *group)
    # The first build is reported on stderr, which must not mix with the output of a test's own program.
    made.run("-c", "from cuda.bindings import runtime; assert not runtime.cudaGetDeviceCount()[0]", CUDA_SHIM="1")
    return made
