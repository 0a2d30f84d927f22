"""Loops that count the rounds that remain, as Numba's `range` does, become loops that count up.

Numba's iterator holds the next number and how many remain. Each round takes the number, and where any remain adds to
the one and takes one from the other; whether to go on is asked of what remained before:

    more = remaining > 0;  next += more ? 1 : 0;  remaining += more ? -1 : 0;  current = (what next was);  again if more

Where the loop is left nobody asks for these, so the choices are decided: what is wanted only where the loop goes on is
computed as if it did. `current` follows `next` by one step, and so moves by itself. The rounds are counted from zero,
and counting.py takes it from there.

What must hold is looked up where it is used; a loop of which it cannot be shown stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from cuda_shim.translate.ptx.entry import Entry, comparison_of
from cuda_shim.translate.ptx.flow import is_pure, live_at_starts, live_behind, reads_of, writes_of
from cuda_shim.translate.ptx.graph import DecidedLoop, Graph
from cuda_shim.translate.ptx.module import Function, Immediate, Instruction, Operand, Register
from cuda_shim.translate.ptx.replay import replay
from cuda_shim.translate.ptx.types import TYPES

__all__ = ["MOST_ROUNDS", "count_rounds", "drop_unread"]

#: More rounds than any loop has: at one in a nanosecond they take seven weeks.
MOST_ROUNDS = 1 << 52

_TYPES = ("b32", "s32", "u32", "b64", "s64", "u64")
_STEP_BACK = -1


def count_rounds(graph: Graph, function: Function, at_end: frozenset[str], tested_last: set[int]) -> dict[str, int]:
    """Give loops that count down what remains a counter from zero; return the counters, each with its largest value.

    Args:
        graph: of the function, which must be reducible.
        function: whose registers the new ones are added to.
        at_end: the registers that a return takes.
        tested_last: the loops whose structure is a body with the test behind it.
    """
    found: dict[str, int] = {}
    for header in sorted(graph.loops, key=lambda number: (len(graph.loops[number]), graph.rank[number])):
        loop = graph.decided_loop(header) if header in tested_last else None
        if loop is not None:
            found.update(_Rounds(graph, function, at_end, loop).counted())
    return found


def drop_unread(graph: Graph, at_end: frozenset[str]) -> None:
    """Leave out what only gives registers values that nothing reads."""
    while True:
        read = set(at_end)
        for number in graph.order:
            block = graph.blocks[number]
            if block.condition is not None:
                read.add(block.condition.name)
            if isinstance(block.index, Register):
                read.add(block.index.name)
            for item in block.instructions:
                own = set(writes_of(item)) if is_pure(item) else set()
                # What reads nothing but itself from one round to the next is read by nobody.
                read.update(name for name in reads_of(item) if name not in own)
        dropped = False
        for number in graph.order:
            block = graph.blocks[number]
            kept = [item for item in block.instructions if not is_pure(item) or read & set(writes_of(item))]
            dropped = dropped or len(kept) < len(block.instructions)
            block.instructions = kept
        if not dropped:
            return


@dataclass(frozen=True)
class _Linear:
    """What a register had where the round began, or one that the loop does not change, and a number more.

    Attributes:
        name: of the register, "" for the number alone.
    """

    name: str
    number: int


class _Rounds:
    def __init__(self, graph: Graph, function: Function, at_end: frozenset[str], loop: DecidedLoop) -> None:
        self._graph = graph
        self._function = function
        self._at_end = at_end
        self._loop = loop

    def counted(self) -> dict[str, int]:
        rounds = self._replayed()
        decided = self._decide()
        self._find_writes()
        moving = self._moving() if decided or rounds else {}
        return self._with_counter(moving, rounds) if moving else {}

    # Choices that are decided.

    def _replayed(self) -> int | None:
        """Run the loop's known numbers, if it is one block; return the number of its rounds where that is found so."""
        loop = self._loop
        if loop.blocks != {loop.header}:
            return None
        block = self._graph.blocks[loop.header]
        entry = Entry(self._graph, loop.header, loop.start)
        known = replay(block.instructions, entry.constant, self._function, loop.predicate, loop.true_goes_on)
        if known is None:
            return None
        block.instructions = known.instructions
        return known.rounds

    def _decide(self) -> bool:
        """Make moves of choices by the predicate whose results are wanted only where the loop goes on."""
        loop, block = self._loop, self._graph.blocks[self._loop.end]
        predicate = loop.predicate
        wanted = set(live_at_starts(self._graph, self._at_end)[loop.behind])
        made: list[Instruction] = []
        is_last, decided = True, False
        for item in reversed(block.instructions):
            writes = writes_of(item)
            if not is_pure(item) or wanted & set(writes):
                if item.guard is None:
                    wanted -= set(writes)
                wanted.update(reads_of(item))
            elif is_last and item.opcode.startswith("selp.") and item.operands[3:] == (Register(predicate),):
                source = item.operands[1 if loop.true_goes_on else 2]
                made.append(Instruction(item.opcode.replace("selp", "mov"), (item.operands[0], source), item.place))
                decided = True
                continue
            is_last = is_last and predicate not in writes
            made.append(item)
        block.instructions = made[::-1]
        return decided

    # What moves by the same number in every round.

    def _find_writes(self) -> None:
        """Note where each register is written that is written once in each round."""
        places: dict[str, list[tuple[int, int]]] = {}
        for number in self._loop.blocks:
            for place, item in enumerate(self._graph.blocks[number].instructions):
                for name in writes_of(item):
                    places.setdefault(name, []).append((number, place))
        self._changed = set(places)
        self._places = {
            name: found[0] for name, found in places.items() if len(found) == 1 and found[0][0] in self._loop.once
        }

    def _item(self, place: tuple[int, int]) -> Instruction:
        return self._graph.blocks[place[0]].instructions[place[1]]

    def _comes_before(self, one: tuple[int, int], other: tuple[int, int]) -> bool:
        """Return whether a place is passed before another in each round; both are passed in every whole one."""
        return one[1] < other[1] if one[0] == other[0] else self._graph.dominates(one[0], other[0])

    def _read(self, operand: Operand, place: tuple[int, int], bits: int, depth: int = 0) -> _Linear | None:
        """Return what an operand is at a place of the loop."""
        if isinstance(operand, Immediate):
            return _Linear("", operand.value) if operand.kind == "int" else None
        if not isinstance(operand, Register) or self._function.registers[operand.name].bits != bits:
            return None
        if operand.name not in self._changed:
            return _Linear(operand.name, 0)
        written = self._places.get(operand.name)
        if written is None or depth > 16:
            return None
        if self._comes_before(written, place):
            return self._result(written, bits, depth + 1)
        return _Linear(operand.name, 0)

    def _result(self, place: tuple[int, int], bits: int, depth: int = 0) -> _Linear | None:
        """Return what an instruction gives."""
        item = self._item(place)
        name, *modifiers = item.opcode.split(".")
        if not is_pure(item) or len(modifiers) != 1 or modifiers[0] not in _TYPES or int(modifiers[0][1:]) != bits:
            return None
        parts = [self._read(operand, place, bits, depth) for operand in item.operands[1:]]
        if name == "mov" and len(parts) == 1:
            return parts[0]
        if name not in ("add", "sub") or len(parts) != 2:
            return None
        left, right = parts
        if left is None or right is None:
            return None
        if name == "sub":
            return None if right.name else _Linear(left.name, left.number - right.number)
        if left.name and right.name:
            return None
        return _Linear(left.name or right.name, left.number + right.number)

    def _moving(self) -> dict[str, int]:
        """Return by how much registers move in each round, and write their sums so that it is seen."""
        registers, entry = self._function.registers, Entry(self._graph, self._loop.header, self._loop.start)
        ends: dict[str, _Linear] = {}
        for name, place in self._places.items():
            found = self._result(place, registers[name].bits) if registers[name].bits in (32, 64) else None
            if found is not None and found.name in self._places:
                ends[name] = found
        found_moving = {name: end.number for name, end in ends.items() if end.name == name and end.number}
        for name, end in ends.items():
            step = found_moving.get(end.name)
            if name == end.name or step is None or registers[name].kind == "floating":
                continue
            # What another one was, and has been moved by since: it moves as that does if it began so far behind.
            first, other = entry.constant(name), entry.constant(end.name)
            if first is None or other is None:
                continue
            if (first - (other + end.number - step)) % (1 << registers[name].bits) == 0:
                found_moving[name] = step
        for name, step in found_moving.items():
            number, index = self._places[name]
            items, bits = self._graph.blocks[number].instructions, registers[name].bits
            if name in reads_of(items[index]):
                continue
            sum_ = (Register(name), Register(name), Immediate(step, "int"))
            items[index] = Instruction(f"add.s{bits}", sum_, items[index].place)
        return found_moving

    # The counter.

    def _with_counter(self, moving: dict[str, int], rounds: int | None) -> dict[str, int]:
        predicate, true_goes_on = Register(self._loop.predicate), self._loop.true_goes_on
        place = self._places.get(predicate.name)
        if place is None or place[0] != self._loop.end or self._is_read_elsewhere():
            return {}
        limit: Operand | None = Immediate(rounds, "int") if rounds else self._rounds_behind(place, moving)
        if limit is None:
            return {}
        counter, old = self._new("b64"), self._item(place)
        items = self._graph.blocks[self._loop.end].instructions
        sign = ("lt" if true_goes_on else "ge") if rounds else ("le" if true_goes_on else "gt")
        items[place[1] : place[1] + 1] = [
            Instruction("add.s64", (counter, counter, Immediate(1, "int")), old.place),
            Instruction(f"setp.{sign}.u64", (predicate, counter, limit), old.place),
        ]
        self._before(Instruction("mov.b64", (counter, Immediate(0, "int")), old.place))
        self._drop_sums(moving)
        return {counter.name: rounds or MOST_ROUNDS}

    def _drop_sums(self, moving: dict[str, int]) -> None:
        """Leave out the sums that only the old test asked for."""
        blocks = [self._graph.blocks[number] for number in self._loop.blocks]
        wanted = live_behind(self._graph, self._loop.blocks, self._at_end)
        for block in blocks:
            wanted.update(name for item in block.instructions for name in set(reads_of(item)) - set(writes_of(item)))
            if isinstance(block.index, Register):
                wanted.add(block.index.name)
        unread = moving.keys() - wanted
        for block in blocks:
            block.instructions = [item for item in block.instructions if not unread.intersection(writes_of(item))]

    def _is_read_elsewhere(self) -> bool:
        for number in self._graph.order:
            block = self._graph.blocks[number]
            if number != self._loop.end and block.condition == Register(self._loop.predicate):
                return True
            if any(self._loop.predicate in reads_of(item) for item in block.instructions):
                return True
        return False

    def _rounds_behind(self, place: tuple[int, int], moving: dict[str, int]) -> Operand | None:
        """Return how many rounds come behind the first, as a register that is given its value in front of the loop."""
        compared = comparison_of(self._item(place))
        if compared is None or compared.right != Immediate(0, "int"):
            return None
        compared = compared if self._loop.true_goes_on else compared.opposite()
        left = self._read(Register(compared.left), place, compared.bits)
        if left is None or moving.get(left.name) != _STEP_BACK or left.number == _STEP_BACK:
            return None  # one that is compared when it has moved is a counter already
        bits, at = compared.bits, self._item(place).place
        remain = self._sum(left, bits, at)
        if (compared.operator, compared.type[0]) == ("gt", "s"):
            positive, least = self._new("pred"), self._new(f"b{bits}")
            self._before(
                Instruction(f"setp.gt.s{bits}", (positive, remain, Immediate(0, "int")), at),
                Instruction(f"selp.b{bits}", (least, remain, Immediate(0, "int"), positive), at),
            )
            remain = least
        elif compared.operator != "ne" and (compared.operator, compared.type[0]) != ("gt", "u"):
            return None
        if bits == TYPES["b64"].bits:
            return remain
        wide = self._new("b64")
        self._before(Instruction("cvt.u64.u32", (wide, remain), at))
        return wide

    def _sum(self, value: _Linear, bits: int, at: int) -> Register:
        """Return a register with a linear value at the loop's entry."""
        if not value.number:
            # One of its own, since the loop changes it.
            copy = self._new(f"b{bits}")
            self._before(Instruction(f"mov.b{bits}", (copy, Register(value.name)), at))
            return copy
        made = self._new(f"b{bits}")
        number = Immediate(value.number, "int")
        self._before(Instruction(f"add.s{bits}", (made, Register(value.name), number), at))
        return made

    def _before(self, *items: Instruction) -> None:
        self._graph.blocks[self._loop.start].instructions += items

    def _new(self, type_: str) -> Register:
        return self._function.new_register("%round", TYPES[type_])
