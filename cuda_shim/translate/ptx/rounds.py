"""Count-down loops, such as those of Numba's `range`, become loops that count up.

Numba's iterator holds the next number and the remaining count. Each iteration takes the number and, if any remain,
increments the one and decrements the other; the remaining count before that decides whether the loop continues:

    more = remaining > 0;  next += more ? 1 : 0;  remaining += more ? -1 : 0;  current = (old next);  again if more

Behind the loop these registers are dead, so the choices are decided: a value that is live only if the loop continues is
computed as if it did. `current` follows `next` by one step, and so is an induction variable itself. The iterations are
counted from zero, and counting.py does the rest.

The preconditions are checked where they are used; a loop for which they cannot be shown stays as it is.
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

#: More iterations than any loop has: at one in a nanosecond they take seven weeks.
MOST_ROUNDS = 1 << 52

_TYPES = ("b32", "s32", "u32", "b64", "s64", "u64")
_STEP_BACK = -1


def count_rounds(graph: Graph, function: Function, at_end: frozenset[str], tested_last: set[int]) -> dict[str, int]:
    """Give count-down loops a counter from zero; return the counters, each with its largest value.

    Args:
        graph: the function's graph, which must be reducible.
        function: the function, which gets the new registers.
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
    """Drop pure instructions that only write registers that nothing reads."""
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
                # A register that only its own update reads, from one iteration to the next, is unread.
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
    """The value of a register at the start of an iteration, or of a loop-invariant register, plus a number.

    Attributes:
        name: the register, "" for the number alone.
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

    # Decided choices.

    def _replayed(self) -> int | None:
        """Replay the loop's known numbers, if it is one block; return its trip count, None if the replay fails."""
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
        """Turn choices by the predicate into moves if their results are live only if the loop continues."""
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

    # Induction variables.

    def _find_writes(self) -> None:
        """Record the place of the write of each register that is written once per iteration."""
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
        """Return whether a place is passed before another in each iteration; every whole one passes both."""
        return one[1] < other[1] if one[0] == other[0] else self._graph.dominates(one[0], other[0])

    def _read(self, operand: Operand, place: tuple[int, int], bits: int, depth: int = 0) -> _Linear | None:
        """Return the linear form of an operand at a place of the loop."""
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
        """Return the linear form of an instruction's result."""
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
        """Return the strides of the induction variables, and rewrite their updates as plain additions."""
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
            # A register that follows another induction variable: it has the same step if it starts the same distance
            # behind.
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
        """Drop the additions that only the old test needed."""
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
        """Return the number of iterations behind the first, as a register that is set in front of the loop."""
        compared = comparison_of(self._item(place))
        if compared is None or compared.right != Immediate(0, "int"):
            return None
        compared = compared if self._loop.true_goes_on else compared.opposite()
        left = self._read(Register(compared.left), place, compared.bits)
        if left is None or moving.get(left.name) != _STEP_BACK or left.number == _STEP_BACK:
            return None  # a register that is compared after its update is a counter already
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
            # A copy of its own, since the loop changes the register.
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
