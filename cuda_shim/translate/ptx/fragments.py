"""wmma: matrices that a warp loads, multiplies and stores as a whole, which is arithmetic on host cores.

`cuda_shim/ptx_fragments.h` computes them; AMD's GPUs have other shapes, so there they are refused by name.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager

from cuda_shim.translate.ptx import matrices, memory
from cuda_shim.translate.ptx.decoder import Mismatch
from cuda_shim.translate.ptx.emit_context import EmitContext
from cuda_shim.translate.ptx.instructions import Unknown, form_of
from cuda_shim.translate.ptx.module import Instruction, Operand, Special, Vector
from cuda_shim.translate.ptx.types import TYPES

__all__ = ["with_fragments"]

_SHAPE = r"m(?P<m>\d+)n(?P<n>\d+)k(?P<k>\d+)"
_MEMORY = re.compile(
    r"wmma\.(?:load\.(?P<part>[abc])|store\.d)\.sync\.aligned\.(?P<layout>row|col)\."
    + _SHAPE
    + r"(?:\.(?P<space>global|shared)(?:::cta)?)?\.(?P<type>\w+)"
)
_PRODUCT = re.compile(
    r"wmma\.mma(?:\.(?P<bits>xor|and)\.popc)?\.sync\.aligned\.(?P<left>row|col)\.(?P<right>row|col)\."
    + _SHAPE
    + r"(?P<rounding>\.rn)?(?P<types>(?:\.(?!rn|satfinite)\w+)+)(?:\.rn)?(?P<saturated>\.satfinite)?"
)
_WIDE_SHAPES = {(16, 16, 16), (8, 32, 16), (32, 8, 16)}
# Properties by the type of a and b: the shapes, the bits of an element, and the types of c and d.
_FACTORS: dict[str, tuple[set[tuple[int, int, int]], int, tuple[str, ...]]] = {
    "f16": (_WIDE_SHAPES, 16, ("f16", "f32")),
    "bf16": (_WIDE_SHAPES, 16, ("f32",)),
    "s8": (_WIDE_SHAPES, 8, ("s32",)),
    "u8": (_WIDE_SHAPES, 8, ("s32",)),
    "tf32": ({(16, 16, 8)}, 32, ("f32",)),
    "f64": ({(8, 8, 4)}, 64, ("f64",)),
    "s4": ({(8, 8, 32)}, 4, ("s32",)),
    "u4": ({(8, 8, 32)}, 4, ("s32",)),
    "b1": ({(8, 8, 128)}, 1, ("s32",)),
}
_LANES = 32
_HALVES = 8  # registers of a fragment of halves, of which some shapes need fewer


def with_fragments(ctx: EmitContext, item: Instruction) -> None:
    """Write wmma.load, wmma.mma or wmma.store."""
    product = _PRODUCT.fullmatch(item.opcode)
    access = _MEMORY.fullmatch(item.opcode)
    if product is not None:
        _multiply(ctx, item, product)
    elif access is not None:
        (_store if access["part"] is None else _load)(ctx, item, access)
    else:
        raise _unsupported(item)


def _unsupported(item: Instruction) -> Unknown:
    form_of(item.opcode)  # raises Unknown itself if the table does not have the instruction
    return Unknown(f"'{item.opcode}' is not translated in this form")


def _load(ctx: EmitContext, item: Instruction, match: re.Match[str]) -> None:
    part, kind, by_lines = match["part"], match["type"], match["layout"] == "row"
    m, n, k = shape = _shape(match)
    if part == "c":
        _check_sums(item, shape, kind)
        bits, function = TYPES[kind].bits, "mma_load_sums"
        count, template_arguments = _sum_words(shape, kind), f"{bits}, {m}, {_cxx_bool(by_lines)}"
        width = n if by_lines else m
    else:
        bits, lines, function = _bits(item, shape, kind), m if part == "a" else n, "mma_load"
        by_lines = by_lines == (part == "a")  # b by columns has its elements of a column side by side
        if bits < 8 and not by_lines:
            raise _unsupported(item)
        count, template_arguments = (
            _factor_words(lines, k, kind),
            f"{bits}, {lines}, {k}, {_cxx_bool(part == 'a')}, {_cxx_bool(by_lines)}",
        )
        width = k if by_lines else lines
    targets = _registers(item, 0, count)
    address, stride = _address_and_stride(ctx, item, match, 1, width)
    word = _word(bits)

    with _hosts_only_scope(ctx, item):
        ctx.add(f"{TYPES[word].cxx} cuda_shim_words[{count}];")
        _access(ctx, f"{function}<{template_arguments}>", address, stride)
        matrices.assign_words(ctx, targets, "cuda_shim_words", word)


def _store(ctx: EmitContext, item: Instruction, match: re.Match[str]) -> None:
    kind, by_rows = match["type"], match["layout"] == "row"
    m, n, _ = shape = _shape(match)
    _check_sums(item, shape, kind)
    sources = _registers(item, 1, _sum_words(shape, kind))
    address, stride = _address_and_stride(ctx, item, match, 0, n if by_rows else m)
    bits = TYPES[kind].bits

    with _hosts_only_scope(ctx, item):
        matrices.declare_words(ctx, "words", sources, _word(bits))
        numbers = f"{bits}, {m}, {_cxx_bool(by_rows)}"
        _access(ctx, f"mma_store_sums<{numbers}>", address, stride)


def _access(ctx: EmitContext, function: str, address: str, stride: str) -> None:
    """Let a lane load or store its elements, between the meetings of the warp that the instruction implies."""
    lane = f"(int)({ctx.value(Special('laneid'), 'u32')})"
    ctx.add("__syncwarp();")
    ctx.add(f"cuda_shim_ptx::{function}({lane}, {address}, {stride}, cuda_shim_words);")
    ctx.add("__syncwarp();")


def _multiply(ctx: EmitContext, item: Instruction, match: re.Match[str]) -> None:
    m, n, k = shape = _shape(match)
    d, a, b, c = _types(item, match)
    bits = _bits(item, shape, a)
    sum_types = _FACTORS[a][2]
    layout_fits = bits >= 8 or (match["left"], match["right"]) == ("row", "col")
    is_integer = sum_types == ("s32",) and a != "b1"
    if a != b or not {c, d} <= set(sum_types) or not layout_fits or (match["bits"] is not None) != (a == "b1"):
        raise _unsupported(item)
    if (match["saturated"] and not is_integer) or (".rn" in item.opcode and a != "f64"):
        raise _unsupported(item)
    counts = _sum_words(shape, d), _factor_words(m, k, a), _factor_words(n, k, b), _sum_words(shape, c)
    parts = [_registers(item, index, count) for index, count in enumerate(counts)]
    word = _word(bits)
    suffix = f"_{match['bits']}" if match["bits"] else ""
    types = [f"mma_{name}{suffix}" for name in (a, b)] + [f"mma_in_{name}" for name in (c, d)]
    arguments = ", ".join(f"cuda_shim_ptx::{name}" for name in types)

    with _hosts_only_scope(ctx, item):
        function = f"cuda_shim_ptx::matrix_product<{arguments}, {m}, {n}, {k}, {_cxx_bool(bool(match['saturated']))}>"
        elements = _LANES * TYPES[word].bits // bits  # of a register of all lanes
        operands = parts[1][: m * k // elements] + parts[2][: n * k // elements] + parts[3]
        matrices.assign_words(ctx, parts[0], matrices.by_warp(ctx, function, operands, word, len(parts[0])), word)


def _types(item: Instruction, match: re.Match[str]) -> tuple[str, str, str, str]:
    """Return the types of d, a, b and c; for halves, the opcode names only those of d and c."""
    types = match["types"].split(".")[1:]
    if len(types) == 2:
        return types[0], "f16", "f16", types[1]
    if len(types) != 4 or types[1] == "f16":
        raise _unsupported(item)
    return types[0], types[1], types[2], types[3]


def _hosts_only_scope(ctx: EmitContext, item: Instruction) -> AbstractContextManager[None]:
    """Return the braces around an instruction's code for host cores, and record that only they can run it."""
    ctx.only_on_hosts(f"'{item.opcode}': in PTX modules matrices are translated for host cores alone", item.position)
    return ctx.scope()


