"""Compilers for AMD's targets, shared by the workers of a test run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.amd import toolchain


@pytest.fixture(scope="session")
def compiler(shared_folder: Path) -> toolchain.Compiler:
    """One with the built-in header of ROCm 7.2.2."""
    return toolchain.Compiler(toolchain.rocm_header(shared_folder))


@pytest.fixture(scope="session")
def next_compiler(shared_folder: Path) -> toolchain.Compiler:
    """One with the built-in header as later releases are to have it."""
    return toolchain.Compiler(toolchain.next_header(shared_folder))
