"""Integer divisions that a processor refuses: kernels go on with an H200's results."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.hip_on_host.hiprtc_program import Kernels

FORMS = {
    "loop": "",
    "split": "__shared__ int s[32]; s[threadIdx.x] = 1; __syncthreads(); if (!s[threadIdx.x ^ 1]) return;",
    "fibres": "if (threadIdx.x < 32) __syncthreads();",
}
SOURCE = """
typedef {kind} T;
typedef {unsigned} U;
extern "C" __global__ void divide(const T* a, const T* b, T* out, int n) {{
    {form}
    const int i = threadIdx.x;
    if (i >= n) return;
    out[4 * i] = a[i] / b[i];
    out[4 * i + 1] = a[i] % b[i];
    out[4 * i + 2] = (U)a[i] / (U)b[i];
    out[4 * i + 3] = (U)a[i] % (U)b[i];
}}
extern "C" __global__ void divide_unsigned(const U* a, const U* b, U* out, int n) {{
    const int i = threadIdx.x;
    if (i < n) out[i] = a[i] / b[i] + a[i] % b[i];
}}
"""
LEAST, MOST = -(2**31), 2**31 - 1
LEAST_LONG, MOST_LONG = -(2**63), 2**63 - 1
#: Dividend and divisor, and what an H200 gave for both operators, signed and unsigned (driver 580, NVRTC 13.3, sm_90).
INTS = {
    (7, 0): (-1, 7, -1, 7),
    (-7, 0): (-1, -7, -1, -7),
    (0, 0): (-1, 0, -1, 0),
    (LEAST, -1): (LEAST, 0, 0, LEAST),
    (LEAST, 0): (-1, LEAST, -1, LEAST),
    (MOST, 0): (-1, MOST, -1, MOST),
    (7, 2): (3, 1, 3, 1),
}
LONGS = {
    (7, 0): (4294967295, 7, 4294967295, 7),
    (-7, 0): (-1, -7, -1, -7),
    (0, 0): (4294967295, 0, 4294967295, 0),
    (LEAST_LONG, -1): (LEAST_LONG, 0, 0, LEAST_LONG),
    (LEAST_LONG, 0): (-1, LEAST_LONG, -1, LEAST_LONG),
    (MOST_LONG, 0): (-1, MOST_LONG, -1, MOST_LONG),
    (-7, 2): (-3, -1, 9223372036854775804, 1),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("kind", "expected", "dtype"), [("int", INTS, "i4"), ("long long", LONGS, "i8")])
def test_a_division_by_zero_has_an_h200_s_results(
    programs: Kernels, form: str, kind: str, expected: dict[tuple[int, int], tuple[int, ...]], dtype: str
) -> None:
    source = SOURCE.format(kind=kind, unsigned=f"unsigned {kind}", form=FORMS[form])
    a, b = (np.array(side, dtype) for side in zip(*expected, strict=True))
    out = np.zeros(4 * len(expected), dtype)
    programs.load(source).launch("divide", 1, 32, a, b, out, ctypes.c_int(len(expected)))
    assert out.reshape(-1, 4).tolist() == [list(row) for row in expected.values()]


def test_every_form_of_a_divisor_is_read(programs: Kernels) -> None:
    """In registers of each number, and in memory by each kind of address."""
    count = 14
    names = [f"v{i}" for i in range(count)]
    reads = "".join(f"int {name} = b[{i} * n];" for i, name in enumerate(names))
    divisions = "".join(f"out[{i}] = a[{i}] / {name};" for i, name in enumerate(names))
    again = "".join(f"out[{count + i}] = a[0] % {name} + {name};" for i, name in enumerate(names))
    source = f"""__device__ int zero; extern "C" __global__ void k(const int* a, const int* b, int* out, int n) {{
        {reads} {divisions} {again} out[{2 * count}] = n / zero; out[{2 * count + 1}] = n / b[a[2]];
        out[{2 * count + 2}] = (n * 300) / b[0]; }}"""
    a, b, out = np.arange(count, dtype=np.int32), np.zeros(count, np.int32), np.ones(2 * count + 3, np.int32)
    programs.load(source).launch("k", 1, 1, a, b, out, ctypes.c_int(1))
    assert out.tolist() == [-1] * count + [0] * count + [-1] * 3


@pytest.mark.parametrize(("kind", "dtype"), [("signed char", "i1"), ("short", "i2")])
def test_short_numbers_divide_as_ints(programs: Kernels, kind: str, dtype: str) -> None:
    source = SOURCE.format(
        kind=kind, unsigned=kind.replace("signed ", "unsigned ") if "char" in kind else "unsigned short", form=""
    )
    a, b, out = np.array([7, -7], dtype), np.zeros(2, dtype), np.zeros(8, dtype)
    programs.load(source).launch("divide", 1, 32, a, b, out, ctypes.c_int(2))
    assert out.reshape(-1, 4)[:, :2].tolist() == [[-1, 7], [-1, -7]]