def _shape(match: re.Match[str]) -> tuple[int, int, int]:
    return int(match["m"]), int(match["n"]), int(match["k"])


def _bits(item: Instruction, shape: tuple[int, int, int], kind: str) -> int:
    shapes, bits, _ = _FACTORS.get(kind, (set(), 0, ()))
    if shape not in shapes:
        raise _unsupported(item)
    return bits


def _check_sums(item: Instruction, shape: tuple[int, int, int], kind: str) -> None:
    if not any(shape in shapes and kind in sums for shapes, _, sums in _FACTORS.values()):
        raise _unsupported(item)


def _factor_words(lines: int, depth: int, kind: str) -> int:
    """Return the number of a lane's registers for a or b."""
    bits = _FACTORS[kind][1]
    return _HALVES if kind == "f16" else lines * depth * bits // (_LANES * TYPES[_word(bits)].bits)


def _sum_words(shape: tuple[int, int, int], kind: str) -> int:
    """Return the number of a lane's registers for c or d."""
    return shape[0] * shape[1] // (_LANES * (2 if kind == "f16" else 1))


def _word(bits: int) -> str:
    return "u64" if bits == 64 else "u32"


def _cxx_bool(truth: bool) -> str:
    return "true" if truth else "false"


def _registers(item: Instruction, index: int, count: int) -> tuple[Operand, ...]:
    operand = item.operands[index] if index < len(item.operands) else None
    if not isinstance(operand, Vector) or len(operand.items) != count:
        raise Mismatch(item.opcode)
    return operand.items


def _address_and_stride(
    ctx: EmitContext, item: Instruction, match: re.Match[str], index: int, width: int
) -> tuple[str, str]:
    """Return the address, and the stride between neighbouring lines in elements."""
    if len(item.operands) not in (2, 3):
        raise Mismatch(item.opcode)
    address = memory.address_of(ctx, item.operands[index], match["space"] or "")
    return address, ctx.value(item.operands[2], "u32") if len(item.operands) == 3 else f"{width}u"
