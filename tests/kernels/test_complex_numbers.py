"""Functions of the portable headers: complex numbers have the bits of NVIDIA's own header."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.environments import ROOT
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.interpreters import HANG

SOURCE = Path(__file__).with_name("portable_complex.cpp")
SPECIAL = [0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 1e-40, 3e38, -1e-30, 1e30]


def nvidias_folders() -> Iterator[Path]:
    for package in ("nvidia-cuda-runtime", "nvidia-cuda-crt"):
        installed = distribution(package)
        for file in installed.files or ():
            if file.name in ("cuComplex.h", "host_defines.h"):
                header = Path(str(installed.locate_file(file)))
                yield header.parent.parent if header.parent.name == "crt" else header.parent


def library(folder: Path, name: str, *words: str | Path) -> ctypes.CDLL:
    """The program, rounded after each operation, so that both headers' formulas are compared and not compilers."""
    compiler = find_compiler("clang++-19") or find_compiler("g++")
    if not compiler:
        pytest.skip("no compiler is called directly")
    path = folder / name
    command = [compiler, "-std=c++17", "-O1", "-w", "-ffp-contract=off", "-fPIC", "-shared", *words, SOURCE, "-o", path]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=HANG, check=False)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(path))


@pytest.mark.parametrize(("name", "number"), [("floats", np.float32), ("doubles", np.float64)])
def test_complex_numbers_have_the_bits_of_nvidias_header(tmp_path: Path, name: str, number: Any) -> None:
    n = 2000
    rng = np.random.default_rng(3)
    operands = [(rng.standard_normal((n, 2)) * 10.0 ** rng.integers(-30, 30, (n, 2))).astype(number) for _ in range(3)]
    with np.errstate(over="ignore"):
        for operand in operands:
            chosen = rng.random((n, 2)) < 0.3
            operand[chosen] = rng.choice(SPECIAL, chosen.sum()).astype(number)
    libraries = (
        library(tmp_path, "nvidia.so", "-DNVIDIA_HEADER", *(f"-I{folder}" for folder in nvidias_folders())),
        library(tmp_path, "portable.so", f"-I{ROOT / 'hip_on_host/device/portable'}"),
    )
    found: list[list[npt.NDArray[Any]]] = []
    for each in libraries:
        results = [np.zeros((5 * n, 2), number), np.zeros(n, number)]
        getattr(each, name)(*(ctypes.c_void_p(array.ctypes.data) for array in (*operands, *results)), n)
        found.append(results)
    for right, ours in zip(*found, strict=True):
        bits = f"u{np.dtype(number).itemsize}"
        same = (right.view(bits) == ours.view(bits)) | (np.isnan(right) & np.isnan(ours))
        assert np.count_nonzero(np.isfinite(right)) > n // 3
        assert same.all(), np.argwhere(~same)[:4]
