"""Forms of mma.sync and of nvcuda::wmma for doubles, 4 bits and single bits, and kernels that use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Form(NamedTuple):
    """A form of mma.sync: its name, shape and types, and the places of the elements of a lane's parts of a and b."""

    shape: str
    types: str
    kind: str
    bits: int
    a: Callable[[int, int, int], tuple[int, int]]
    b: Callable[[int, int, int], tuple[int, int]]

    @property
    def sides(self) -> tuple[int, int]:
        """Rows of a, and its columns."""
        rows, depth = self.shape.removeprefix("m").split("n8k")
        return int(rows), int(depth)

    @property
    def name(self) -> str:
        return f"mma.sync.aligned.{self.shape}.row.col.{self.types}"


FORMS = [
    Form("m8n8k4", "f64.f64.f64.f64", "d", 64, lambda g, t, i: (g, t), lambda g, t, i: (t, g)),
    Form("m16n8k4", "f64.f64.f64.f64", "d", 64, lambda g, t, i: (g + 8 * i, t), lambda g, t, i: (t, g)),
    Form("m16n8k8", "f64.f64.f64.f64", "d", 64, lambda g, t, i: (g + i % 2 * 8, t + i // 2 * 4), lambda g, t, i: (t + 4 * i, g)),
    Form("m16n8k16", "f64.f64.f64.f64", "d", 64, lambda g, t, i: (g + i % 2 * 8, t + i // 2 * 4), lambda g, t, i: (t + 4 * i, g)),
]  # fmt: skip
for _types in ("s32.s4.s4.s32", "s32.u4.u4.s32", "s32.s4.u4.s32"):
    FORMS += [
        Form("m8n8k32", _types, "i", 4, lambda g, t, i: (g, t * 8 + i), lambda g, t, i: (t * 8 + i, g)),
        Form("m16n8k32", _types, "i", 4, lambda g, t, i: (g if i < 8 else g + 8, t * 8 + i % 8), lambda g, t, i: (t * 8 + i, g)),
        Form("m16n8k64", _types, "i", 4,
             lambda g, t, i: (g if i < 8 or 16 <= i < 24 else g + 8, t * 8 + i % 8 + (32 if i >= 16 else 0)),
             lambda g, t, i: (t * 8 + i % 8 + (32 if i >= 8 else 0), g)),
    ]  # fmt: skip
for _types in ("s32.b1.b1.s32.xor.popc", "s32.b1.b1.s32.and.popc"):
    FORMS += [
        Form("m8n8k128", _types, "i", 1, lambda g, t, i: (g, t * 32 + i), lambda g, t, i: (t * 32 + i, g)),
        Form("m16n8k128", _types, "i", 1, lambda g, t, i: (g if i < 32 else g + 8, t * 32 + i % 32), lambda g, t, i: (t * 32 + i, g)),
        Form("m16n8k256", _types, "i", 1,
             lambda g, t, i: (g if i < 32 or 64 <= i < 96 else g + 8, t * 32 + i % 32 + (128 if i >= 64 else 0)),
             lambda g, t, i: (t * 32 + i % 32 + (128 if i >= 32 else 0), g)),
    ]  # fmt: skip

WMMA = """
#include <mma.h>
using namespace nvcuda::wmma;
extern "C" __global__ void kernel(const %(memory)s* x, %(sum)s* out) {
    fragment<matrix_a, 8, 8, %(depth)d, %(type)s, row_major> a;
    fragment<matrix_b, 8, 8, %(depth)d, %(type)s, %(layout)s> b;
    fragment<accumulator, 8, 8, %(depth)d, %(sum)s> c, d;
    fill_fragment(c, (%(sum)s)3);
    load_matrix_sync(a, x, %(depth)d);
    load_matrix_sync(b, x + %(second)d, %(stride)d);
    %(product)s;
    store_matrix_sync(out, d, 8, mem_row_major);
}
"""
PACKED = "experimental::precision::"
WMMA_FORMS = {
    "wmma of doubles": {"memory": "double", "sum": "double", "depth": 4, "type": "double", "layout": "row_major", "second": 32, "stride": 8, "product": "mma_sync(d, a, b, c)"},
    "wmma of s4": {"memory": "int", "sum": "int", "depth": 32, "type": PACKED + "s4", "layout": "col_major", "second": 32, "stride": 32, "product": "mma_sync(d, a, b, c)"},
    "wmma of u4": {"memory": "int", "sum": "int", "depth": 32, "type": PACKED + "u4", "layout": "col_major", "second": 32, "stride": 32, "product": "mma_sync(d, a, b, c)"},
    "bmma of bits that differ": {"memory": "int", "sum": "int", "depth": 128, "type": PACKED + "b1", "layout": "col_major", "second": 32, "stride": 128, "product": "bmma_sync(d, a, b, c)"},
    "bmma of bits that are set": {"memory": "int", "sum": "int", "depth": 128, "type": PACKED + "b1", "layout": "col_major", "second": 32, "stride": 128, "product": "bmma_sync(d, a, b, c, experimental::bmmaBitOpAND)"},
}  # fmt: skip


def source(form: Form) -> str:
    """A kernel whose lanes each load their registers of a, b and c, multiply, and store those of d."""
    (rows, depth), word = form.sides, 64 if form.bits == 64 else 32
    counts = rows * depth * form.bits // (32 * word), 8 * depth * form.bits // (32 * word), rows // 4
    type_, letter = ("double", "d") if form.kind == "d" else ("int", "r")
    first = [0, counts[2], counts[2] + counts[0], sum(counts)]
    names = ["{" + ",".join(f"%{i}" for i in range(first[k], first[k + 1])) + "}" for k in range(3)]
    given = ", ".join(f'"{letter}"(x[{i}])' for i in range(first[1], first[3]))
    kept = ", ".join(f'"+{letter}"(x[{i}])' for i in range(counts[2]))
    return (
        f'extern "C" __global__ void kernel(const {type_}* given, {type_}* out) {{\n'
        f"    {type_} x[{first[3]}];\n    for (int i = 0; i < {first[3]}; ++i) x[i] = given[threadIdx.x * {first[3]} + i];\n"
        f'    asm volatile("{form.name} {names[0]}, {names[1]}, {names[2]}, {names[0]};" : {kept} : {given});\n'
        f"    for (int i = 0; i < {counts[2]}; ++i) out[threadIdx.x * {counts[2]} + i] = x[i];\n}}\n"
    )
