"""Definitions and uses of registers: those that an instruction reads and writes, and their numbers in a function."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace

from cuda_shim.translate.ptx.graph import Block, Graph
from cuda_shim.translate.ptx.instructions import Unknown, form_of
from cuda_shim.translate.ptx.module import (
    Address,
    Call,
    Group,
    Immediate,
    Instruction,
    Negated,
    Operand,
    Register,
    ResultPair,
    Symbol,
    Vector,
)

__all__ = [
    "Uses",
    "branch_reads",
    "is_pure",
    "reads_of",
    "registers_in",
    "with_reads",
    "with_writes",
    "writes_of",
]

_OPCODES_WITH_RESULT = ("tex", "tld4", "suld", "txq", "suq", "mma", "ldmatrix", "wgmma")
_OPCODES_WITHOUT_RESULT = ("sust", "sured", "cp", "stmatrix")
_ADDED_TO_RESULT = "wgmma.mma_async"  # its result is an operand as well
_PURE_OPCODES = frozenset((
    "mov", "add", "sub", "mul", "mad", "selp", "setp", "cvt", "cvta", "shl", "shr", "and", "or", "xor", "not", "neg",
    "min", "max", "abs", "fma", "div", "rem", "sqrt", "rsqrt", "rcp", "ex2", "lg2", "sin", "cos", "tanh", "set", "slct",
    "copysign", "popc", "clz", "brev", "bfe", "bfi", "lop3", "prmt", "testp",
))  # fmt: skip


def registers_in(operand: Operand) -> Iterator[str]:
    """Yield the registers that an operand names."""
    if isinstance(operand, Register):
        yield operand.name
    elif isinstance(operand, (Vector, Group)):
        for item in operand.items:
            yield from registers_in(item)
    elif isinstance(operand, ResultPair):
        yield from registers_in(operand.first)
        yield from registers_in(operand.second)
    elif isinstance(operand, Negated):
        yield from registers_in(operand.of)
    elif isinstance(operand, Address):
        yield from registers_in(operand.base)
        for item in operand.coordinates:
            yield from registers_in(item)


def _has_result(item: Instruction) -> bool:
    return _opcode_has_result(item.opcode)


@functools.cache
def _opcode_has_result(opcode: str) -> bool:
    name = opcode.partition(".")[0]
    if name in _OPCODES_WITH_RESULT:
        return True
    if name in _OPCODES_WITHOUT_RESULT:
        return False
    try:
        form = form_of(opcode)
    except Unknown:
        return False
    return bool(form.value) or form.memory in ("load", "cvta")


def writes_of(item: Instruction) -> list[str]:
    """Return the registers that an instruction gives a value."""
    if isinstance(item, Call):
        return [name for result in item.results for name in registers_in(result)]
    if not item.operands or not _has_result(item):
        return []
    return list(registers_in(item.operands[0]))


def reads_of(item: Instruction) -> list[str]:
    """Return the registers whose value an instruction takes, its guard included."""
    registers = [item.guard.name] if item.guard is not None else []
    operands: tuple[Operand, ...]
    if isinstance(item, Call):
        operands = (item.target, *item.arguments)
    else:
        is_added = item.opcode.startswith(_ADDED_TO_RESULT)
        operands = item.operands[1:] if _has_result(item) and not is_added else item.operands
    for operand in operands:
        registers += registers_in(operand)
    return registers


def is_pure(item: Instruction) -> bool:
    """Return whether an instruction only gives one register a value, unconditionally, from its operands alone."""
    name, *modifiers = item.opcode.split(".")
    is_unconditional = (
        name in _PURE_OPCODES and "cc" not in modifiers and item.guard is None and not isinstance(item, Call)
    )
    return is_unconditional and bool(item.operands) and isinstance(item.operands[0], Register)


def with_reads(item: Instruction, name: str, other: str) -> Instruction:
    """Return an instruction that reads another register in place of one; unchanged if it does not read it."""
    if name not in reads_of(item):
        return item
    guard = Register(other) if item.guard == Register(name) else item.guard
    if isinstance(item, Call):
        arguments = tuple(_renamed(operand, name, other) for operand in item.arguments)
        return replace(item, guard=guard, target=_renamed(item.target, name, other), arguments=arguments)
    results = 1 if _has_result(item) else 0
    sources = tuple(_renamed(operand, name, other) for operand in item.operands[results:])
    return replace(item, guard=guard, operands=(*item.operands[:results], *sources))


def with_writes(item: Instruction, name: str, other: str) -> Instruction:
    """Return an instruction that is no call and writes another register in place of one."""
    return replace(item, operands=(_renamed(item.operands[0], name, other), *item.operands[1:]))


def _renamed(operand: Operand, name: str, other: str) -> Operand:
    if isinstance(operand, Register):
        return Register(other) if operand.name == name else operand
    if isinstance(operand, (Vector, Group)):
        return type(operand)(tuple(_renamed(item, name, other) for item in operand.items))
    if isinstance(operand, ResultPair):
        return ResultPair(_renamed(operand.first, name, other), _renamed(operand.second, name, other))
    if isinstance(operand, Negated):
        return Negated(_renamed(operand.of, name, other))
    if isinstance(operand, Address):
        base = _renamed(operand.base, name, other)
        assert isinstance(base, (Register, Symbol, Immediate))  # noqa: S101
        return Address(base, operand.offset, tuple(_renamed(item, name, other) for item in operand.coordinates))
    return operand


class Uses:
    """The numbers of writes and reads of registers in a function.

    Attributes:
        writes, reads: the number of places, by register. A branch reads its condition.
        writer: the instruction that writes a register, if it is the only one and has no guard.
    """

    def __init__(self, graph: Graph) -> None:
        self.writes: dict[str, int] = {}
        self.reads: dict[str, int] = {}
        self.writer: dict[str, Instruction] = {}
        for number in graph.order:
            block = graph.blocks[number]
            for item in block.instructions:
                for name in writes_of(item):
                    self.writes[name] = self.writes.get(name, 0) + 1
                    self.writer[name] = item
                for name in reads_of(item):
                    self.reads[name] = self.reads.get(name, 0) + 1
            for name in branch_reads(block):
                self.reads[name] = self.reads.get(name, 0) + 1
        self.writer = {
            name: item for name, item in self.writer.items() if self.writes[name] == 1 and item.guard is None
        }


def branch_reads(block: Block) -> list[str]:
    """Return the registers that decide the branch at the end of a block."""
    registers = [block.condition.name] if block.condition is not None else []
    return registers + list(registers_in(block.index)) if block.index is not None else registers
