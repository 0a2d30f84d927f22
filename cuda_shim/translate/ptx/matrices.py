"""Products of matrices that a warp holds together: mma.sync, ldmatrix and stmatrix, which are arithmetic on host cores.

`cuda_shim/ptx_tensor.h` computes them; AMD's GPUs have other shapes, so there they are refused by name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cuda_shim.translate.ptx import memory
from cuda_shim.translate.ptx.decoder import Mismatch
from cuda_shim.translate.ptx.emit_context import EmitContext
from cuda_shim.translate.ptx.instructions import Unknown
from cuda_shim.translate.ptx.module import Instruction, Operand, Sink, Vector, WarpGroup
from cuda_shim.translate.ptx.types import TYPES
from cuda_shim.translate.ptx.values import Expression

__all__ = [
    "LDMATRIX",
    "STMATRIX",
    "Product",
    "assign_words",
    "by_warp",
    "declare_words",
    "is_load",
    "load_matrices",
    "multiply",
    "product_of",
    "store_matrices",
]

_MMA = re.compile(
    r"mma\.sync\.aligned\.m(?P<rows>\d+)n8k(?P<depth>\d+)\.row\.col(?P<saturated>\.satfinite)?"
    r"\.(?P<d>f64|f32|f16|s32)\.(?P<a>f64|f16|bf16|tf32|[su][84]|b1)\.(?P<b>f64|f16|bf16|tf32|[su][84]|b1)"
    r"\.(?P<c>f64|f32|f16|s32)(?:\.(?P<bits>xor|and)\.popc)?"
)
LDMATRIX = re.compile(
    r"ldmatrix\.sync\.aligned\.m8n8\.x(?P<count>[124])(?P<transposed>\.trans)?\.shared(?:::cta)?\.b16"
)
STMATRIX = re.compile(
    r"stmatrix\.sync\.aligned\.m8n8\.x(?P<count>[124])(?P<transposed>\.trans)?\.shared(?:::cta)?\.b16"
)
_BITS = {"f64": 64, "f16": 16, "bf16": 16, "tf32": 32, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
_SHAPES = {
    64: {(8, 4), (16, 4), (16, 8), (16, 16)},
    32: {(16, 4), (16, 8)},
    16: {(16, 8), (16, 16)},
    8: {(8, 16), (16, 16), (16, 32)},
    4: {(8, 32), (16, 32), (16, 64)},
    1: {(8, 128), (16, 128), (16, 256)},
}


@dataclass(frozen=True)
class Product:
    """A form of mma.sync.

    Attributes:
        types, rows, depth, saturated: the template arguments of the C++ function that computes it.
        counts: the numbers of registers of d, a, b and c.
        word: the type of a register, as bits.
        c, d: the types of the registers of c and d.
    """

    types: str
    rows: int
    depth: int
    saturated: bool
    counts: tuple[int, int, int, int]
    word: str
    c: str
    d: str

    def arguments(self, columns: int = 8) -> str:
        """Return the template arguments for a product with so many columns."""
        return f"{self.types}, {self.rows}, {columns}, {self.depth}, {'true' if self.saturated else 'false'}"


def product_of(opcode: str) -> Product | None:
    """Return the matrix product of an opcode; None if it is none that is known here."""
    match = _MMA.fullmatch(opcode)
    if match is None:
        return None
    rows, depth, bits = int(match["rows"]), int(match["depth"]), _BITS[match["a"]]
    is_binary, sum_type = match["a"] == "b1", "s32" if bits <= 8 else "f64"
    if (rows, depth) not in _SHAPES[bits] or _BITS[match["b"]] != bits or is_binary != (match["bits"] is not None):
        return None
    if bits <= 8 or bits == 64:  # one type of sums
        if (match["c"], match["d"]) != (sum_type, sum_type) or (match["saturated"] and (is_binary or bits == 64)):
            return None
    elif match["saturated"] or not {match["c"], match["d"]} <= {"f16", "f32"} or match["a"] != match["b"]:
        return None
    word = 64 if bits == 64 else 32
    c_count, d_count = (rows // (8 if match[kind] == "f16" else 4) for kind in ("c", "d"))
    types = [f"cuda_shim_ptx::mma_{match[name]}" + (f"_{match['bits']}" if is_binary else "") for name in "ab"]
    types += [f"cuda_shim_ptx::mma_in_{match[name]}" for name in "cd"]
    kinds = [kind if kind in ("f32", "f64") else "b32" for kind in (match["c"], match["d"])]
    return Product(
        ", ".join(types), rows, depth, match["saturated"] is not None,
        (d_count, rows * depth * bits // (32 * word), 8 * depth * bits // (32 * word), c_count), f"b{word}", *kinds,
    )  # fmt: skip


def is_load(opcode: str) -> bool:
    """Return whether an opcode is a form of ldmatrix that is known here."""
    return LDMATRIX.fullmatch(opcode) is not None


def multiply(ctx: EmitContext, item: Instruction) -> None:
    """mma.sync: the registers of a, b and c go as words. Those of a group have the same a."""
    product = product_of(item.opcode)
    if product is None:
        raise Unknown(_refusal(item))
    d: tuple[Operand, ...] = ()
    b: tuple[Operand, ...] = ()
    c: tuple[Operand, ...] = ()
    a: tuple[Operand, ...] = ()
    for one in _operations(item):
        parts = [_elements(operand) for operand in one.operands]
        if tuple(len(part) for part in parts) != product.counts:
            raise Mismatch(item.opcode)
        d, a, b, c = d + parts[0], parts[1], b + parts[2], c + parts[3]
    _record_hosts(ctx, item)
    word = product.word.replace("b", "u")
    with ctx.scope():
        function = f"cuda_shim_ptx::matrix_product<{product.arguments(len(_operations(item)) * 8)}>"
        assign_words(ctx, d, by_warp(ctx, function, a + b + c, word, len(d)), word)


def load_matrices(ctx: EmitContext, item: Instruction) -> None:
    """ldmatrix: the lanes name rows of matrices with elements of 16 bits."""
    match = LDMATRIX.fullmatch(item.opcode)
    if match is None:
        raise Unknown(_refusal(item))
    count = int(match["count"])
    targets: tuple[Operand, ...] = ()
    rows: list[str] = []
    for one in _operations(item):
        of_one = _elements(one.operands[0]) if len(one.operands) == 2 else ()
        if len(of_one) != count:
            raise Mismatch(item.opcode)
        targets += of_one
        rows.append(f"(unsigned long)({memory.address_of(ctx, one.operands[1], 'shared')})")
    _record_hosts(ctx, item)
    transposed = "true" if match["transposed"] else "false"
    with ctx.scope():
        function = f"cuda_shim_ptx::matrix_rows<{count}, {transposed}, {len(rows)}>"
        operands = f"cuda_shim_words<unsigned long, {len(rows)}>{{{{{', '.join(rows)}}}}}"
        words = f"const cuda_shim_words<unsigned, {len(targets)}> cuda_shim_d"
        ctx.add(f"{words} = cuda_shim_by_warp<{function}>({operands});")
        assign_words(ctx, targets, "cuda_shim_d.value", "u32")


def store_matrices(ctx: EmitContext, item: Instruction) -> None:
    """stmatrix: the lanes name rows of matrices, and hold neighbours of a row, or of a column."""
    match = STMATRIX.fullmatch(item.opcode)
    if match is None:
        raise Unknown(_refusal(item))
    sources = _elements(item.operands[1]) if len(item.operands) == 2 else ()
    if len(sources) != int(match["count"]):
        raise Mismatch(item.opcode)
    _record_hosts(ctx, item)
    row = memory.address_of(ctx, item.operands[0], "shared")
    transposed = "true" if match["transposed"] else "false"
    with ctx.scope():
        declare_words(ctx, "words", sources, "u32")
        ctx.add(f"cuda_shim_ptx::store_matrices<{len(sources)}, {transposed}>({row}, cuda_shim_words);")


def declare_words(ctx: EmitContext, name: str, registers: tuple[Operand, ...], word: str) -> None:
    """Write the array `cuda_shim_<name>` of registers' bits."""
    values = ", ".join(ctx.value(operand, word.replace("u", "b")) for operand in registers)
    ctx.add(f"const {TYPES[word].cxx} cuda_shim_{name}[] = {{{values}}};")


