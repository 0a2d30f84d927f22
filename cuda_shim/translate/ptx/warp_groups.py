"""Operations of whole warps on matrices, one for several neighbours: each costs host cores two meetings of the warp.

    before: mma d0, a, b0, c0;  mov x, 0;  mma d1, a, b1, c1;
    after:  mov x, 0;  {d0, d1} = a * {b0, b1} + {c0, c1};

A group has products of one form with the same `a`, whose `b`, `c` and `d` are then columns side by side of larger
matrices, or loads of one form. Instructions that only compute and stand between are written before the group.

What must hold: nothing in the group reads or writes what another part of it writes; an instruction that moves before
the group reads nothing that the group's operations before it write, and writes nothing that they read or write. The
loads read memory, which nothing between them changes. Guarded operations stay alone.

Limits: one block's instructions; `MAX_OPERATIONS`, since each has memory on the stack for all threads of a block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cuda_shim.translate.ptx.def_use import is_pure, reads_of, writes_of
from cuda_shim.translate.ptx.matrices import is_load, product_of
from cuda_shim.translate.ptx.module import Instruction, WarpGroup

__all__ = ["MAX_OPERATIONS", "grouped"]

MAX_OPERATIONS = 8


def grouped(instructions: Sequence[Instruction]) -> Iterator[Instruction]:
    """Yield the instructions of a block, with groups in place of the operations that they are made of."""
    start = 0
    while start < len(instructions):
        first = instructions[start]
        if not _can_begin(first):
            yield first
            start += 1
            continue
        group, moved, end = _group_from(instructions, start)
        yield from moved
        yield first if len(group) == 1 else WarpGroup(first.opcode, first.operands, first.position, items=tuple(group))
        start = end


def _can_begin(item: Instruction) -> bool:
    return item.guard is None and (product_of(item.opcode) is not None or is_load(item.opcode))


def _group_from(instructions: Sequence[Instruction], start: int) -> tuple[list[Instruction], list[Instruction], int]:
    """Return the group that begins at `start`, the instructions that move before it, and the index behind both."""
    first = instructions[start]
    group, end = [first], start + 1
    read, written = set(reads_of(first)), set(writes_of(first))
    moved: list[Instruction] = []
    moved_with_group = 0
    for index in range(start + 1, len(instructions)):
        item = instructions[index]
        joins = _joins(item, first)
        if not (joins or is_pure(item)) or len(group) == MAX_OPERATIONS:
            break
        if not _independent(item, read, written):
            break
        if joins:
            group.append(item)
            read.update(reads_of(item))
            written.update(writes_of(item))
            moved_with_group, end = len(moved), index + 1
        else:
            moved.append(item)
    return group, moved[:moved_with_group], end


def _joins(item: Instruction, first: Instruction) -> bool:
    if item.guard is not None or item.opcode != first.opcode or len(item.operands) != len(first.operands):
        return False
    return is_load(item.opcode) or item.operands[1] == first.operands[1]


def _independent(item: Instruction, read: Iterable[str], written: set[str]) -> bool:
    return (
        written.isdisjoint(reads_of(item))
        and written.isdisjoint(writes_of(item))
        and not set(writes_of(item)).intersection(read)
    )
