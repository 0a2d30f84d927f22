"""An environment as a user has it: the shim from its wheel, beside pytest, Jupyter, Dask and mpi4py."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import environments


@pytest.fixture(scope="session")
def full_python(shared_folder: Path) -> environments.Python:
    """The wheel with its `test` extra, which names what is tested here."""
    wheel = environments.build_wheel(shared_folder)
    requirement = f"cuda-shim[test] @ {wheel.as_uri()}"
    return environments.make(shared_folder / "full", requirement, environments.HIP_PYTHON["10.0"])
