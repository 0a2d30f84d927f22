"""One function as C++: its body written block by block and put into the structure that its branches have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cuda_shim.translate.ptx.calls import passed_type
from cuda_shim.translate.ptx.control_flow import (
    BlockCode,
    ForHead,
    dispatch_loop,
    do_while_loops,
    structured_statements,
)
from cuda_shim.translate.ptx.countdown_loops import eliminate_dead_code, rewrite_countdown_loops
from cuda_shim.translate.ptx.cxx_statements import Scope, Statement, place_declarations, render
from cuda_shim.translate.ptx.def_use import Uses, reads_of, writes_of
from cuda_shim.translate.ptx.emit_context import EmitContext
from cuda_shim.translate.ptx.emitter import emit
from cuda_shim.translate.ptx.errors import PtxError, UnsupportedPtx
from cuda_shim.translate.ptx.graph import build
from cuda_shim.translate.ptx.induction import CountedLoop, rewrite_counted_loops
from cuda_shim.translate.ptx.liveness import live_at_starts
from cuda_shim.translate.ptx.loop_entry import CXX_OPERATORS
from cuda_shim.translate.ptx.module import Call, Function, Instruction, Module, Operand, Parameter, Register, Special
from cuda_shim.translate.ptx.promote_params import promote_parameters
from cuda_shim.translate.ptx.ranges import fold
from cuda_shim.translate.ptx.reroll import reroll_loops
from cuda_shim.translate.ptx.structurizer import Node, structurize
from cuda_shim.translate.ptx.type_inference import infer_types
from cuda_shim.translate.ptx.types import POINTER, TYPES, Type
from cuda_shim.translate.ptx.values import is_constant

__all__ = ["FunctionText", "write_function"]

# Whole numbers that C++ computes with as they are.
_NUMBERS = ("signed", "unsigned")
_NARROWEST = 32


@dataclass
class FunctionText:
    """A function in C++.

    Attributes:
        parameters: its parameters with their types.
        body: its statements.
    """

    parameters: list[str]
    body: str


def write_function(
    module: Module, function: Function, taken: frozenset[str], needs: set[str], structs: dict[tuple[int, int], str],
    place_of: Callable[[int], tuple[int, int]], *, plain: bool,
) -> FunctionText:  # fmt: skip
    """Write a function that has a body. `plain` makes it a dispatch loop, even if its branches could be structured."""
    return _Writer(module, function, taken, needs, structs, place_of, plain).text()


class _Writer:
    def __init__(
        self, module: Module, function: Function, taken: frozenset[str], needs: set[str],
        structs: dict[tuple[int, int], str], place_of: Callable[[int], tuple[int, int]], plain: bool,
    ) -> None:  # fmt: skip
        self._module = module
        self._function = function
        self._place_of = place_of
        self._plain = plain
        self._heads: dict[int, ForHead] = {}
        registers = promote_parameters(function)
        self._graph = build(function, self._error)
        self._check_registers()
        self._results = frozenset(result.name for result in function.results if result.name)
        self._count(self._results & registers)
        self._live = live_at_starts(self._graph, self._results & registers)
        uses = Uses(self._graph)
        instructions = [item for number in self._graph.order for item in self._graph.blocks[number].instructions]
        kinds = self._kinds(instructions, registers)
        in_memory = self._in_memory(registers)
        for name in in_memory:
            kinds[name] = TYPES["b128"]
        self._parameters = {parameter.name for parameter in function.parameters if parameter.name}
        aliases = self._aliases(instructions, uses, kinds)
        self._around = EmitContext(
            module, function, self._error, self._unsupported, uses, kinds, aliases, self._parameters, in_memory, taken,
            needs, self._live[self._graph.order[0]], structs,
        )  # fmt: skip
        self._count_reads(instructions)

    def text(self) -> FunctionText:
        written = {number: self._block(number) for number in self._graph.order}
        root = Scope("", self._statements(written))
        result = next(iter(self._results), "")
        if result:
            root.body.append(Statement(f"return {self._around.variable(result)};", frozenset({result})))
        entry = self._graph.order[0]
        around = self._around
        elsewhere = self._parameters | {counted.counter for counted in self._counted.values()} | around.again.keys()
        wanted = {name for name in around.kinds if name not in elsewhere}
        place_declarations(
            root, wanted, self._live_variables, self._variable, self._live_variables(entry) | {"carry flag"}
        )
        parameters = [f"{self._type(parameter)} {around.variable(parameter.name)}" for parameter in self._named()]
        return FunctionText(parameters, render(root, around.variable))

    # Analysis before the first statement.

    def _error(self, reason: str, place: int) -> PtxError:
        return PtxError(reason, *self._place_of(place))

    def _unsupported(self, reason: str, place: int) -> UnsupportedPtx:
        return UnsupportedPtx(reason, *self._place_of(place))

    def _check_registers(self) -> None:
        """Refuse a symbol in the place of a register, which would otherwise go unnoticed until it is written."""
        known = self._function.registers
        for number in self._graph.order:
            for item in self._graph.blocks[number].instructions:
                for name in (*reads_of(item), *writes_of(item)):
                    if name not in known:
                        raise self._error(f"Unknown symbol '{name}'", item.place)

    def _count(self, live_at_return: frozenset[str]) -> None:
        """Find the structure and its counted loops; `plain` does without, as a reference for comparisons."""
        self._nodes: list[Node] = []
        self._counted: dict[int, CountedLoop] = {}
        self._in_heads: dict[int, int] = {}
        self._ends: set[int] = set()
        if self._plain or not self._graph.reducible:
            return
        early = live_at_starts(self._graph, live_at_return)[self._graph.order[0]]
        range_of = fold(self._graph, self._function, early, {})
        self._graph, rolled = reroll_loops(self._graph, self._function, live_at_return, range_of)
        self._nodes = structurize(self._graph)
        last = do_while_loops(self._nodes)
        rounds = rolled | rewrite_countdown_loops(self._graph, self._function, live_at_return, last)
        self._counted = rewrite_counted_loops(self._graph, self._function, live_at_return, last)
        if rounds:
            eliminate_dead_code(self._graph, live_at_return)
            known = {
                counted.counter: (0, rounds[source.name])
                for counted in self._counted.values()
                for source in counted.init.operands[1:]
                if isinstance(source, Register) and source.name in rounds
            }
            fold(self._graph, self._function, early, known)
        for header, counted in self._counted.items():
            self._ends.add(counted.latch)
            for item in (counted.init, counted.step, counted.comparison.item):
                self._in_heads[id(item)] = header

    def _kinds(self, instructions: list[Instruction], registers: set[str]) -> dict[str, Type]:
        function = self._function
        fixed: dict[str, Type] = {}
        if not function.entry:
            for parameter in (*function.parameters, *function.results):
                if parameter.name in registers:
                    fixed[parameter.name] = (
                        TYPES[f"u{parameter.type.bits}"]
                        if parameter.type.is_number and parameter.type.bits <= 64
                        else parameter.type
                    )
        for name in registers:
            if function.registers[name].bits == 8:
                fixed[name] = TYPES["u8"]
        for counted in self._counted.values():
            fixed[counted.counter] = TYPES[counted.comparison.type]
        shared = frozenset(
            name
            for variables in (self._module.variables, function.variables)
            for name, variable in variables.items()
            if variable.space == "shared"
        )
        return infer_types(instructions, function.registers, fixed, shared)

    def _in_memory(self, registers: set[str]) -> dict[str, Parameter]:
        function = self._function
        found = {
            parameter.name: parameter
            for parameter in (*function.parameters, *function.results)
            if parameter.name and parameter.name not in registers
        }
        for variable in function.variables.values():
            if variable.space == "param":
                count = variable.count if variable.dimensions or variable.vector > 1 else None
                found[variable.name] = Parameter(variable.name, variable.type, count, variable.align)
        return found

    def _aliases(self, instructions: list[Instruction], uses: Uses, kinds: dict[str, Type]) -> dict[str, Operand]:
        """Return the registers that are only another name for a constant, a parameter or another register.

        Such a register must be written once, before every read, and its source must never change.
        """
        early = self._live[self._graph.order[0]]
        found: dict[str, Operand] = {}
        for item in instructions:
            target = item.operands[0] if len(item.operands) == 2 else None
            name = item.opcode.partition(".")[0]
            if not isinstance(target, Register) or name not in ("mov", "cvta") or isinstance(item, Call):
                continue
            if uses.writer.get(target.name) is not item or target.name in early or target.name in self._results:
                continue
            source = item.operands[1]
            if self._stands_for(item, target, source, uses, kinds):
                found[target.name] = source
        return found

    def _stands_for(
        self, item: Instruction, target: Register, source: Operand, uses: Uses, kinds: dict[str, Type]
    ) -> bool:
        if item.opcode.startswith("mov") and is_constant(source):
            return not isinstance(source, Special) or kinds[target.name].bits == 32
        if not isinstance(source, Register):
            return False
        own, other = kinds[target.name], kinds[source.name]
        early = self._live[self._graph.order[0]]
        unchanging = (
            source.name not in uses.writes
            if source.name in self._parameters
            else source.name in uses.writer and source.name not in early
        )
        if item.opcode.startswith("cvta"):
            return unchanging and own is POINTER and other is POINTER
        return (
            unchanging
            and self._function.registers[target.name].bits == self._function.registers[source.name].bits
            and (own == other or _differ_in_sign(own, other))
        )

    def _count_reads(self, instructions: list[Instruction]) -> None:
        """Count the reads of an alias as reads of the register that it stands for."""
        around = self._around
        reads: dict[str, int] = {}
        for name, count in around.uses.reads.items():
            if name in around.aliases:
                source = around.resolved(Register(name))
                if isinstance(source, Register):
                    reads[source.name] = reads.get(source.name, 0) + count - 1
            reads[name] = reads.get(name, 0) + count
        around.uses.reads = reads

    # Statements.

    def _block(self, number: int) -> BlockCode:
        around = self._around
        around.lines = []
        block = self._graph.blocks[number]
        for item in block.instructions:
            target = item.operands[0] if item.operands else None
            if (
                isinstance(target, Register)
                and target.name in around.aliases
                and around.uses.writer.get(target.name) is item
            ):
                continue
            if id(item) in self._in_heads:
                self._write_head(item, self._in_heads[id(item)])
            else:
                emit(around, item)
        condition, names, index = "", frozenset[str](), ""
        if block.condition is not None and number not in self._ends:
            condition = around.value(block.condition, "pred")
        elif block.index is not None:
            index = around.value(block.index, "u32")
        names = frozenset(around.names)
        around.names = set()
        around.settle_all()
        return BlockCode(around.lines, condition, names, block.negated, index)

    def _write_head(self, item: Instruction, header: int) -> None:
        """Write an instruction into the head of a counted loop."""
        around, counted = self._around, self._counted[header]
        type_, counter = counted.comparison.type, around.variable(counted.counter)
        head = self._heads.setdefault(header, ForHead(TYPES[type_].cxx, counter))
        outer, around.names = around.names, set()
        if item is counted.init:
            head.init = around.value(item.operands[1], type_)
        elif item is counted.step:
            head.step = f"{counter} += {around.value(item.operands[2], type_)}"
        else:
            sign = CXX_OPERATORS[counted.comparison.operator]
            head.condition = f"{counter} {sign} {around.value(item.operands[2], type_)}"
        head.names |= around.names
        around.names = outer

    def _statements(self, written: dict[int, BlockCode]) -> list[Statement | Scope]:
        result = next(iter(self._results), "")
        leave = (
            Statement(f"return {self._around.variable(result)};", frozenset({result}))
            if result
            else Statement("return;")
        )
        if self._graph.reducible and not self._plain:
            return structured_statements(self._nodes, written, leave, self._heads)
        carried = frozenset(name for number in self._graph.order for name in self._live_variables(number))
        return dispatch_loop(self._graph, written, leave, carried)

    def _live_variables(self, number: int) -> set[str]:
        """Return the live registers at the start of a block, with aliases replaced by their sources."""
        found: set[str] = set()
        for name in self._live.get(number, ()):
            source = self._around.resolved(Register(name))
            if isinstance(source, Register):
                found.add(source.name)
        return found

    # Declarations.

    def _variable(self, name: str) -> tuple[str, str]:
        around = self._around
        parameter = around.in_memory.get(name)
        if parameter is not None:
            return passed_type(parameter, around.structs), around.variable(name)
        kind = around.kinds[name]
        return kind.cxx, around.variable(name)

    def _named(self) -> list[Parameter]:
        """Return the parameters, each with a name."""
        return [
            parameter
            if parameter.name
            else Parameter(f"unnamed {place}", parameter.type, parameter.count, parameter.align)
            for place, parameter in enumerate(self._function.parameters)
        ]

    def _type(self, parameter: Parameter) -> str:
        around = self._around
        if parameter.name in around.in_memory or parameter.name not in around.kinds:
            return passed_type(parameter, around.structs)
        return around.kinds[parameter.name].cxx


def _differ_in_sign(own: Type, other: Type) -> bool:
    """Return whether the bits are the same number but for its sign, so that a cast reads one as the other."""
    return own.kind in _NUMBERS and other.kind in _NUMBERS and own.bits == other.bits >= _NARROWEST
