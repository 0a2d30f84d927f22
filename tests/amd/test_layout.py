"""Sizes and alignments of vectors on AMD GPUs, alone and in structs, beside those of NVRTC."""

from __future__ import annotations

import re

import pytest

from tests.amd.toolchain import NAMES_AND_TYPES
from tests.environments import missing
from tests.kernels import compilers

NUMBERS = ("char", "short", "int", "long", "longlong")
VECTORS = [f"{number}{count}" for number in (*NUMBERS, *(f"u{number}" for number in NUMBERS), "float", "double")
           for count in (1, 2, 3, 4)] + ["dim3"]  # fmt: skip
STRUCTS = "".join(f"struct S_{vector} {{ char a; {vector} v; }};\n" for vector in VECTORS)
PLACES = "sizeof({0}) * 1000000 + alignof({0}) * 1000 + sizeof(S_{0})"


def of_nvrtc() -> list[int]:
    """The numbers of each vector, out of the PTX of a kernel that stores them."""
    nvrtc = compilers.nvrtc().get("12.9")
    if nvrtc is None:
        missing("NVRTC 12.9 is not installed")
    stores = "".join(f"o[{number}] = {PLACES.format(vector)};\n" for number, vector in enumerate(VECTORS))
    program = STRUCTS + f'extern "C" __global__ void k(unsigned long long* o) {{\n{stores}}}\n'
    text = nvrtc.compile(program.encode(), b"layout.cu", [b"-arch=compute_80"], with_image=True).image.decode()
    values = dict(re.findall(r"mov\.u64\s+(%rd\d+), (\d+);", text))
    stored = re.findall(r"st\.global\.u64\s+\[%rd\d+(?:\+(\d+))?\], (%rd\d+);", text)
    numbers = {int(place or 0) // 8: int(values[register]) for place, register in stored}
    return [numbers[number] for number in range(len(VECTORS))]


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_vectors_lie_as_cuda_has_them(target, compiler, tmp_path):
    checks = "".join(
        f'static_assert({PLACES.format(vector)} == {number}, "{vector}");\n'
        for vector, number in zip(VECTORS, of_nvrtc(), strict=True)
    )
    source = (STRUCTS + checks).encode()
    done = compiler.compile(source, b"layout.cu", target, folder=tmp_path, depth=NAMES_AND_TYPES)
    assert done.status == 0, done.log


OPERATORS = """
__device__ double4 operator+(double4 a, double4 b) { return make_double4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ double4& operator+=(double4& a, double4 b) { a = a + b; return a; }
__device__ float4& operator+=(float4& a, float4 b) { a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; return a; }
struct Four { ulonglong4 v; __device__ operator ulonglong4() const { return v; } };
extern "C" __global__ void k(double4* o, float4* p, Four f) {
    o[0] += o[1] + double4{1, 2, 3, 4};
    p[0] += p[1];
    ulonglong4 v = f;
    o[2].x = v.w;
}
"""


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_programs_bring_operators_of_their_own(target, compiler, tmp_path):
    done = compiler.compile(OPERATORS.encode(), b"operators.cu", target, folder=tmp_path)
    assert done.status == 0, done.log


FOR_NAN = """
extern "C" __global__ void k(float* o, int* i) {
    const float nan = __int_as_float(0x7fc00000);
    o[0] = __saturatef(nan);
    i[0] = ilogbf(nan);
    i[1] = ilogb((double)nan);
    i[2] = ilogb(nan);
}
"""


def test_functions_give_cuda_s_values_for_nan(compiler, tmp_path):
    depth = ("-O3", "-S", "-emit-llvm")
    done = compiler.compile(FOR_NAN.encode(), b"nan.cu", "gfx942", folder=tmp_path, depth=depth)
    assert done.status == 0, done.log
    code = (tmp_path / "program.s").read_text(encoding="utf-8")
    first, *others = re.findall(r"store (.+?), ptr", code)
    assert first == "float 0.000000e+00"
    assert others
    assert all("-2147483648" in stored for stored in others)
