"""Programs of CUDA C++ with nvcuda::wmma, a form of it each: sources, inputs, and the results that numpy computes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["KINDS", "WARPS", "Form", "expected_result", "forms", "inputs", "source"]

WARPS = 2

HEAD = """
#include <mma.h>
#include <cuda_bf16.h>
using namespace nvcuda::wmma;
"""
KERNEL = """
extern "C" __global__ void %(name)s(const char* x, char* out, int from_shared) {
    __shared__ __align__(128) char room[%(bytes)d], made[%(made)d];
    for (int i = threadIdx.x; i < %(bytes)d; i += blockDim.x) room[i] = x[i];
    __syncthreads();
    fragment<matrix_a, %(shape)s, %(kind)s, %(left)s_major> a;
    fragment<matrix_b, %(shape)s, %(kind)s, %(right)s_major> b;
    fragment<accumulator, %(shape)s, %(before)s> c;
    fragment<accumulator, %(shape)s, %(after)s> d;
    load_matrix_sync(a, (const %(stored)s*)(%(place)s), %(stride_a)d);
    load_matrix_sync(b, (const %(stored)s*)(%(place)s + %(b)d), %(stride_b)d);
    load_matrix_sync(c, (const %(before)s*)(%(place)s + %(c)d), %(stride_c)d, mem_%(layout_c)s_major);
    %(product)s
    for (int i = 0; i < d.num_elements; ++i) d.x[i] = %(last)s;
    char* to = made + threadIdx.x / 32 * %(of_warp)d;
    store_matrix_sync((%(after)s*)(%(to)s), d, %(stride_d)d, mem_%(layout_d)s_major);
    if (%(is_made)d) for (int i = threadIdx.x %% 32; i < %(of_warp)d; i += 32) out[to - made + i] = to[i];
}
"""
#: C++'s type of an element, its type in memory, and numpy's type of it.
KINDS = {
    "f16": ("half", "half", np.float16),
    "bf16": ("__nv_bfloat16", "__nv_bfloat16", np.uint16),
    "tf32": ("precision::tf32", "float", np.float32),
    "f64": ("double", "double", np.float64),
    "s8": ("signed char", "signed char", np.int8),
    "u8": ("unsigned char", "unsigned char", np.uint8),
    "s4": ("experimental::precision::s4", "int", np.int32),
    "u4": ("experimental::precision::u4", "unsigned", np.uint32),
    "b1": ("experimental::precision::b1", "unsigned", np.uint32),
}
_SUMS = {
    "f16": ("half", np.float16),
    "f32": ("float", np.float32),
    "f64": ("double", np.float64),
    "s32": ("int", np.int32),
}
_BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
_LOWEST = {"u8": 0, "u4": 0, "b1": 0, "s4": -8, "s8": -128}
_BEYOND = {"u8": 256, "s8": 128, "u4": 16, "s4": 8, "b1": 2}
_SHAPES = {
    "tf32": [(16, 16, 8)] * 4,
    "f64": [(8, 8, 4)] * 4,
    "s4": [(8, 8, 32)],
    "u4": [(8, 8, 32)],
    "b1": [(8, 8, 128)],
}
_WIDE = [(16, 16, 16), (8, 32, 16), (32, 8, 16)]
_PAIRS = [("row", "col"), ("col", "row"), ("row", "row"), ("col", "col")]
_PLACES = ("global", "shared", "generic")


@dataclass(frozen=True)
class Form:
    """A product: m, n and k, the types, each matrix's layout in memory, and the memory space."""

    shape: tuple[int, int, int]
    kind: str
    before: str
    after: str
    layouts: tuple[str, str, str, str]
    place: str
    operation: str = ""

    @property
    def name(self) -> str:
        shape = "m{}n{}k{}".format(*self.shape)
        return "_".join(
            filter(None, (shape, self.kind, self.before, self.after, *self.layouts, self.place, self.operation))
        )

    def sides(self) -> list[tuple[int, int]]:
        """Rows and columns of a, b, c and d."""
        m, n, k = self.shape
        return [(m, k), (k, n), (m, n), (m, n)]

    def strides(self) -> list[int]:
        """Return the elements from line to line: 16 bytes more than a line has."""
        strides = []
        kinds = [_BITS[self.kind]] * 2 + [np.dtype(_SUMS[kind][1]).itemsize * 8 for kind in (self.before, self.after)]
        for (rows, columns), layout, bits in zip(self.sides(), self.layouts, kinds, strict=True):
            strides.append((columns if layout == "row" else rows) + 128 // bits)
        return strides

    def sizes(self) -> list[int]:
        """Return the bytes of a, b, c and d, with the gaps between their lines."""
        kinds = [_BITS[self.kind]] * 2 + [np.dtype(_SUMS[kind][1]).itemsize * 8 for kind in (self.before, self.after)]
        lines = [
            rows if layout == "row" else columns
            for (rows, columns), layout in zip(self.sides(), self.layouts, strict=True)
        ]
        return [count * stride * bits // 8 for count, stride, bits in zip(lines, self.strides(), kinds, strict=True)]


def forms(kind: str) -> Iterator[Form]:
    """Yield the forms of a type of a and b: every shape with every type of sums, layouts and places by turns."""
    sums = [("f32", "f32")]
    if kind == "f16":
        sums = [("f16", "f16"), ("f32", "f32"), ("f16", "f32"), ("f32", "f16")]
    elif kind == "f64" or kind in _LOWEST:
        sums = [("f64", "f64")] if kind == "f64" else [("s32", "s32")]
    operations = {"b1": ("xor", "and"), "s8": ("", "saturated"), "u8": ("", "saturated"), "s4": ("", "saturated")}
    several = itertools.product(_SHAPES.get(kind, _WIDE), operations.get(kind, ("",)), sums)
    for count, (shape, operation, (c_type, d_type)) in enumerate(several):
        left_layout, right = _PAIRS[count % len(_PAIRS)] if _BITS[kind] >= 8 else ("row", "col")
        layouts = (left_layout, right, "col" if count % 2 else "row", "row" if count % 3 else "col")
        yield Form(shape, kind, c_type, d_type, layouts, _PLACES[count % 3], operation)


def source(kind: str) -> str:
    """Return a program with the kernels of a type's forms."""
    return HEAD + "".join(_kernel(form) for form in forms(kind))


def _kernel(form: Form) -> str:
    sizes, strides = form.sizes(), form.strides()
    product = "mma_sync(d, a, b, c);"
    if form.operation in ("xor", "and"):
        product = f"bmma_sync(d, a, b, c, experimental::bmmaBitOp{form.operation.upper()});"
    elif form.operation:
        product = "mma_sync(d, a, b, c, true);"
    place = {"global": "x", "shared": "room", "generic": "(from_shared ? room : x)"}[form.place]
    return KERNEL % {
        "name": form.name, "last": "d.x[i]" if form.operation == "saturated" else "d.x[i] + d.x[i]",
        "bytes": sum(sizes[:3]), "made": sizes[3] * WARPS, "shape": ", ".join(map(str, form.shape)),
        "kind": KINDS[form.kind][0], "stored": KINDS[form.kind][1], "left": form.layouts[0], "right": form.layouts[1],
        "before": _SUMS[form.before][0], "after": _SUMS[form.after][0], "place": place,
        "stride_a": strides[0], "stride_b": strides[1], "stride_c": strides[2], "stride_d": strides[3],
        "b": sizes[0], "c": sizes[0] + sizes[1], "layout_c": form.layouts[2], "layout_d": form.layouts[3],
        "product": product, "of_warp": sizes[3], "is_made": form.place == "shared",
        "to": "to" if form.place == "shared" else "(from_shared == 2 ? to : out + (to - made))" if form.place == "generic"
        else "out + (to - made)",
    }  # fmt: skip


def inputs(form: Form, chance: np.random.Generator) -> tuple[Any, list[Any]]:
    """Return the bytes that a program takes, and the matrices a, b and c in them."""
    low, beyond = _LOWEST.get(form.kind, -8), _BEYOND.get(form.kind, 9)
    a, b, c = (chance.integers(low, beyond, sides) for sides in form.sides()[:3])
    c = chance.integers(-9, 9, c.shape)
    if form.operation == "saturated":
        c = np.where(chance.integers(0, 2, c.shape), 2**31 - 1, -(2**31)) + c
        c = np.clip(c, -(2**31), 2**31 - 1)
    parts = []
    for matrix, layout, stride, size, bits in zip(
        (a, b), form.layouts, form.strides(), form.sizes(), [_BITS[form.kind]] * 2, strict=False
    ):
        parts.append(_packed(_padded(matrix, layout, stride), form.kind, bits))
        assert parts[-1].nbytes == size
    sums = _padded(c, form.layouts[2], form.strides()[2]).astype(_SUMS[form.before][1])
    parts.append(sums.ravel().view(np.uint8))
    return np.concatenate(parts), [a, b, c]


def _padded(matrix: Any, layout: str, stride: int) -> Any:
    lines = matrix if layout == "row" else matrix.T
    return np.ascontiguousarray(np.pad(lines, ((0, 0), (0, stride - lines.shape[1])), constant_values=1))


def _packed(lines: Any, kind: str, bits: int) -> Any:
    if bits < 8:
        each = 8 // bits
        parts = (lines.ravel() & ((1 << bits) - 1)).reshape(-1, each) << (np.arange(each) * bits)
        return parts.sum(1).astype(np.uint8)
    if kind == "bf16":
        return (lines.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.uint8).ravel()
    return np.ascontiguousarray(lines.astype(KINDS[kind][2])).view(np.uint8).ravel()


def expected_result(form: Form, matrices: list[Any]) -> Any:
    """Return the bytes that numpy has for d of each warp, and a mask of those that count."""
    a, b, c = matrices
    if form.operation in ("xor", "and"):
        combine = np.bitwise_xor if form.operation == "xor" else np.bitwise_and
        d = combine(a[:, :, None], b[None]).sum(1) + c
    else:
        d = a @ b + c
    if form.operation == "saturated":
        d = np.clip(d, -(2**31), 2**31 - 1)
    type_ = _SUMS[form.after][1]
    lines = _padded(d if form.operation == "saturated" else d * 2, form.layouts[3], form.strides()[3])
    mask = _padded(np.full(d.shape, True), form.layouts[3], form.strides()[3])
    mask[:, (form.sides()[3][1] if form.layouts[3] == "row" else form.sides()[3][0]) :] = False
    with np.errstate(over="ignore"):
        lines = lines.astype(type_)
    return np.tile(lines, (WARPS, 1)), np.tile(mask, (WARPS, 1))
