"""Products of matrices that a warpgroup holds together (wgmma), which are arithmetic on host cores.

`cuda_shim/ptx_warpgroups.h` computes them. A product is complete where it is issued, so that fences and waits for
groups of products have no effect.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cuda_shim.translate.ptx import matrices
from cuda_shim.translate.ptx.decoder import Mismatch
from cuda_shim.translate.ptx.emit_context import EmitContext
from cuda_shim.translate.ptx.instructions import Unknown
from cuda_shim.translate.ptx.module import Immediate, Instruction, Operand, Vector

__all__ = ["IS_NO_OPERATION", "REGISTERS_OF_A", "WarpgroupProduct", "warpgroup_product_of", "with_warpgroup"]

IS_NO_OPERATION = re.compile(r"wgmma\.(?:fence|commit_group|wait_group)\.sync\.aligned")
_PRODUCT = re.compile(
    r"wgmma\.mma_async\.sync\.aligned\.m64n(?P<columns>\d+)k(?P<depth>\d+)\.(?P<d>f32|f16|s32)"
    r"\.(?P<a>f16|bf16|tf32|e4m3|e5m2|s8|u8|b1)\.(?P<b>f16|bf16|tf32|e4m3|e5m2|s8|u8|b1)"
    r"(?P<saturated>\.satfinite)?(?P<bits>\.and\.popc)?"
)
_EIGHT_BITS = {("e4m3", "e5m2"): ("f16", "f32"), ("s8", "u8"): ("s32",)}
_SUMS = {"f16": ("f16", "f32"), "bf16": ("f32",), "tf32": ("f32",), "b1": ("s32",)}
_DEPTHS = {"f16": 16, "bf16": 16, "tf32": 8, "b1": 256}
REGISTERS_OF_A = 4


@dataclass(frozen=True)
class WarpgroupProduct:
    """A form of wgmma.mma_async.

    Attributes:
        function: the C++ function that computes it.
        count: the registers of d.
        d: the type of its registers.
        has_signs, has_transposition: whether the signs of a and b, and their transposition, are operands.
    """

    function: str
    count: int
    d: str
    has_signs: bool
    has_transposition: bool

    def flags(self, numbers: list[int | None], *, in_registers: bool) -> tuple[bool, bool, bool, bool]:
        """Return whether a and b are negated, and whether each is transposed, from the immediate operands."""
        transpositions = (1 if in_registers else 2) if self.has_transposition else 0
        signs = 2 if self.has_signs else 0
        if len(numbers) != signs + transpositions or any(sign not in (-1, 1) for sign in numbers[:signs]):
            raise Mismatch("wgmma")
        if any(number not in (0, 1) for number in numbers[signs:]):
            raise Mismatch("wgmma")
        negated = [sign == -1 for sign in numbers[:signs]] or [False, False]
        transposed = [number == 1 for number in numbers[signs:]] or [False, False]
        return negated[0], negated[1], transposed[0] and not in_registers, transposed[-1]

    def call(self, a: str, descriptors: tuple[str, str], flags: tuple[bool, bool, bool, bool], accumulates: str) -> str:
        """Return the C++ call; `a` is the array of a's registers or nullptr, `cuda_shim_d` that of d."""
        words = ["true" if flag else "false" for flag in flags]
        left, right = (
            f"cuda_shim_ptx::warpgroup_factor{{{descriptors[i]}, {words[2 + i]}, {words[i]}}}" for i in range(2)
        )
        return f"{self.function}(cuda_shim_d, {a}, {left}, {right}, {accumulates});"


def warpgroup_product_of(opcode: str) -> WarpgroupProduct | None:
    """Return the product of an opcode; None if it is none that is known here."""
    match = _PRODUCT.fullmatch(opcode)
    if match is None:
        return None
    a, b, d, columns = match["a"], match["b"], match["d"], int(match["columns"])
    eight_bits = next((sums for types, sums in _EIGHT_BITS.items() if a in types and b in types), None)
    sums = eight_bits or (_SUMS.get(a) if a == b else None)
    is_integer = d == "s32"
    wrong_columns = not 8 <= columns <= 256 or columns % 8 or (is_integer and columns > 32 and columns % 16)
    if sums is None or d not in sums or wrong_columns or int(match["depth"]) != _DEPTHS.get(a, 32):
        return None
    if (match["bits"] is not None) != (a == "b1") or (match["saturated"] and (not is_integer or a == "b1")):
        return None
    suffix = "_and" if a == "b1" else ""
    types = f"cuda_shim_ptx::mma_{a}{suffix}, cuda_shim_ptx::mma_{b}{suffix}, cuda_shim_ptx::mma_in_{d}"
    saturated = "true" if match["saturated"] else "false"
    return WarpgroupProduct(
        f"cuda_shim_ptx::warpgroup_multiply<{types}, {columns}, {match['depth']}, {saturated}>",
        columns // (4 if d == "f16" else 2), "f32" if d == "f32" else "b32", not is_integer, a in ("f16", "bf16"),
    )  # fmt: skip


def with_warpgroup(ctx: EmitContext, item: Instruction) -> None:
    """Write an instruction of a warpgroup."""
    reason = f"'{item.opcode}': products of a warpgroup are of NVIDIA's GPUs alone"
    ctx.only_on_hosts(reason, item.position)
    if IS_NO_OPERATION.fullmatch(item.opcode):
        return
    product = warpgroup_product_of(item.opcode)
    if product is None:
        raise Unknown(f"'{item.opcode}' is not translated in this form")
    if len(item.operands) < 4:
        raise Mismatch(item.opcode)
    d, a, b, scale = item.operands[:4]
    if not isinstance(d, Vector) or len(d.items) != product.count:
        raise Mismatch(item.opcode)
    in_registers = isinstance(a, Vector)
    numbers = [operand.value if isinstance(operand, Immediate) else None for operand in item.operands[4:]]
    flags = product.flags(numbers, in_registers=in_registers)
    with ctx.scope():
        _declare(ctx, d.items)
        if isinstance(a, Vector):
            if len(a.items) != REGISTERS_OF_A:
                raise Mismatch(item.opcode)
            matrices.declare_words(ctx, "a", a.items, "u32")
        left = "0" if in_registers else ctx.value(a, "u64")
        pointer = "cuda_shim_a" if in_registers else "nullptr"
        ctx.add(product.call(pointer, (left, ctx.value(b, "u64")), flags, ctx.value(scale, "pred")))
        matrices.assign_words(ctx, d.items, "cuda_shim_d", "u32")


def _declare(ctx: EmitContext, registers: tuple[Operand, ...]) -> None:
    values = ", ".join(ctx.value(operand, "b32") for operand in registers)
    ctx.add(f"unsigned cuda_shim_d[] = {{{values}}};")
