"""CUDA's numbers of 8, 6 and 4 bits convert as NVIDIA's own headers convert them in host code."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.hip_on_host.hiprtc_program import find_compiler
from tests.interpreters import PACKAGE_ROOT
from tests.kernels import compilers

SOURCE = Path(__file__).with_name("tiny_floats.cpp")
DEVICE = PACKAGE_ROOT / "hip_on_host" / "device"
FLAGS = ("-std=c++17", "-w", "-O1", "-shared", "-fPIC", "-fvisibility=hidden")
OURS = (f"-I{DEVICE / 'include'}", "-include", str(DEVICE / "prelude" / "prelude.h"))
#: The results of one number, at most, and of one code.
MOST, OF_A_CODE = 300, 200


def numbers() -> Any:
    """Every tie and every number between, with its neighbours; and numbers far away."""
    rng = np.random.default_rng(3)
    ties = np.concatenate([sign * np.arange(129) * 2.0**power for sign in (1, -1) for power in range(-20, 12)])
    powers = 2.0 ** np.arange(-160, 140)
    wide = rng.standard_normal(300) * 2.0 ** rng.integers(-150, 150, 300)
    whole = rng.integers(-(2**62), 2**62, 200).astype(float)
    special = [np.inf, -np.inf, np.nan, -0.0, 1e300, -1e300, 1e-320, 65504, 57344, 61440, 448, 464, 465, 480]
    parts = [ties, np.nextafter(ties, np.inf), np.nextafter(ties, -np.inf), wide, whole, powers, 1.5 * powers, special]
    return np.unique(np.concatenate(parts))


def results(compiler: str, flags: tuple[str, ...], folder: Path) -> Any:
    library = folder / f"{Path(compiler).name}-{len(flags)}.so"
    command = [compiler, *FLAGS, *flags, str(SOURCE), "-o", str(library)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    given = numbers()
    found = np.zeros(len(given) * MOST + 256 * OF_A_CODE, np.uint64)
    places = (ctypes.c_void_p(array.ctypes.data) for array in (given, found))
    first, last = places
    return found[: ctypes.CDLL(str(library)).convert(first, len(given), last)]


@pytest.fixture(scope="module")
def nvidias(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folders = compilers.toolkit_folders(max(compilers.WHEELS.values()))
    if not any((Path(folder) / "cuda_fp8.h").exists() for folder in folders) or not find_compiler("g++"):
        pytest.skip("the wheel nvidia-cuda-runtime or g++ is not installed")
    return results("g++", tuple(f"-I{folder}" for folder in folders), tmp_path_factory.mktemp("nvidia"))


@pytest.mark.parametrize("compiler", ["clang++-19", "g++"])
def test_every_conversion_is_nvidias(nvidias: Any, compiler: str, tmp_path: Path) -> None:
    if not find_compiler(compiler):
        pytest.skip(f"{compiler} is not installed")
    ours = results(compiler, OURS, tmp_path)
    assert len(ours) == len(nvidias) > 2_000_000
    assert np.nonzero(ours != nvidias)[0].tolist() == []
