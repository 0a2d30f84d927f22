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
from cuda_shim.translate.ptx.warp_groups import grouped

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
    module: Module, function: Function, reserved_names: frozenset[str], requirements: set[str],
    structs: dict[tuple[int, int], str], line_and_column: Callable[[int], tuple[int, int]], *, plain: bool,
) -> FunctionText:  # fmt: skip
    """Write a function that has a body. `plain` makes it a dispatch loop, even if its branches could be structured."""
    return _Writer(module, function, reserved_names, requirements, structs, line_and_column, plain).text()


class _Writer:
    def __init__(
        self, module: Module, function: Function, reserved_names: frozenset[str], requirements: set[str],
        structs: dict[tuple[int, int], str], line_and_column: Callable[[int], tuple[int, int]], plain: bool,
    ) -> None:  # fmt: skip
        self._module = module
        self._function = function
        self._line_and_column = line_and_column
        self._plain = plain
        self._heads: dict[int, ForHead] = {}
        registers = promote_parameters(function)
        self._graph = build(function, self._error)
        self._check_registers()
        self._results = frozenset(result.name for result in function.results if result.name)
        self._transform_loops(self._results & registers)
        self._live = live_at_starts(self._graph, self._results & registers)
        uses = Uses(self._graph)
        instructions = [item for number in self._graph.order for item in self._graph.blocks[number].instructions]
        cxx_types = self._infer_types(instructions, registers)
        in_memory = self._in_memory(registers)
        for name in in_memory:
            cxx_types[name] = TYPES["b128"]
        self._parameters = {parameter.name for parameter in function.parameters if parameter.name}
        aliases = self._aliases(instructions, uses, cxx_types)
        self._ctx = EmitContext(
            module, function, self._error, self._unsupported, uses, cxx_types, aliases, self._parameters, in_memory,
            reserved_names, requirements, self._live[self._graph.order[0]], structs,
        )  # fmt: skip
        self._count_reads(instructions)

    def text(self) -> FunctionText:
        blocks = {number: self._block(number) for number in self._graph.order}
        root = Scope("", self._statements(blocks))
        result = next(iter(self._results), "")
        if result:
            root.body.append(Statement(f"return {self._ctx.variable(result)};", frozenset({result})))
        entry = self._graph.order[0]
        ctx = self._ctx
        declared_elsewhere = (
            self._parameters | {loop.counter for loop in self._counted_loops.values()} | ctx.rematerialized.keys()
        )
        registers = {name for name in ctx.cxx_types if name not in declared_elsewhere}
        place_declarations(
            root, registers, self._live_variables, self._variable, self._live_variables(entry) | {"carry flag"}
        )
        parameters = [
            f"{self._parameter_type(parameter)} {ctx.variable(parameter.name)}"
            for parameter in self._named_parameters()
        ]
        return FunctionText(parameters, render(root, ctx.variable))

    # Analyses and transformations.

    def _error(self, reason: str, position: int) -> PtxError:
        return PtxError(reason, *self._line_and_column(position))

    def _unsupported(self, reason: str, position: int) -> UnsupportedPtx:
        return UnsupportedPtx(reason, *self._line_and_column(position))

    def _check_registers(self) -> None:
        """Refuse a symbol in the place of a register, which would otherwise go unnoticed until it is written."""
        declared = self._function.registers
        for number in self._graph.order:
            for item in self._graph.blocks[number].instructions:
                for name in (*reads_of(item), *writes_of(item)):
                    if name not in declared:
                        raise self._error(f"Unknown symbol '{name}'", item.position)

    def _transform_loops(self, live_at_return: frozenset[str]) -> None:
        """Transform the loops and structure the graph; `plain` does without, as a reference for comparisons."""
        self._nodes: list[Node] = []
        self._counted_loops: dict[int, CountedLoop] = {}
        self._for_head_of: dict[int, int] = {}
        self._counted_latches: set[int] = set()
        if self._plain or not self._graph.reducible:
            return
        maybe_uninitialized = live_at_starts(self._graph, live_at_return)[self._graph.order[0]]
        range_of = fold(self._graph, self._function, maybe_uninitialized, {})
        self._graph, rerolled_maxima = reroll_loops(self._graph, self._function, live_at_return, range_of)
        self._nodes = structurize(self._graph)
        do_while_headers = do_while_loops(self._nodes)
        counter_maxima = rerolled_maxima | rewrite_countdown_loops(
            self._graph, self._function, live_at_return, do_while_headers
        )
        self._counted_loops = rewrite_counted_loops(self._graph, self._function, live_at_return, do_while_headers)
        if counter_maxima:
            eliminate_dead_code(self._graph, live_at_return)
            counter_intervals = {
                loop.counter: (0, counter_maxima[source.name])
                for loop in self._counted_loops.values()
                for source in loop.init.operands[1:]
                if isinstance(source, Register) and source.name in counter_maxima
            }
            fold(self._graph, self._function, maybe_uninitialized, counter_intervals)
        for header, loop in self._counted_loops.items():
            self._counted_latches.add(loop.latch)
            for item in (loop.init, loop.step, loop.comparison.item):
                self._for_head_of[id(item)] = header

    def _infer_types(self, instructions: list[Instruction], registers: set[str]) -> dict[str, Type]:
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
        for loop in self._counted_loops.values():
            fixed[loop.counter] = TYPES[loop.comparison.type]
        shared = frozenset(
            name
            for variables in (self._module.variables, function.variables)
            for name, variable in variables.items()
            if variable.space == "shared"
        )
        return infer_types(instructions, function.registers, fixed, shared)

    def _in_memory(self, registers: set[str]) -> dict[str, Parameter]:
        function = self._function
        in_memory = {
            parameter.name: parameter
            for parameter in (*function.parameters, *function.results)
            if parameter.name and parameter.name not in registers
        }
        for variable in function.variables.values():
            if variable.space == "param":
                count = variable.count if variable.dimensions or variable.vector > 1 else None
                in_memory[variable.name] = Parameter(variable.name, variable.type, count, variable.align)
        return in_memory

    def _aliases(self, instructions: list[Instruction], uses: Uses, cxx_types: dict[str, Type]) -> dict[str, Operand]:
        """Return the registers that are only another name for a constant, a parameter or another register.

        Such a register must be written once, before every read, and its source must never change.
        """
        maybe_uninitialized = self._live[self._graph.order[0]]
        aliases: dict[str, Operand] = {}
        for item in instructions:
            target = item.operands[0] if len(item.operands) == 2 else None
            name = item.opcode.partition(".")[0]
            if not isinstance(target, Register) or name not in ("mov", "cvta") or isinstance(item, Call):
                continue
            if (
                uses.writer.get(target.name) is not item
                or target.name in maybe_uninitialized
                or target.name in self._results
            ):
                continue
            source = item.operands[1]
            if self._can_replace(item, target, source, uses, cxx_types):
                aliases[target.name] = source
        return aliases

    def _can_replace(
        self, item: Instruction, target: Register, source: Operand, uses: Uses, cxx_types: dict[str, Type]
    ) -> bool:
        if item.opcode.startswith("mov") and is_constant(source):
            return not isinstance(source, Special) or cxx_types[target.name].bits == 32
        if not isinstance(source, Register):
            return False
        target_type, source_type = cxx_types[target.name], cxx_types[source.name]
        maybe_uninitialized = self._live[self._graph.order[0]]
        source_is_invariant = (
            source.name not in uses.writes
            if source.name in self._parameters
            else source.name in uses.writer and source.name not in maybe_uninitialized
        )
        if item.opcode.startswith("cvta"):
            return source_is_invariant and target_type is POINTER and source_type is POINTER
        return (
            source_is_invariant
            and self._function.registers[target.name].bits == self._function.registers[source.name].bits
            and (target_type == source_type or _differ_in_sign(target_type, source_type))
        )

    def _count_reads(self, instructions: list[Instruction]) -> None:
        """Count the reads of an alias as reads of the register that it stands for."""
        ctx = self._ctx
        reads: dict[str, int] = {}
        for name, count in ctx.uses.reads.items():
            if name in ctx.aliases:
                source = ctx.resolved(Register(name))
                if isinstance(source, Register):
                    reads[source.name] = reads.get(source.name, 0) + count - 1
            reads[name] = reads.get(name, 0) + count
        ctx.uses.reads = reads

    # Emission.

    def _block(self, number: int) -> BlockCode:
        ctx = self._ctx
        ctx.statements = []
        block = self._graph.blocks[number]
        for item in grouped(block.instructions):
            target = item.operands[0] if item.operands else None
            if isinstance(target, Register) and target.name in ctx.aliases and ctx.uses.writer.get(target.name) is item:
                continue
            if id(item) in self._for_head_of:
                self._emit_for_head(item, self._for_head_of[id(item)])
            else:
                emit(ctx, item)
        condition, names, index = "", frozenset[str](), ""
        if block.condition is not None and number not in self._counted_latches:
            condition = ctx.value(block.condition, "pred")
        elif block.index is not None:
            index = ctx.value(block.index, "u32")
        names = frozenset(ctx.names)
        ctx.names = set()
        ctx.materialize_all()
        return BlockCode(ctx.statements, condition, names, block.negated, index)

    def _emit_for_head(self, item: Instruction, header: int) -> None:
        """Write an instruction into the head of a counted loop."""
        ctx, loop = self._ctx, self._counted_loops[header]
        type_, counter = loop.comparison.type, ctx.variable(loop.counter)
        head = self._heads.setdefault(header, ForHead(TYPES[type_].cxx, counter))
        names_before, ctx.names = ctx.names, set()
        if item is loop.init:
            head.init = ctx.value(item.operands[1], type_)
        elif item is loop.step:
            head.step = f"{counter} += {ctx.value(item.operands[2], type_)}"
        else:
            operator = CXX_OPERATORS[loop.comparison.operator]
            head.condition = f"{counter} {operator} {ctx.value(item.operands[2], type_)}"
        head.names |= ctx.names
        ctx.names = names_before

    def _statements(self, blocks: dict[int, BlockCode]) -> list[Statement | Scope]:
        result = next(iter(self._results), "")
        leave = (
            Statement(f"return {self._ctx.variable(result)};", frozenset({result})) if result else Statement("return;")
        )
        if self._graph.reducible and not self._plain:
            return structured_statements(self._nodes, blocks, leave, self._heads)
        live_across = frozenset(name for number in self._graph.order for name in self._live_variables(number))
        return dispatch_loop(self._graph, blocks, leave, live_across)

    def _live_variables(self, number: int) -> set[str]:
        """Return the live registers at the start of a block, with aliases replaced by their sources."""
        variables: set[str] = set()
        for name in self._live.get(number, ()):
            source = self._ctx.resolved(Register(name))
            if isinstance(source, Register):
                variables.add(source.name)
        return variables

    # Declarations.

    def _variable(self, name: str) -> tuple[str, str]:
        ctx = self._ctx
        parameter = ctx.in_memory.get(name)
        if parameter is not None:
            return passed_type(parameter, ctx.structs), ctx.variable(name)
        type_ = ctx.cxx_types[name]
        return type_.cxx, ctx.variable(name)

    def _named_parameters(self) -> list[Parameter]:
        """Return the parameters, each with a name."""
        return [
            parameter
            if parameter.name
            else Parameter(f"unnamed {index}", parameter.type, parameter.count, parameter.align)
            for index, parameter in enumerate(self._function.parameters)
        ]

    def _parameter_type(self, parameter: Parameter) -> str:
        ctx = self._ctx
        if parameter.name in ctx.in_memory or parameter.name not in ctx.cxx_types:
            return passed_type(parameter, ctx.structs)
        return ctx.cxx_types[parameter.name].cxx


def _differ_in_sign(one: Type, other: Type) -> bool:
    """Return whether the bits are the same number but for its sign, so that a cast reads one as the other."""
    return one.kind in _NUMBERS and other.kind in _NUMBERS and one.bits == other.bits >= _NARROWEST
