"""C's arithmetic on special values, with constants that compilers fold, gives the results of an H100."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.hip_on_host.hiprtc_program import find_compiler
from tests.interpreters import PACKAGE_ROOT
from tests.kernels import folds

RECORDED = Path(folds.__file__).with_name("folds.npz")
COUNT = sum(len(folds.expressions(type_)) for type_ in folds.TYPES)
#: Expressions that the GPU, or the C library, computes otherwise than IEEE 754 and C, with the reasons.
EXPLAINED = {
    r"x (<|<=|>|>=) .* \? x : ": "the GPU takes its minimum or maximum, which orders zeros by their signs",
    r"hypotf?\(": "the GPU's overflows on its way, and takes a signalling NaN beside an infinity for a quiet one",
    r"float\(signbit\(": "the sign of a NaN that an operation makes is the processor's",
}


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


def test_folded_is_as_on_a_gpu(compare):
    done = compare(RECORDED)
    *lines, count = done.stdout.splitlines()
    assert count.startswith(f"{COUNT} expressions, "), done.stdout + done.stderr
    of = {line: next((known for known in EXPLAINED if re.match(rf"\w+, {known}", line)), None) for line in lines}
    assert [line for line, known in of.items() if known is None] == []
    assert set(of.values()) == set(EXPLAINED)


def test_a_wrong_zero_is_found():
    type_ = folds.FLOAT
    expression = folds.Expression("x - y")
    rows = folds.operands(type_)[0] * 0
    changed = rows.copy()
    changed[3] = 0x80000000
    assert folds.described(type_, expression, rows, rows) == ""
    assert "1 of 256" in folds.described(type_, expression, rows, changed)
