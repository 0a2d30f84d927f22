"""Random kernels give the same results split at their barriers as thread by thread, with every compiler that is there.

``CUDA_SHIM_TEST_KERNELS`` sets how many kernels to try, ``CUDA_SHIM_TEST_FIRST`` the first one's number.
"""

from __future__ import annotations

import ctypes
import os
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from . import hip_program, hiprtc_program, random_kernels

FIRST = int(os.environ.get("CUDA_SHIM_TEST_FIRST", "0"))
COUNT = int(os.environ.get("CUDA_SHIM_TEST_KERNELS", "40"))
TOGETHER = 10  # kernels in one program: starting the compiler costs as much as a few of them
BLOCKS = 3

#: Kernels that once came out different.
FOUND: tuple[int, ...] = ()


def results(
    kernels: hiprtc_program.Kernels, source: str, described: list[tuple[str, int, bool]], form: str
) -> dict[str, tuple[Any, Any]]:
    module = kernels.load(source, form)
    found = {}
    for name, size, flat in described:
        values = np.random.default_rng(size).integers(0, 2**32, size * BLOCKS, dtype=np.uint32)
        out, sums = np.zeros_like(values), np.zeros(8, np.uint32)
        block = (size, 1, 1) if flat else (size // 8, 8, 1)
        module.launch(name, BLOCKS, block, values, out, sums, ctypes.c_uint32(5), ctypes.c_uint32(11))
        found[name] = (out, sums)
    return found


def compare(kernels: hiprtc_program.Kernels, seeds: range) -> None:
    source, described = random_kernels.program(seeds)
    split = results(kernels, source, described, "--cuda-shim-split=1")
    plain = results(kernels, source, described, "--cuda-shim-split=0")
    for name, _, _ in described:
        same = all((a == b).all() for a, b in zip(split[name], plain[name], strict=True))
        assert same, f"{name} differs:\n{random_kernels.Generator(int(name.split('_')[1])).kernel(name)}"


@pytest.fixture(scope="module")
def kernels(hip: ModuleType, runtime_folder: Path) -> hiprtc_program.Kernels:
    return hiprtc_program.Kernels(hip, hiprtc_program.load(runtime_folder))


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, TOGETHER))
def test_split_kernels_agree_with_fibres(kernels: hiprtc_program.Kernels, first: int) -> None:
    compare(kernels, range(first, first + TOGETHER))


@pytest.mark.parametrize("seed", FOUND)
def test_kernels_that_were_once_wrong(kernels: hiprtc_program.Kernels, seed: int) -> None:
    compare(kernels, range(seed, seed + 1))


def test_most_of_them_are_split(kernels: hiprtc_program.Kernels) -> None:
    """Otherwise the comparison says nothing."""
    compiled = kernels.compile(random_kernels.program(range(TOGETHER))[0])
    forms = hiprtc_program.forms(compiled)
    with_barriers = [split for barriers, split in forms.values() if barriers]
    assert len(with_barriers) >= TOGETHER // 2
    assert sum(with_barriers) >= 0.7 * len(with_barriers)


OTHER = """
import sys; sys.path.insert(0, {root!r})
from tests.cpu_runtime import hiprtc_program, test_fuzz_kernels
kernels = hiprtc_program.Kernels(hip, hiprtc_program.load({folder!r}))
test_fuzz_kernels.compare(kernels, range({first}, {first} + 10))
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++-19", "clang++", "zig"])
def test_other_compilers_agree_too(compiler: str, runtime_folder: Path) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler} here")
    hiprtc_program.load(runtime_folder)
    code = OTHER.format(root=str(Path(__file__).resolve().parents[2]), folder=str(runtime_folder), first=FIRST + 1000)
    done = hip_program.run(
        runtime_folder, code, CUDA_SHIM_CPU_CXX=compiler, CUDA_SHIM_TEST_RUNTIME=str(runtime_folder)
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
