"""Count-down loops, such as those of Numba's `range`, become loops that count up.

Problem: Numba's iterator holds the next number and the remaining count. An iteration takes the number and, if any
remain, increments the one and decrements the other. So every number depends on a choice, and no register is an
induction variable.

    do {                                                    // before
        ...;  more = remaining > 0;  current = next;
        next += more ? 1 : 0;  remaining += more ? -1 : 0;
    } while (more);
    n = max(remaining, 0);  k = 0;                          // after
    do { ...;  current += 1;  next += 1;  k += 1; } while (k <= n);

Behind the loop these registers are dead, so the choices are folded: a value that is live only if the loop continues is
computed as if it did. `current` follows `next` by one step, and so is an induction variable itself. The iterations are
counted from zero, and induction.py gives the loop its `for` head.

Preconditions: the selected values are dead behind the loop; the remaining count goes down by one in each iteration and
is compared with zero before its update, by `>` or `!=`; nothing but the branch reads the predicate.

Limits: one exit, at the end; linear updates of 32 or 64 bits. A loop for which a condition cannot be shown stays as it
is. A loop of one block whose trip count is a constant is left to constant_trip_count.py first.
"""

from __future__ import annotations

from dataclasses import dataclass

from cuda_shim.translate.ptx.constant_trip_count import evaluate_loop
from cuda_shim.translate.ptx.def_use import is_pure, reads_of, writes_of
from cuda_shim.translate.ptx.graph import BottomTestedLoop, Graph
from cuda_shim.translate.ptx.liveness import live_at_starts, live_behind
from cuda_shim.translate.ptx.loop_entry import LoopEntry, comparison_of
from cuda_shim.translate.ptx.module import Function, Immediate, Instruction, Operand, Register
from cuda_shim.translate.ptx.types import TYPES

__all__ = ["MAX_TRIP_COUNT", "eliminate_dead_code", "rewrite_countdown_loops"]

#: More iterations than any loop has: at one in a nanosecond they take seven weeks.
MAX_TRIP_COUNT = 1 << 52

_TYPES = ("b32", "s32", "u32", "b64", "s64", "u64")
_DECREMENT = -1


def rewrite_countdown_loops(
    graph: Graph, function: Function, live_at_return: frozenset[str], do_while_headers: set[int]
) -> dict[str, int]:
    """Give count-down loops a counter from zero; return the counters, each with its largest value.

    Args:
        graph: the function's graph, which must be reducible.
        function: the function, which gets the new registers.
        live_at_return: the registers that a return takes.
        do_while_headers: the loops whose structure is a body with the test behind it.
    """
    counters: dict[str, int] = {}
    for header in sorted(graph.loops, key=lambda number: (len(graph.loops[number]), graph.rank[number])):
        loop = graph.bottom_tested_loop(header) if header in do_while_headers else None
        if loop is not None:
            counters.update(_CountdownLoop(graph, function, live_at_return, loop).rewrite())
    return counters


def eliminate_dead_code(graph: Graph, live_at_return: frozenset[str]) -> None:
    """Drop pure instructions that only write registers that nothing reads."""
    while True:
        read = set(live_at_return)
        for number in graph.order:
            block = graph.blocks[number]
            if block.condition is not None:
                read.add(block.condition.name)
            if isinstance(block.index, Register):
                read.add(block.index.name)
            for item in block.instructions:
                own_results = set(writes_of(item)) if is_pure(item) else set()
                # A register that only its own update reads, from one iteration to the next, is unread.
                read.update(name for name in reads_of(item) if name not in own_results)
        changed = False
        for number in graph.order:
            block = graph.blocks[number]
            needed = [item for item in block.instructions if not is_pure(item) or read & set(writes_of(item))]
            changed = changed or len(needed) < len(block.instructions)
            block.instructions = needed
        if not changed:
            return


@dataclass(frozen=True)
class _LinearForm:
    """The value of a register at the start of an iteration, or of a loop-invariant register, plus a number.

    Attributes:
        name: the register, "" for the number alone.
    """

    name: str
    offset: int


