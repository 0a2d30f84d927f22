"""What compilers work out beforehand of C's arithmetic on special values is what it gives at run time, and on a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cpu_runtime.hiprtc_program import find_compiler
from tests.interpreters import PACKAGE_ROOT
from tests.kernels import folds

RECORDED = Path(folds.__file__).with_name("folds.npz")
COUNT = sum(len(folds.expressions(type_)) for type_ in folds.TYPES)


@pytest.fixture(params=["clang++-19", "g++", "zig"])
def compare(request, any_shim_python):
    """Compares the expressions, compiled by each compiler, with a recording or with themselves at run time."""
    command = find_compiler(request.param)
    if not command:
        pytest.skip(f"{request.param} is not installed")

    def compare(*file):
        words = ("-m", "cuda_shim", "run", "--backend", "cpu", "-m", "tests.kernels.folds", "compare", *file)
        return any_shim_python.start_for(
            600, *words, cwd=PACKAGE_ROOT, PYTHONPATH=str(PACKAGE_ROOT), CUDA_SHIM_CPU_CXX=command
        )

    return compare


def test_folded_is_as_at_run_time(compare):
    done = compare()
    assert done.stdout.splitlines() == [f"{COUNT} expressions, 0 differ"], done.stdout + done.stderr


@pytest.mark.skipif(not RECORDED.exists(), reason="not recorded on an NVIDIA GPU yet: python -m tests.kernels.folds")
def test_folded_is_as_on_a_gpu(compare):
    done = compare(RECORDED)
    assert done.stdout.splitlines() == [f"{COUNT} expressions, 0 differ"], done.stdout + done.stderr


def test_a_wrong_zero_is_found():
    type_ = folds.FLOAT
    expression = folds.Expression("x - y")
    rows = folds.operands(type_)[0] * 0
    changed = rows.copy()
    changed[3] = 0x80000000
    assert folds.described(type_, expression, rows, rows) == ""
    assert "1 of 256" in folds.described(type_, expression, rows, changed)
