"""cuRAND's device functions give cuRAND's numbers: those that NVIDIA's own header gave."""

from __future__ import annotations

import pytest

from tests.cpu_runtime.hiprtc_program import find_compiler
from tests.interpreters import PACKAGE_ROOT


@pytest.mark.parametrize("compiler", ["clang++-19", "g++"])
def test_they_are_curands(any_shim_python, compiler):
    if not find_compiler(compiler):
        pytest.skip(f"{compiler} is not installed")
    done = any_shim_python.start_for(
        600,
        "-m",
        "cuda_shim",
        "run",
        "--backend",
        "cpu",
        "-m",
        "tests.kernels.random_numbers",
        cwd=PACKAGE_ROOT,
        CUDA_SHIM_CPU_CXX=compiler,
    )
    assert done.stdout == "the same numbers\n", done.stderr
