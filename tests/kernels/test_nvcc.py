"""The corpus once more, from PTX that nvcc makes of it: its front end is not NVRTC's, and the C++ around kernels is a host's."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels import compilers, nvcc_modules
from tests.kernels.test_ptx import run_all

NVCC = compilers.nvcc()
FOLDERS = compilers.toolkit_folders(max(compilers.WHEELS.values()))


def wrong(outcomes):
    return [f"{name}: {error.strip().splitlines()[-1]}" for name, error in outcomes.items() if error]


def test_kept_modules_give_what_a_gpu_recorded_of_them(any_shim_python, tmp_path):
    outcomes = run_all(any_shim_python, tmp_path, nvcc_modules.unpacked(tmp_path))
    assert len(outcomes) > 150
    assert wrong(outcomes) == []


def test_a_changed_recording_is_seen(any_shim_python, tmp_path):
    kernels = nvcc_modules.unpacked(tmp_path)
    change_recorded(tmp_path / "recorded.npz", "elementwise.saxpy")
    outcomes = run_all(any_shim_python, tmp_path, {"elementwise.saxpy": kernels["elementwise.saxpy"]})
    assert "elementwise.saxpy" in str(outcomes["elementwise.saxpy"])


def change_recorded(file, case):
    arrays = dict(np.load(file))
    for name in arrays:
        if name.startswith(f"{case}/"):
            arrays[name] = arrays[name] * 2 + 1
    np.savez(file, **arrays)


@pytest.mark.long
@pytest.mark.skipif(NVCC is None, reason="no nvcc is installed")
@pytest.mark.skipif(not FOLDERS, reason="no headers of a toolkit are installed")
def test_ptx_of_nvcc_gives_what_its_source_gives(any_shim_python, tmp_path):
    assert NVCC is not None
    outcomes = run_all(any_shim_python, tmp_path, nvcc_modules.compiled(NVCC, FOLDERS, tmp_path))
    assert len(outcomes) > 100
    assert wrong(outcomes) == []
