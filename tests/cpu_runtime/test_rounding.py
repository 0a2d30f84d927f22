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


# Plain operations whose operands are ready long before, among operations that change the processor's mode.
PLAIN = ("a + b", "a * b", "fmaf(a, b, 0.1f)", "a / b", "sqrtf(b)", "(float)((double)a * b)")
DIRECTED = tuple(f"__f{name}_r{mode}(a, b{more})" for name, more in (
    ("add", ""), ("mul", ""), ("maf", ", 0.1f"), ("div", ""), ("sub", ""), ("mul", "")) for mode in "zud")  # fmt: skip
MIXED = """
extern "C" __global__ void mixed(const float* left, const float* right, float* out, int* count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, n = *count;
    if (i >= n) return;
    const float a = left[i], b = right[i];
    float* to = out + i;
""" + "".join(
    f"    *to = {plain}; to += n;\n" + "".join(f"    *to = {one}; to += n;\n" for one in DIRECTED[3 * at : 3 * at + 3])
    for at, plain in enumerate(PLAIN)
) + "}\n" + "".join(
    f'extern "C" __global__ void plain_{at}(const float* left, const float* right, float* out) {{\n'
    f"    const float a = left[threadIdx.x], b = right[threadIdx.x];\n    out[threadIdx.x] = {plain};\n}}\n"
    for at, plain in enumerate(PLAIN)
)  # fmt: skip
MIXED_PROGRAM = """
import numpy as np
import hiprtc_program
module = hiprtc_program.Kernels(hip, hiprtc_program.load({folder!r})).load({source!r}, "--fmad=false")
n, random = 256, np.random.default_rng(6)
left, right = random.uniform(-9, 9, n).astype(np.float32), random.uniform(0.1, 9, n).astype(np.float32)
out = np.zeros((24, n), np.float32)
module.launch("mixed", 1, n, left, right, out, np.array([n], np.int32))
for at in range(6):
    alone = np.zeros(n, np.float32)
    module.launch(f"plain_{{at}}", 1, n, left, right, alone)
    print(np.count_nonzero(alone), np.count_nonzero(out[4 * at] != alone))
"""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_what_stands_beside_an_operation_is_rounded_to_nearest(
    run_hip: Callable[..., str], runtime_folder: Path, compiler: str
) -> None:
    code = MIXED_PROGRAM.format(folder=str(runtime_folder), source=MIXED)
    assert run_hip(code, CUDA_SHIM_CPU_CXX=compiler).split() == ["256", "0"] * len(PLAIN)
