"""The control-flow graph of a function: blocks, successors, dominators and loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.module import Function, Immediate, Instruction, Label, Operand, Register, Symbol, Vector

__all__ = ["Block", "BottomTestedLoop", "Graph", "build"]

_RETURNS = ("ret", "exit")


@dataclass
class Block:
    """Instructions that run one after the other.

    Attributes:
        number: its place in the function's text, which is its name.
        instructions: without the branch at the end.
        condition: the predicate of a branch with two successors; the first one is taken if it is true, unless
            `negated`.
        index: the operand that a branch looks up in a table; the successors are the table's.
        successors: the blocks that come next; none if the function returns.
        last: the instruction that ends it, None if it falls through to the next.
    """

    number: int
    instructions: list[Instruction] = field(default_factory=list)
    condition: Register | None = None
    negated: bool = False
    index: Operand | None = None
    successors: list[int] = field(default_factory=list)
    last: Instruction | None = None


@dataclass(frozen=True)
class BottomTestedLoop:
    """A loop with one entry and one back edge, where a predicate decides on another iteration.

    Attributes:
        header: its first block.
        preheader: the block in front of it.
        latch: the block with the back edge.
        blocks: its own, including those of inner loops.
        every_iteration: the blocks among them that each whole iteration passes once.
        predicate: the condition at the end.
        continues_if_true: True if there is another iteration if the predicate is true.
        exit: the block behind the loop, to which the end leads otherwise.
    """

    header: int
    preheader: int
    latch: int
    blocks: set[int]
    every_iteration: set[int]
    predicate: str
    continues_if_true: bool
    exit: int


class Graph:
    """Blocks that can be reached, in reverse postorder; the first is the entry.

    Attributes:
        order: numbers of blocks in reverse postorder.
        rank: the place of each in that order.
        predecessors: by number.
        dominator: the immediate dominator of each block but the entry.
        loops: by header, the blocks of each natural loop, its header included.
        reducible: True if each cycle has a single entry.
    """

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        self.order = _reverse_postorder(blocks)
        self.rank = {number: index for index, number in enumerate(self.order)}
        self.predecessors: dict[int, list[int]] = {number: [] for number in self.order}
        for number in self.order:
            for successor in dict.fromkeys(blocks[number].successors):
                self.predecessors[successor].append(number)
        self.dominator = self._dominators()
        self.loops, self.reducible = self._loops()

    def dominates(self, above: int, number: int) -> bool:
        """Return whether every path to a block leads through another."""
        while self.rank[number] > self.rank[above]:
            number = self.dominator[number]
        return number == above

    def bottom_tested_loop(self, header: int) -> BottomTestedLoop | None:
        """Return a loop's description if it has one entry and one back edge that a predicate decides; else None."""
        blocks, predecessors = self.loops[header], self.predecessors[header]
        latches = [number for number in predecessors if number in blocks]
        preheaders = [number for number in predecessors if number not in blocks]
        if len(latches) != 1 or len(preheaders) != 1:
            return None
        latch, latch_block = latches[0], self.blocks[latches[0]]
        if latch_block.condition is None or len(set(latch_block.successors)) != 2:
            return None
        inner = set().union(*(other for other in self.loops.values() if other < blocks))
        every_iteration = {number for number in blocks - inner if self.dominates(number, latch)}
        index = latch_block.successors.index(header)
        continues_if_true = (index == 0) != latch_block.negated
        exit_ = latch_block.successors[1 - index]
        return BottomTestedLoop(
            header, preheaders[0], latch, blocks, every_iteration, latch_block.condition.name, continues_if_true, exit_
        )

    def chain_to(self, number: int, header: int | None = None) -> list[int]:
        """Return the straight chain of blocks, without other entries, that leads to a block, itself last."""
        chain = [number]
        while chain[0] != self.order[0] and len(self.predecessors[chain[0]]) == 1:
            above = self.predecessors[chain[0]][0]
            if above in chain or above == header:
                break
            chain.insert(0, above)
        return chain

    def enclosing_loops(self) -> dict[int, tuple[int, ...]]:
        """Return the headers of the loops that contain each block, the outermost first."""
        headers = sorted(self.loops, key=lambda header: self.rank[header])
        return {number: tuple(header for header in headers if number in self.loops[header]) for number in self.order}

    def _dominators(self) -> dict[int, int]:
        """Return immediate dominators, by Cooper, Harvey and Kennedy's iteration."""
        rank, order = self.rank, self.order
        dominators: dict[int, int] = {order[0]: order[0]}
        changed = True
        while changed:
            changed = False
            for number in order[1:]:
                nearest = -1
                for predecessor in self.predecessors[number]:
                    if predecessor not in dominators:
                        continue
                    if nearest < 0:
                        nearest = predecessor
                        continue
                    a, b = predecessor, nearest
                    while a != b:
                        while rank[a] > rank[b]:
                            a = dominators[a]
                        while rank[b] > rank[a]:
                            b = dominators[b]
                    nearest = a
                if dominators.get(number) != nearest:
                    dominators[number] = nearest
                    changed = True
        del dominators[order[0]]
        return dominators

    def _loops(self) -> tuple[dict[int, set[int]], bool]:
        loops: dict[int, set[int]] = {}
        reducible = True
        for number in self.order:
            for successor in self.blocks[number].successors:
                if self.rank[successor] > self.rank[number]:
                    continue
                if not self.dominates(successor, number):
                    reducible = False
                    continue
                loops.setdefault(successor, {successor}).update(self._loop_body(successor, number))
        return loops, reducible

    def _loop_body(self, header: int, end: int) -> set[int]:
        """Return the blocks from which the end of a loop can be reached without its header."""
        blocks, worklist = {header}, [end]
        while worklist:
            number = worklist.pop()
            if number not in blocks:
                blocks.add(number)
                worklist += self.predecessors[number]
        return blocks