def by_warp(ctx: EmitContext, function: str, registers: tuple[Operand, ...], word: str, count: int) -> str:
    """Write an operation of the whole warp on registers' bits; return the array of a lane's `count` results."""
    kind = TYPES[word].cxx
    values = ", ".join(ctx.value(operand, word.replace("u", "b")) for operand in registers)
    operands = f"cuda_shim_words<{kind}, {len(registers)}>{{{{{values}}}}}"
    ctx.add(f"const cuda_shim_words<{kind}, {count}> cuda_shim_d = cuda_shim_by_warp<{function}>({operands});")
    return "cuda_shim_d.value"


def assign_words(ctx: EmitContext, targets: tuple[Operand, ...], words: str, word: str) -> None:
    """Give registers the words of an array."""
    for index, target in enumerate(targets):
        if not isinstance(target, Sink):
            ctx.assign(target, Expression(f"{words}[{index}]", TYPES[word]))


def _operations(item: Instruction) -> tuple[Instruction, ...]:
    return item.items if isinstance(item, WarpGroup) else (item,)


def _elements(operand: Operand) -> tuple[Operand, ...]:
    return operand.items if isinstance(operand, Vector) else (operand,)


def _record_hosts(ctx: EmitContext, item: Instruction) -> None:
    ctx.only_on_hosts(f"'{item.opcode}': in PTX modules matrices are translated for host cores alone", item.position)


def _refusal(item: Instruction) -> str:
    return f"'{item.opcode}' is not translated in this form"
