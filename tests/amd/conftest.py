"""Compilers for AMD's targets, shared by the workers of a test run."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.amd import toolchain
from tests.kernels import compilers


@pytest.fixture(scope="session")
def compiler(shared_folder: Path) -> toolchain.Compiler:
    """One with the built-in header of ROCm 7.2.2."""
    return toolchain.Compiler(toolchain.rocm_header(shared_folder))


@pytest.fixture(scope="session")
def next_compiler(shared_folder: Path) -> toolchain.Compiler:
    """One with the built-in header as later releases are to have it."""
    return toolchain.Compiler(toolchain.next_header(shared_folder))


@pytest.fixture(scope="session")
def newest_nvrtc() -> Callable[..., compilers.Outcome]:
    """Compile a program by the newest NVRTC, with options; skip where it, or a header in angle brackets, is missing."""
    newest = max(compilers.WHEELS.values())
    nvrtc, folders = compilers.nvrtc().get(newest), compilers.toolkit_folders(newest)

    def compile_with(source: str, *options: bytes) -> compilers.Outcome:
        included = re.findall(r"#include <(.+)>", source)
        if nvrtc is None or not all(any((Path(folder) / file).exists() for folder in folders) for file in included):
            pytest.skip("NVRTC is not installed, or its headers are not")
        return nvrtc.compile(source.encode(), b"program.cu", [*options, *(f"-I{each}".encode() for each in folders)])

    return compile_with