def _reverse_postorder(blocks: list[Block]) -> list[int]:
    """Return the blocks in reverse postorder; a branch's first successor comes before its second."""
    visited, postorder = {0}, []
    stack: list[tuple[int, list[int]]] = [(0, list(blocks[0].successors))]
    while stack:
        number, remaining = stack[-1]
        while remaining and remaining[-1] in visited:
            remaining.pop()
        if remaining:
            successor = remaining.pop()
            visited.add(successor)
            stack.append((successor, list(blocks[successor].successors)))
        else:
            postorder.append(number)
            stack.pop()
    return postorder[::-1]


def build(function: Function, error: Callable[[str, int], PtxError]) -> Graph:
    """Return the graph of a function that has a body. `error` makes the error for a reason and a place."""
    return Graph(_Builder(function, error).blocks())


class _Builder:
    def __init__(self, function: Function, error: Callable[[str, int], PtxError]) -> None:
        self._function = function
        self._error = error
        self._blocks: list[Block] = [Block(0)]
        self._labels: dict[str, int] = {}
        self._open = True

    def blocks(self) -> list[Block]:
        body = self._function.body or []
        pending: list[tuple[Block, Instruction, bool]] = []
        for item in body:
            if isinstance(item, Label):
                self._labels[item.name] = self._begin_block(falls_through=True)
                continue
            if not self._open:
                self._begin_block(falls_through=False)
            name = item.opcode.partition(".")[0]
            if name in ("bra", "brx") or name in _RETURNS:
                self._end_block(item, name, pending)
            else:
                self._blocks[-1].instructions.append(item)
        for block, item, _ in pending:
            block.successors[:0] = self._targets(item)
        return self._blocks

    def _begin_block(self, *, falls_through: bool) -> int:
        """Begin a block; an empty open one is reused."""
        block = self._blocks[-1]
        if self._open and not block.instructions and falls_through and len(self._blocks) > 1:
            return block.number
        block_after = Block(len(self._blocks))
        if self._open:
            block.successors.append(block_after.number)
        self._blocks.append(block_after)
        self._open = True
        return block_after.number

    def _end_block(self, item: Instruction, name: str, pending: list[tuple[Block, Instruction, bool]]) -> None:
        block = self._blocks[-1]
        block.last = item
        if name == "exit" and not self._function.entry and not _never_returns(block):
            raise self._error("'exit' in a function has no counterpart", item.position)
        if item.guard is None:
            self._open = False
            if name not in _RETURNS:
                pending.append((block, item, False))
            if name == "brx":
                block.index = item.operands[0] if item.operands else None
            return
        if name == "brx":
            raise self._error("'brx' with a guard has no counterpart", item.position)
        block.condition, block.negated = item.guard, item.guard_negated
        if name in _RETURNS:
            return_block = Block(len(self._blocks))
            self._blocks.append(return_block)
            block.successors.append(return_block.number)
        else:
            pending.append((block, item, True))
        next_block = Block(len(self._blocks))
        block.successors.append(next_block.number)
        self._blocks.append(next_block)

    def _targets(self, item: Instruction) -> list[int]:
        if item.opcode.startswith("brx"):
            return self._table_targets(item)
        if len(item.operands) != 1 or not isinstance(item.operands[0], Symbol):
            raise self._error("a branch needs a label", item.position)
        return [self._label(item.operands[0].name, item.position)]

    def _table_targets(self, item: Instruction) -> list[int]:
        target = item.operands[1] if len(item.operands) == 2 else None
        names: list[str] = []
        if isinstance(target, Symbol) and target.name in self._function.tables:
            names = self._function.tables[target.name]
        elif isinstance(target, Vector):
            names = [label.name for label in target.items if isinstance(label, Symbol)]
        index = item.operands[0] if item.operands else None
        if not names or not isinstance(index, (Register, Immediate)):
            raise self._error("a branch by a table needs an index and the table's labels", item.position)
        return [self._label(name, item.position) for name in names]

    def _label(self, name: str, position: int) -> int:
        if name not in self._labels:
            raise self._error(f"Unknown symbol '{name}'", position)
        return self._labels[name]


def _never_returns(block: Block) -> bool:
    """Return whether control never continues behind the block."""
    names = [item.opcode.partition(".")[0] for item in block.instructions[-1:]]
    return names in (["trap"], ["call"])