class _CountdownLoop:
    def __init__(
        self, graph: Graph, function: Function, live_at_return: frozenset[str], loop: BottomTestedLoop
    ) -> None:
        self._graph = graph
        self._function = function
        self._live_at_return = live_at_return
        self._loop = loop

    def rewrite(self) -> dict[str, int]:
        trip_count = self._constant_trip_count()
        folded = self._fold_selects()
        self._find_definitions()
        strides = self._find_strides() if folded or trip_count else {}
        return self._insert_counter(strides, trip_count) if strides else {}

    # Folded choices.

    def _constant_trip_count(self) -> int | None:
        """Fold the choices of a loop of one block with known counters; return its trip count, None if it is unknown."""
        loop = self._loop
        if loop.blocks != {loop.header}:
            return None
        block = self._graph.blocks[loop.header]
        entry = LoopEntry(self._graph, loop.header, loop.preheader)
        evaluation = evaluate_loop(
            block.instructions, entry.constant, self._function, loop.predicate, loop.continues_if_true
        )
        if evaluation is None:
            return None
        block.instructions = evaluation.instructions
        return evaluation.trip_count

    def _fold_selects(self) -> bool:
        """Turn choices by the predicate into moves if their results are live only if the loop continues."""
        loop, block = self._loop, self._graph.blocks[self._loop.latch]
        predicate = loop.predicate
        live = set(live_at_starts(self._graph, self._live_at_return)[loop.exit])
        instructions: list[Instruction] = []
        predicate_is_final, folded = True, False
        for item in reversed(block.instructions):
            writes = writes_of(item)
            if not is_pure(item) or live & set(writes):
                if item.guard is None:
                    live -= set(writes)
                live.update(reads_of(item))
            elif predicate_is_final and item.opcode.startswith("selp.") and item.operands[3:] == (Register(predicate),):
                source = item.operands[1 if loop.continues_if_true else 2]
                instructions.append(
                    Instruction(item.opcode.replace("selp", "mov"), (item.operands[0], source), item.position)
                )
                folded = True
                continue
            predicate_is_final = predicate_is_final and predicate not in writes
            instructions.append(item)
        block.instructions = instructions[::-1]
        return folded

    # Induction variables.

    def _find_definitions(self) -> None:
        """Record the place of the write of each register that is written once per iteration."""
        writes: dict[str, list[tuple[int, int]]] = {}
        for number in self._loop.blocks:
            for index, item in enumerate(self._graph.blocks[number].instructions):
                for name in writes_of(item):
                    writes.setdefault(name, []).append((number, index))
        self._written = set(writes)
        self._definitions = {
            name: locations[0]
            for name, locations in writes.items()
            if len(locations) == 1 and locations[0][0] in self._loop.every_iteration
        }

    def _item(self, location: tuple[int, int]) -> Instruction:
        return self._graph.blocks[location[0]].instructions[location[1]]

    def _precedes(self, one: tuple[int, int], other: tuple[int, int]) -> bool:
        """Return whether a place is passed before another in each iteration; every whole one passes both."""
        return one[1] < other[1] if one[0] == other[0] else self._graph.dominates(one[0], other[0])

    def _linear_operand(
        self, operand: Operand, location: tuple[int, int], bits: int, depth: int = 0
    ) -> _LinearForm | None:
        """Return the linear form of an operand at a place of the loop."""
        if isinstance(operand, Immediate):
            return _LinearForm("", operand.value) if operand.kind == "int" else None
        if not isinstance(operand, Register) or self._function.registers[operand.name].bits != bits:
            return None
        if operand.name not in self._written:
            return _LinearForm(operand.name, 0)
        definition = self._definitions.get(operand.name)
        if definition is None or depth > 16:
            return None
        if self._precedes(definition, location):
            return self._linear_result(definition, bits, depth + 1)
        return _LinearForm(operand.name, 0)

    def _linear_result(self, location: tuple[int, int], bits: int, depth: int = 0) -> _LinearForm | None:
        """Return the linear form of an instruction's result."""
        item = self._item(location)
        name, *modifiers = item.opcode.split(".")
        if not is_pure(item) or len(modifiers) != 1 or modifiers[0] not in _TYPES or int(modifiers[0][1:]) != bits:
            return None
        forms = [self._linear_operand(operand, location, bits, depth) for operand in item.operands[1:]]
        if name == "mov" and len(forms) == 1:
            return forms[0]
        if name not in ("add", "sub") or len(forms) != 2:
            return None
        left, right = forms
        if left is None or right is None:
            return None
        if name == "sub":
            return None if right.name else _LinearForm(left.name, left.offset - right.offset)
        if left.name and right.name:
            return None
        return _LinearForm(left.name or right.name, left.offset + right.offset)

    def _find_strides(self) -> dict[str, int]:
        """Return the strides of the induction variables, and rewrite their updates as plain additions."""
        registers, entry = self._function.registers, LoopEntry(self._graph, self._loop.header, self._loop.preheader)
        forms: dict[str, _LinearForm] = {}
        for name, location in self._definitions.items():
            form = self._linear_result(location, registers[name].bits) if registers[name].bits in (32, 64) else None
            if form is not None and form.name in self._definitions:
                forms[name] = form
        strides = {name: form.offset for name, form in forms.items() if form.name == name and form.offset}
        for name, form in forms.items():
            step = strides.get(form.name)
            if name == form.name or step is None or registers[name].kind == "floating":
                continue
            # A register that follows another induction variable: it has the same step if it starts the same distance
            # behind.
            first, other = entry.constant(name), entry.constant(form.name)
            if first is None or other is None:
                continue
            if (first - (other + form.offset - step)) % (1 << registers[name].bits) == 0:
                strides[name] = step
        for name, step in strides.items():
            number, index = self._definitions[name]
            items, bits = self._graph.blocks[number].instructions, registers[name].bits
            if name in reads_of(items[index]):
                continue
            operands = (Register(name), Register(name), Immediate(step, "int"))
            items[index] = Instruction(f"add.s{bits}", operands, items[index].position)
        return strides

    # The counter.

    def _insert_counter(self, strides: dict[str, int], trip_count: int | None) -> dict[str, int]:
        predicate, continues_if_true = Register(self._loop.predicate), self._loop.continues_if_true
        location = self._definitions.get(predicate.name)
        if location is None or location[0] != self._loop.latch or self._predicate_is_read_elsewhere():
            return {}
        limit: Operand | None = (
            Immediate(trip_count, "int") if trip_count else self._iterations_after_first(location, strides)
        )
        if limit is None:
            return {}
        counter, comparison = self._new_register("b64"), self._item(location)
        items = self._graph.blocks[self._loop.latch].instructions
        operator = ("lt" if continues_if_true else "ge") if trip_count else ("le" if continues_if_true else "gt")
        items[location[1] : location[1] + 1] = [
            Instruction("add.s64", (counter, counter, Immediate(1, "int")), comparison.position),
            Instruction(f"setp.{operator}.u64", (predicate, counter, limit), comparison.position),
        ]
        self._append_to_preheader(Instruction("mov.b64", (counter, Immediate(0, "int")), comparison.position))
        self._remove_unread_updates(strides)
        return {counter.name: trip_count or MAX_TRIP_COUNT}

    def _remove_unread_updates(self, strides: dict[str, int]) -> None:
        """Drop the additions that only the old test needed."""
        blocks = [self._graph.blocks[number] for number in self._loop.blocks]
        live = live_behind(self._graph, self._loop.blocks, self._live_at_return)
        for block in blocks:
            live.update(name for item in block.instructions for name in set(reads_of(item)) - set(writes_of(item)))
            if isinstance(block.index, Register):
                live.add(block.index.name)
        unread = strides.keys() - live
        for block in blocks:
            block.instructions = [item for item in block.instructions if not unread.intersection(writes_of(item))]

    def _predicate_is_read_elsewhere(self) -> bool:
        for number in self._graph.order:
            block = self._graph.blocks[number]
            if number != self._loop.latch and block.condition == Register(self._loop.predicate):
                return True
            if any(self._loop.predicate in reads_of(item) for item in block.instructions):
                return True
        return False

    def _iterations_after_first(self, location: tuple[int, int], strides: dict[str, int]) -> Operand | None:
        """Return the number of iterations behind the first, as a register that is set in front of the loop."""
        comparison = comparison_of(self._item(location))
        if comparison is None or comparison.right != Immediate(0, "int"):
            return None
        comparison = comparison if self._loop.continues_if_true else comparison.opposite()
        form = self._linear_operand(Register(comparison.left), location, comparison.bits)
        if form is None or strides.get(form.name) != _DECREMENT or form.offset == _DECREMENT:
            return None  # a register that is compared after its update is a counter already
        bits, position = comparison.bits, self._item(location).position
        remaining = self._materialize(form, bits, position)
        if (comparison.operator, comparison.type[0]) == ("gt", "s"):
            positive, clamped = self._new_register("pred"), self._new_register(f"b{bits}")
            self._append_to_preheader(
                Instruction(f"setp.gt.s{bits}", (positive, remaining, Immediate(0, "int")), position),
                Instruction(f"selp.b{bits}", (clamped, remaining, Immediate(0, "int"), positive), position),
            )
            remaining = clamped
        elif comparison.operator != "ne" and (comparison.operator, comparison.type[0]) != ("gt", "u"):
            return None
        if bits == TYPES["b64"].bits:
            return remaining
        wide = self._new_register("b64")
        self._append_to_preheader(Instruction("cvt.u64.u32", (wide, remaining), position))
        return wide

    def _materialize(self, value: _LinearForm, bits: int, position: int) -> Register:
        """Return a register with a linear value at the loop's entry."""
        if not value.offset:
            # A copy of its own, since the loop changes the register.
            copy = self._new_register(f"b{bits}")
            self._append_to_preheader(Instruction(f"mov.b{bits}", (copy, Register(value.name)), position))
            return copy
        total = self._new_register(f"b{bits}")
        number = Immediate(value.offset, "int")
        self._append_to_preheader(Instruction(f"add.s{bits}", (total, Register(value.name), number), position))
        return total

    def _append_to_preheader(self, *items: Instruction) -> None:
        self._graph.blocks[self._loop.preheader].instructions += items

    def _new_register(self, type_: str) -> Register:
        return self._function.new_register("%round", TYPES[type_])
