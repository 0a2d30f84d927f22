"""Conversions of half and bfloat16 to whole numbers and to bool, by name and by cast, as NVIDIA's headers declare them."""

from __future__ import annotations

import json

import pytest

from tests.program_files import read_program

TYPES = {
    "signed char": (-(1 << 7), (1 << 7) - 1),
    "unsigned char": (0, (1 << 8) - 1),
    "short": (-(1 << 15), (1 << 15) - 1),
    "unsigned short": (0, (1 << 16) - 1),
    "int": (-(1 << 31), (1 << 31) - 1),
    "unsigned int": (0, (1 << 32) - 1),
    "long long": (-(1 << 63), (1 << 63) - 1),
    "unsigned long long": (0, (1 << 64) - 1),
}
VALUES = [0.0, -0.0, 0.5, -0.75, 1.0, -1.5, 2.5, 127.5, 200.0, -200.0, 300.0, -3e4, 6e4, float("inf"), float("-inf")]
PROGRAM = read_program(__file__, "narrow_conversions.py")


def source(narrow: str, header: str) -> str:
    asked = [f"(unsigned long long)x.operator {kind}(), (unsigned long long)static_cast<{kind}>(x)" for kind in TYPES]
    return f"""
#include <{header}>
extern "C" __global__ void convert(const float* given, unsigned long long* out) {{
    const {narrow} x = ({narrow})given[threadIdx.x];
    const unsigned long long all[] = {{{", ".join(asked)}, x ? 1ull : 0ull, !x ? 1ull : 0ull, x.operator bool() ? 1ull : 0ull,
                                      (double)x == (double)given[threadIdx.x] ? 1ull : 0ull}};
    const int count = sizeof all / sizeof *all;
    for (int at = 0; at < count; ++at) out[threadIdx.x * count + at] = all[at];
}}
"""


def expected(value: float) -> list[int]:
    answers = []
    for low, high in TYPES.values():
        whole = high if value >= high else low if value <= low else int(value)
        answers += [whole % (1 << 64)] * 2
    return [*answers, int(value != 0), int(value == 0), int(value != 0), 1]


@pytest.mark.parametrize(("narrow", "header"), [("__half", "cuda_fp16.h"), ("__nv_bfloat16", "cuda_bf16.h")])
def test_whole_numbers_saturate(run_on_cpu, narrow, header):
    values = [value for value in VALUES if narrow == "__half" or value not in (6e4, -3e4)]  # bfloat16 lacks these two
    count = 2 * len(TYPES) + 4
    done = run_on_cpu("-c", PROGRAM, json.dumps(values), source(narrow, header), str(count))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for at, value in enumerate(values):
        assert found[at * count : (at + 1) * count] == expected(value), value
