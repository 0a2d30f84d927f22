"""Arithmetic with a rounding mode in its name changes the rounding of that operation only, with every compiler."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
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


# Numbers for which rounding is delicate: zeros, denormals, neighbours of powers of two, the largest numbers, and random
# ones.
EDGES = (0, 1, 2, 0x7FFFFF, 0x800000, 0x800001, 0xFFFFFF, 0x33800000, 0x34000000, 0x3F7FFFFF, 0x3F800000, 0x3F800001,
         0x40490FDB, 0x4B000000, 0x5F000001, 0x7F7FFFFE, 0x7F7FFFFF, 0x12345678, 0x6789ABCD)  # fmt: skip
EXACT = {
    "add": ("__fadd_{}(x, y)", lambda x, y, _: x + y),
    "sub": ("__fsub_{}(x, y)", lambda x, y, _: x - y),
    "mul": ("__fmul_{}(x, y)", lambda x, y, _: x * y),
    "fma": ("__fmaf_{}(x, y, z)", lambda x, y, z: x * y + z),
}
EXACT_SOURCE = """
extern "C" __global__ void exact(const float* a, const float* b, const float* c, float* out, int* count) {
    const int n = *count;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const float x = a[i], y = b[i], z = c[i];
        float* to = out + i;
""" + "".join(
    f"        *to = {form.format(mode)}; to += n;\n" for form, _ in EXACT.values() for mode in ("rd", "ru")
) + "    }\n}\n"  # fmt: skip
EXACT_PROGRAM = """
import numpy as np
import hiprtc_program
module = hiprtc_program.Kernels(hip, hiprtc_program.load({folder!r})).load({source!r}, *{options!r})
values = np.array({edges!r}, np.uint32).view(np.float32)
values = np.concatenate((values, -values))
a, b = (grid.ravel() for grid in np.meshgrid(values, values))
c = np.roll(a, 7) * np.where(np.arange(a.size) % 3, 1, 0).astype(np.float32)
out = np.zeros((8, a.size), np.float32)
module.launch("exact", 1, 64, a.copy(), b.copy(), c, out, np.array([a.size], np.int32))
for row in (a, b, c, *out):
    print(*row.view(np.uint32).tolist())
"""


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("options", [["--fmad=true"], ["--use_fast_math"]], ids=["contracted", "fast"])
def test_sums_and_products_are_rounded_down_and_up_from_what_they_are(
    run_hip: Callable[..., str], runtime_folder: Path, compiler: str, options: list[str]
) -> None:
    code = EXACT_PROGRAM.format(folder=str(runtime_folder), source=EXACT_SOURCE, edges=list(EDGES), options=options)
    said = run_hip(code, CUDA_SHIM_CPU_CXX=compiler).splitlines()
    rows = [np.array(line.split(), np.uint32).view(np.float32) for line in said]
    assert len(rows) == 3 + 2 * len(EXACT)
    operands = [[Fraction(float(value)) for value in row] for row in rows[:3]]
    wrong = []
    for place, (name, (_, compute)) in enumerate(EXACT.items()):
        down, up = rows[3 + 2 * place], rows[4 + 2 * place]
        for x, y, z, low, high in zip(*operands, down, up, strict=True):
            exact = compute(x, y, z)
            if not (_is_next(exact, low, up=False) and _is_next(exact, high, up=True)):
                wrong.append((name, float(x), float(y), float(z), low, high))
    assert wrong == []


def _is_next(exact: Fraction, found: np.float32, *, up: bool) -> bool:
    """Return whether no float is between a number and its rounded value, on the requested side."""
    towards = np.float32(-np.inf if up else np.inf)
    with np.errstate(over="ignore", under="ignore"):
        other = np.nextafter(found, towards)
    sides = [_compared(found, exact), _compared(other, exact)]
    return sides[0] >= 0 > sides[1] if up else sides[0] <= 0 < sides[1]


def _compared(value: np.float32, exact: Fraction) -> int:
    if np.isinf(value):
        return 1 if value > 0 else -1
    number = Fraction(float(value))
    return (number > exact) - (number < exact)
