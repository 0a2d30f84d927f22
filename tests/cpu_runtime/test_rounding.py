"""Arithmetic with a rounding mode in its name touches nothing but the one operation, whatever compiler there is."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

COMPILERS = [name for name in ("clang++-19", "clang++", "g++") if shutil.which(name)]

OPERATIONS = {
    "sum": "__fadd_rd(a, b)",
    "difference": "__fsub_ru(a, b)",
    "product": "__fmul_ru(a, b)",
    "quotient": "__fdiv_rz(a, b)",
    "root": "__fsqrt_ru(b)",
    "fused": "__fmaf_rd(a, b, a)",
}
# Operands that are rounded themselves: worked out right before the operation, or by another kernel.
SOURCE = """
#define OPERANDS(x) const float a = (float)(int)x * 1e-3f, b = (float)(x % 1000 + 1) * 0.3f;
extern "C" __global__ void operands(const unsigned* in, float* left, float* right) {
    OPERANDS(in[threadIdx.x])
    left[threadIdx.x] = a;
    right[threadIdx.x] = b;
}
""" + "".join(f"""
extern "C" __global__ void {name}_at_once(const unsigned* in, float* out) {{
    OPERANDS(in[threadIdx.x])
    out[threadIdx.x] = {operation};
}}
extern "C" __global__ void {name}(const float* left, const float* right, float* out) {{
    const float a = left[threadIdx.x], b = right[threadIdx.x];
    out[threadIdx.x] = {operation};
}}
""" for name, operation in OPERATIONS.items())  # fmt: skip

PROGRAM = """
import numpy as np
import hiprtc_program
module = hiprtc_program.Kernels(hip, hiprtc_program.load({folder!r})).load({source!r}, "--fmad=false")
n = 256
values = np.random.default_rng(5).integers(0, 2**32, n, dtype=np.uint32)
left, right = np.zeros((2, n), np.float32)
module.launch("operands", 1, n, values, left, right)
for name in {operations!r}:
    at_once, expected = np.zeros((2, n), np.float32)
    module.launch(name + "_at_once", 1, n, values, at_once)
    module.launch(name, 1, n, left, right, expected)
    print(name, np.count_nonzero(expected), np.count_nonzero(at_once.view("u4") != expected.view("u4")))
"""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_operands_are_rounded_as_everything_else(
    run_hip: Callable[..., str], runtime_folder: Path, compiler: str
) -> None:
    code = PROGRAM.format(folder=str(runtime_folder), source=SOURCE, operations=list(OPERATIONS))
    said = run_hip(code, CUDA_SHIM_CPU_CXX=compiler)
    assert said.splitlines() == [f"{name} 256 0" for name in OPERATIONS]
