"""Branches of an asm statement: its labels and jumps as loops and ifs around the C++ of its instructions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cuda_shim.translate.assembly import Untranslatable
from cuda_shim.translate.ptx.control_flow import BlockCode, dispatch_loop, structured_statements
from cuda_shim.translate.ptx.cxx_statements import Scope, Statement, render
from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.graph import Graph, build
from cuda_shim.translate.ptx.module import Function, Instruction, Label, Register, Symbol
from cuda_shim.translate.ptx.structurizer import Leave, structurize

__all__ = ["Branch", "Target", "with_branches"]

_END = "the end of the statement"


@dataclass(frozen=True)
class Target:
    """A label."""

    label: str


@dataclass(frozen=True)
class Branch:
    """A jump to a label; `guard` is the C++ of its predicate, "" if it is always taken."""

    label: str
    guard: str = ""
    negated: bool = False


def with_branches(declarations: Sequence[str], items: Sequence[str | Target | Branch]) -> list[str]:
    """Return C++ statements for a sequence of statements with labels and jumps among them.

    `declarations` stand in front of them. Loops and ifs are structured as in PTX modules, and a jump remains only if an
    exit from the middle has no other form.

    Raises Untranslatable for a jump to an unknown label, or a duplicate label.
    """
    labels = [item.label for item in items if isinstance(item, Target)]
    duplicate = next((label for label in labels if labels.count(label) > 1), None)
    if duplicate is not None:
        raise Untranslatable(f"has the label '{duplicate}' twice")
    body = [_item(item, index) for index, item in enumerate(items)]
    function = Function("", True, "", [], [], 0, [*body, Label(_END, 0)])
    try:
        graph = build(function, PtxError)
    except PtxError as error:
        raise Untranslatable(f"jumps, and {error.reason}") from None
    blocks = {number: _block_code(graph, number, items) for number in graph.order}
    # No statement is behind the last one: only an exit from the middle has to jump there.
    leave = Statement("goto cuda_shim_end;")
    if graph.reducible:
        nodes = structurize(graph)
        if nodes and isinstance(nodes[-1], Leave):
            nodes.pop()
        statements = structured_statements(nodes, blocks, leave, {})
    else:
        statements = dispatch_loop(graph, blocks, leave, frozenset(), "cuda_shim_block")
    lines = [line.strip() for line in render(Scope("", statements), str).splitlines()]
    prefix = [f"{line};" for line in declarations]
    if leave.text in lines:
        return ["__label__ cuda_shim_end;", *prefix, *lines, "cuda_shim_end: ;"]
    return [*prefix, *lines]


def _item(item: str | Target | Branch, index: int) -> Instruction | Label:
    if isinstance(item, Target):
        return Label(item.label, index)
    if isinstance(item, str):
        return Instruction("a statement", (), index)
    guard = Register(item.guard) if item.guard else None
    return Instruction("bra", (Symbol(item.label, 0),), index, guard, item.negated)


def _block_code(graph: Graph, number: int, items: Sequence[str | Target | Branch]) -> BlockCode:
    block = graph.blocks[number]
    lines: list[Statement | Scope] = [
        Statement(f"{items[instruction.position]};") for instruction in block.instructions
    ]
    condition = block.condition.name if block.condition is not None else ""
    return BlockCode(lines, condition, frozenset(), block.negated, "")
