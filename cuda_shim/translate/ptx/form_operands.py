"""The operands of an instruction in the places of its form, a row of tables/ptx.yaml."""

from __future__ import annotations

from cuda_shim.translate.ptx import memory
from cuda_shim.translate.ptx.decoder import Mismatch
from cuda_shim.translate.ptx.emit_context import EmitContext
from cuda_shim.translate.ptx.errors import UnsupportedPtx
from cuda_shim.translate.ptx.instructions import Form, Operands
from cuda_shim.translate.ptx.module import Immediate, Instruction, Operand, Register, ResultPair
from cuda_shim.translate.ptx.types import TYPES

__all__ = ["check_operands", "fill", "half_result"]


def check_operands(item: Instruction, form: Form) -> None:
    """Check the operand of a form that is translated with one value alone. Raises UnsupportedPtx for another."""
    if form.only is None:
        return
    operands = [str(operand.value) if isinstance(operand, Immediate) else "?" for operand in item.operands]
    if operands != [form.only]:
        raise UnsupportedPtx(f"'{item.opcode}' is translated with the operand {form.only} alone")


def fill(ctx: EmitContext, item: Instruction, form: Form, template: str) -> str:
    """Return a template of the form with the operands in its places."""
    operands = _Operands(ctx, item, form)
    return Operands(operands.value, operands.address, operands.word, len(item.operands)).fill(form, template)


class _Operands:
    """The operands of an instruction for the places of its form."""

    def __init__(self, ctx: EmitContext, item: Instruction, form: Form) -> None:
        self._ctx, self._item, self._form = ctx, item, form
        self._values: dict[tuple[int, str], str] = {}

    def operand(self, number: int) -> Operand:
        try:
            return self._item.operands[number]
        except IndexError:
            raise Mismatch(self._item.opcode) from None

    def value(self, number: int, type_name: str) -> str:
        # A deferred value is emitted once, even if it is read twice.
        key = (number, type_name)
        if key not in self._values:
            operand = self.operand(number)
            if isinstance(operand, Register) and any(other_number == number for other_number, _ in self._values):
                self._ctx.materialize(operand.name)
            self._values[key] = self._ctx.value(operand, type_name)
        return self._values[key]

    def address(self, number: int, kind: str) -> str:
        ctx, operand = self._ctx, self.operand(number)
        if kind == "address":
            return memory.pointer_to(ctx, operand, self._form.space, TYPES[self._form.kind])
        if kind == "shared":
            return memory.shared_place(ctx, operand)
        if kind == "generic":
            return memory.address_of(ctx, operand, "")
        if kind == "box":
            return memory.box_of(ctx, operand, self._form.dimensions)
        return memory.items_of(ctx, operand, self._form.kind if kind == "items" else "u16", in_box=kind == "filter")

    def word(self, name: str) -> str:
        ctx = self._ctx
        if name == "carry":
            ctx.function.registers.setdefault("carry flag", TYPES["u32"])
            ctx.cxx_types.setdefault("carry flag", TYPES["u32"])
            ctx.names.add("carry flag")
            return ctx.variable("carry flag")
        if name == "second":
            target = self.operand(0)
            if isinstance(target, ResultPair) and isinstance(target.second, Register):
                ctx.names.add(target.second.name)
                return ctx.variable(target.second.name)
        return "cuda_shim_ptx::nobody()"


def half_result(ctx: EmitContext, item: Instruction, form: Form, half: int) -> str:
    """Return the value of a packed form for one half of its operands: 0 is the lower one."""
    operands = _Operands(ctx, item, form)
    return Operands(operands.value, operands.address, operands.word, len(item.operands)).half(form, form.value, half)
