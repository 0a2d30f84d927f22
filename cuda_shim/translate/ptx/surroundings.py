"""The context in which an instruction is written: names, types, and values without a variable of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from cuda_shim.translate.ptx.errors import PtxError, UnsupportedPtx
from cuda_shim.translate.ptx.flow import Uses
from cuda_shim.translate.ptx.instructions import special
from cuda_shim.translate.ptx.lines import Line, Scope
from cuda_shim.translate.ptx.module import (
    Function,
    Immediate,
    Instruction,
    Module,
    Negated,
    Operand,
    Parameter,
    Register,
    Special,
    Symbol,
)
from cuda_shim.translate.ptx.types import POINTER, TYPES, Type
from cuda_shim.translate.ptx.values import Expression, converted, is_constant, literal, name_of_register, name_of_symbol

__all__ = ["Pending", "Surroundings"]

# Longer values get a variable. A name of any length counts as one word.
_MOST_WORDS = 30
_MOST_WORDS_AGAIN = 40
_WORD = re.compile(r"\w+")
_KNOWN_SPECIALS = (
    "pm", "envreg", "cluster", "ncluster", "is_explicit_cluster", "reserved_smem", "total_smem",
    "aggr_smem", "current_graph_exec",
)  # fmt: skip
_GPU_SPECIALS = ("smid", "nsmid")
_WIDE_SPECIALS = ("clock64", "globaltimer", "gridid")


@dataclass
class Pending:
    """A value that is written where it is read, and the registers that it names."""

    expression: Expression
    names: frozenset[str]


@dataclass
class Surroundings:
    """A function that is being written.

    Attributes:
        kinds: the C++ type of each register.
        aliases: the operand that replaces each register that is only a copy.
        in_memory: parameters and variables of call parameters that are memory of their own.
        pending: values of the current block that have not been written yet.
        again: values that are recomputed wherever they are read: addresses that are sums of parameters, numbers and
            the thread's index.
        steady: registers that have a variable and never change, such as a thread's index in the grid.
        lines: the statements of the current block so far.
        given_names: the C++ names of registers.
        names: the registers that the current statement names.
        place: the position of the current instruction.
        early: registers that may be read before they are written.
        needs: requirements of the module's text: "cooperative_groups", names of functions.
    """

    module: Module
    function: Function
    error_at: Callable[[str, int], PtxError]
    unsupported_at: Callable[[str, int], UnsupportedPtx]
    uses: Uses
    kinds: dict[str, Type]
    aliases: dict[str, Operand]
    parameters: set[str]
    in_memory: dict[str, Parameter]
    taken: frozenset[str]
    needs: set[str]
    early: set[str]
    structs: dict[tuple[int, int], str]
    pending: dict[str, Pending] = field(default_factory=dict)
    again: dict[str, Pending] = field(default_factory=dict)
    steady: set[str] = field(default_factory=set)
    lines: list[Line | Scope] = field(default_factory=list)
    given_names: dict[str, str] = field(default_factory=dict)
    _given: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    place: int = 0

    def resolved(self, operand: Operand) -> Operand:
        """Return the operand at the end of a chain of aliases."""
        while isinstance(operand, Register) and operand.name in self.aliases:
            operand = self.aliases[operand.name]
        return operand

    def variable(self, name: str) -> str:
        """Return the C++ name of a register: unique, even if the names differ only in characters that C++ lacks."""
        known = self.given_names.get(name)
        if known is None:
            known = plain = name_of_register(name, self.taken)
            number = 1
            while known in self._given:
                number += 1
                known = f"{plain}_{number}"
            self.given_names[name] = known
            self._given.add(known)
        return known

    def expression(self, operand: Operand) -> Expression:
        """Return an operand as it is; numbers have no type of their own and are given 64 bits."""
        operand = self.resolved(operand)
        if isinstance(operand, Register):
            pending = self.pending.pop(operand.name, None)
            if pending is not None:
                self.names |= pending.names
                return pending.expression
            again = self.again.get(operand.name)
            if again is not None:
                self.names |= again.names
                return again.expression
            self.names.add(operand.name)
            return Expression(self.variable(operand.name), self.kinds[operand.name])
        if isinstance(operand, Special):
            text = special(operand.name)
            if text is None:
                if operand.name.startswith(_KNOWN_SPECIALS):
                    raise UnsupportedPtx(f"the special register '%{operand.name}' is not translated")
                raise PtxError(f"Unknown symbol '%{operand.name}'")
            if operand.name in _GPU_SPECIALS:
                reason = f"the special register '%{operand.name}' has no counterpart on host cores"
                self.module.gpus_only.append(self.unsupported_at(reason, self.place))
            return Expression(text, TYPES["u64" if operand.name in _WIDE_SPECIALS else "u32"])
        if isinstance(operand, Symbol):
            return Expression(self.symbol(operand), POINTER)
        if isinstance(operand, Immediate):
            return Expression(literal(operand, TYPES["s64"]), TYPES["s64"])
        raise PtxError("an operand that does not fit here")

    def value(self, operand: Operand, wanted: str) -> str:
        """Return an operand as C++ of a PTX type ("pointer" for an address), fit for any place in an expression.

        A type that begins with `*` needs only the bits, so a number may have either sign.
        """
        if isinstance(operand, Negated):
            return f"!{self.value(operand.of, 'pred')}"
        either = wanted.startswith("*")
        want = POINTER if wanted == "pointer" else TYPES[wanted.lstrip("*")]
        operand = self.resolved(operand)
        if isinstance(operand, Immediate):
            return literal(operand, want)
        have = self.expression(operand)
        if either and have.type.kind in ("signed", "unsigned", "bits") and have.type.bits == want.bits:
            return have.primary
        if have.type is POINTER and want.bits == 32 and want.is_number:
            return f"(({want.cxx})(unsigned long long){have.primary})"
        return converted(have, want)

    def symbol(self, operand: Symbol) -> str:
        """Return the address of a symbol as `char*`."""
        name, function = operand.name, self.function
        if name in self.in_memory:
            self.names.add(name)
            base = f"(char*)&{self.variable(name)}"
        elif name in function.variables or name in self.module.variables:
            base = f"(char*){name_of_symbol(self._own_name(name))}"
        elif name in self.module.functions:
            self.needs.add(name)
            base = f"(char*)(void*)&{name_of_symbol(name)}"
        else:
            raise PtxError(f"Unknown symbol '{name}'")
        if operand.offset:
            return f"({base} {'-' if operand.offset < 0 else '+'} {abs(operand.offset)})"
        return f"({base})"

    def shared_bases(self) -> list[str]:
        """Return addresses that shared memory is near to: a static variable and the dynamic one, if there are any."""
        found = [
            variable
            for variable in (*self.function.variables.values(), *self.module.variables.values())
            if variable.space == "shared"
        ]
        static = next((variable for variable in found if variable.size), None)
        dynamic = next((variable for variable in found if not variable.size), None)
        bases = [self.symbol(Symbol(variable.name, 0)) for variable in (static, dynamic) if variable is not None]
        if not bases:
            self.needs.add("dynamic_shared")
            bases = ["(char*)cuda_shim_ptx_dynamic"]
        return bases

    @cached_property
    def narrow_local_base(self) -> str:
        """The address of the function's local memory where its PTX keeps the low 32 bits of such addresses, else ""."""
        local = {variable.name for variable in self.function.variables.values() if variable.space == "local"}
        for item in self.function.body or () if local else ():
            if isinstance(item, Instruction) and item.opcode.partition(".")[0] == "mov" and len(item.operands) == 2:
                target, source = item.operands
                is_local = isinstance(source, Symbol) and source.name in local
                if is_local and isinstance(target, Register) and self.function.registers[target.name].bits == 32:
                    return self.symbol(Symbol(min(local), 0))
        return ""

    def _own_name(self, name: str) -> str:
        return f"{self.function.name}_{name}" if name in self.function.variables else name

    # Statements.

    def only_on_hosts(self, reason: str, place: int) -> None:
        """Record why an AMD GPU cannot run the instruction at a place, which host cores can."""
        self.module.hosts_only.append(self.unsupported_at(reason, place))

    def needs_images(self, opcode: str, place: int) -> None:
        """Record that the instruction at a place needs a GPU with image units, or host cores."""
        self.module.images.append(self.unsupported_at(f"'{opcode}' needs image units", place))

    @contextmanager
    def scope(self, head: str = "", names: frozenset[str] = frozenset()) -> Iterator[None]:
        """Put braces around the statements written meanwhile, with the head and its registers before them."""
        outer, self.lines = self.lines, []
        yield
        body, self.lines = self.lines, outer
        self.lines.append(Scope(head, body, names))

    def add(self, text: str) -> None:
        """Write a statement that gives no register a value."""
        self.lines.append(Line(text, frozenset(self.names)))
        self.names = set()

    def assign(self, register: Operand, value: Expression) -> None:
        """Give a register a value of the type it has."""
        if not isinstance(register, Register):
            self.add(f"(void){value.primary};")
            return
        want = self.kinds[register.name]
        text = _assigned(value, want)
        self.settle(register.name)
        self.lines.append(Line(text, frozenset(self.names), register.name))
        self.names = set()

    def is_stable(self, operand: Operand) -> bool:
        """Return whether an operand keeps one value for a thread's whole life and can be written anywhere."""
        operand = self.resolved(operand)
        if isinstance(operand, Register):
            own = operand.name in self.parameters and operand.name not in self.uses.writes
            return own or operand.name in self.again or operand.name in self.steady
        return is_constant(operand)

    def postpone(self, register: Register, value: Expression, *, again: bool = False) -> None:
        """Put a value where it is read, if there is one such place and it is not too long; else give it a variable."""
        want = self.kinds[register.name]
        text = (
            converted(value, want)
            if value.type.bits != want.bits or (want.kind != "signed" and want.kind != "unsigned")
            else value.text
        )
        if len(_WORD.findall(text)) > (_MOST_WORDS_AGAIN if again else _MOST_WORDS):
            self.assign(register, value)
            return
        same = (
            value.type.kind in ("signed", "unsigned", "bits")
            and want.kind in ("signed", "unsigned")
            and value.type.bits == want.bits
        )
        expression = Expression(text, want, exact=not same or (value.exact and value.type.cxx == want.cxx))
        if again:
            self.again[register.name] = Pending(expression, frozenset(self.names))
            self.names = set()
            return
        self.settle(register.name)
        self.pending[register.name] = Pending(expression, frozenset(self.names))
        self.names = set()

    def settle(self, written: str) -> None:
        """Give values that read a register their variables before the register is written."""
        for name in [name for name, found in self.pending.items() if written in found.names]:
            found = self.pending.pop(name)
            self.lines.append(Line(_assigned(found.expression, self.kinds[name]), found.names, name))

    def settle_one(self, name: str) -> None:
        """Give a value that is read more than once its variable."""
        found = self.pending.pop(name, None)
        if found is not None:
            self.lines.append(Line(_assigned(found.expression, self.kinds[name]), found.names, name))

    def settle_all(self) -> None:
        """Give all values that were not read in their block variables."""
        for name, found in self.pending.items():
            self.lines.append(Line(_assigned(found.expression, self.kinds[name]), found.names, name))
        self.pending = {}


def _assigned(value: Expression, want: Type) -> str:
    """Return the text that is assigned to a variable: C++ converts numbers implicitly."""
    numbers = ("signed", "unsigned", "bits", "packed")
    if value.type.kind in numbers and want.kind in numbers:
        return value.text
    if value.type.kind == "predicate" and want.kind in numbers:
        return value.text
    if value.type == want:
        return value.text
    return converted(value, want)
