"""The context in which an instruction is emitted: C++ names and types, and values that have no variable yet.

A value that is read once is deferred: its expression stands where it is read. Indices and addresses that depend only on
invariant values are rematerialized: their expression stands wherever they are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from cuda_shim.translate.ptx.cxx_statements import Scope, Statement
from cuda_shim.translate.ptx.def_use import Uses
from cuda_shim.translate.ptx.errors import PtxError, UnsupportedPtx
from cuda_shim.translate.ptx.instructions import special
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

__all__ = ["DeferredValue", "EmitContext"]

# Longer values get a variable. A name of any length counts as one word.
_MAX_WORDS = 30
_MAX_REMATERIALIZED_WORDS = 40
_WORD = re.compile(r"\w+")
_UNTRANSLATED_SPECIALS = (
    "pm", "envreg", "cluster", "ncluster", "is_explicit_cluster", "reserved_smem", "total_smem",
    "aggr_smem", "current_graph_exec",
)  # fmt: skip
_WIDE_SPECIALS = ("clock64", "globaltimer", "gridid")


@dataclass
class DeferredValue:
    """A value without a variable: its expression stands where it is read, and names these registers."""

    expression: Expression
    names: frozenset[str]


@dataclass
class EmitContext:
    """The state of a function's emission.

    Attributes:
        cxx_types: the C++ type of each register.
        aliases: the operand that replaces each register that is only a copy.
        in_memory: parameters and variables of call parameters that are memory of their own.
        deferred: values of the current block that are emitted where they are read.
        rematerialized: values that are recomputed wherever they are read: addresses that are sums of parameters,
            numbers and the thread's index.
        invariant: registers that have a variable and never change, such as a thread's index in the grid.
        statements: the statements of the current block so far.
        cxx_names: the C++ names of registers.
        names: the registers that the current statement names.
        position: the position of the current instruction.
        maybe_uninitialized: registers that may be read before they are written.
        requirements: requirements of the module's text: "cooperative_groups", names of functions.
    """

    module: Module
    function: Function
    error_at: Callable[[str, int], PtxError]
    unsupported_at: Callable[[str, int], UnsupportedPtx]
    uses: Uses
    cxx_types: dict[str, Type]
    aliases: dict[str, Operand]
    parameters: set[str]
    in_memory: dict[str, Parameter]
    reserved_names: frozenset[str]
    requirements: set[str]
    maybe_uninitialized: set[str]
    structs: dict[tuple[int, int], str]
    deferred: dict[str, DeferredValue] = field(default_factory=dict)
    rematerialized: dict[str, DeferredValue] = field(default_factory=dict)
    invariant: set[str] = field(default_factory=set)
    statements: list[Statement | Scope] = field(default_factory=list)
    cxx_names: dict[str, str] = field(default_factory=dict)
    _used_cxx_names: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    position: int = 0

    def resolved(self, operand: Operand) -> Operand:
        """Return the operand at the end of a chain of aliases."""
        while isinstance(operand, Register) and operand.name in self.aliases:
            operand = self.aliases[operand.name]
        return operand

    def variable(self, name: str) -> str:
        """Return the C++ name of a register: unique, even if the names differ only in characters that C++ lacks."""
        name_in_cxx = self.cxx_names.get(name)
        if name_in_cxx is None:
            name_in_cxx = plain = name_of_register(name, self.reserved_names)
            number = 1
            while name_in_cxx in self._used_cxx_names:
                number += 1
                name_in_cxx = f"{plain}_{number}"
            self.cxx_names[name] = name_in_cxx
            self._used_cxx_names.add(name_in_cxx)
        return name_in_cxx

    def expression(self, operand: Operand) -> Expression:
        """Return an operand as it is; numbers have no type of their own and get 64 bits."""
        operand = self.resolved(operand)
        if isinstance(operand, Register):
            deferred = self.deferred.pop(operand.name, None)
            if deferred is not None:
                self.names |= deferred.names
                return deferred.expression
            rematerialized = self.rematerialized.get(operand.name)
            if rematerialized is not None:
                self.names |= rematerialized.names
                return rematerialized.expression
            self.names.add(operand.name)
            return Expression(self.variable(operand.name), self.cxx_types[operand.name])
        if isinstance(operand, Special):
            text = special(operand.name)
            if text is None:
                if operand.name.startswith(_UNTRANSLATED_SPECIALS):
                    raise UnsupportedPtx(f"the special register '%{operand.name}' is not translated")
                raise PtxError(f"Unknown symbol '%{operand.name}'")
            return Expression(text, TYPES["u64" if operand.name in _WIDE_SPECIALS else "u32"])
        if isinstance(operand, Symbol):
            return Expression(self.symbol(operand), POINTER)
        if isinstance(operand, Immediate):
            return Expression(literal(operand, TYPES["s64"]), TYPES["s64"])
        raise PtxError("unexpected kind of operand")

    def value(self, operand: Operand, type_name: str) -> str:
        """Return an operand as C++ of a PTX type ("pointer" for an address), fit for any place in an expression.

        A type that begins with `*` needs only the bits, so a number may have either sign.
        """
        if isinstance(operand, Negated):
            return f"!{self.value(operand.of, 'pred')}"
        any_sign = type_name.startswith("*")
        target = POINTER if type_name == "pointer" else TYPES[type_name.lstrip("*")]
        operand = self.resolved(operand)
        if isinstance(operand, Immediate):
            return literal(operand, target)
        expression = self.expression(operand)
        if any_sign and expression.type.kind in ("signed", "unsigned", "bits") and expression.type.bits == target.bits:
            return expression.primary
        if expression.type is POINTER and target.bits == 32 and target.is_number:
            return f"(({target.cxx})(unsigned long long){expression.primary})"
        return converted(expression, target)

    def symbol(self, operand: Symbol) -> str:
        """Return the address of a symbol as `char*`."""
        name, function = operand.name, self.function
        if name in self.in_memory:
            self.names.add(name)
            base = f"(char*)&{self.variable(name)}"
        elif name in function.variables or name in self.module.variables:
            base = f"(char*){name_of_symbol(self._unique_symbol(name))}"
        elif name in self.module.functions:
            self.requirements.add(name)
            base = f"(char*)(void*)&{name_of_symbol(name)}"
        else:
            raise PtxError(f"Unknown symbol '{name}'")
        if operand.offset:
            return f"({base} {'-' if operand.offset < 0 else '+'} {abs(operand.offset)})"
        return f"({base})"

    def shared_bases(self) -> list[str]:
        """Return addresses that shared memory is near to: a static variable and the dynamic one, if there are any."""
        shared = [
            variable
            for variable in (*self.function.variables.values(), *self.module.variables.values())
            if variable.space == "shared"
        ]
        static = next((variable for variable in shared if variable.size), None)
        dynamic = next((variable for variable in shared if not variable.size), None)
        bases = [self.symbol(Symbol(variable.name, 0)) for variable in (static, dynamic) if variable is not None]
        if not bases:
            self.requirements.add("dynamic_shared")
            bases = ["(char*)cuda_shim_ptx_dynamic"]
        return bases

    @cached_property
    def narrow_local_base(self) -> str:
        """The address of the function's local memory where its PTX keeps the low 32 bits of such addresses, else ""."""
        return self._narrow_base({name for name, each in self.function.variables.items() if each.space == "local"})

    @cached_property
    def narrow_param_base(self) -> str:
        """The address of a parameter where the function's PTX keeps the low 32 bits of such addresses, else ""."""
        return self._narrow_base(set(self.in_memory))

    def _narrow_base(self, names: set[str]) -> str:
        """Return the address of one of some variables if 32 bits of an address of any of them are kept, else ""."""
        for item in self.function.body or () if names else ():
            if isinstance(item, Instruction) and item.opcode.partition(".")[0] == "mov" and len(item.operands) == 2:
                target, source = item.operands
                is_one = isinstance(source, Symbol) and source.name in names
                if is_one and isinstance(target, Register) and self.function.registers[target.name].bits == 32:
                    return self.symbol(Symbol(min(names), 0))
        return ""

    def _unique_symbol(self, name: str) -> str:
        return f"{self.function.name}_{name}" if name in self.function.variables else name

    # Statements.

    def only_on_hosts(self, reason: str, position: int) -> None:
        """Record why an AMD GPU cannot run the instruction at a place, which host cores can."""
        self.module.hosts_only.append(self.unsupported_at(reason, position))

    def needs_images(self, opcode: str, position: int) -> None:
        """Record that the instruction at a place needs a GPU with image units, or host cores."""
        self.module.images.append(self.unsupported_at(f"'{opcode}' needs image units", position))

    @contextmanager
    def scope(self, head: str = "", names: frozenset[str] = frozenset()) -> Iterator[None]:
        """Put braces around the statements emitted meanwhile, with the head and its registers before them."""
        outer, self.statements = self.statements, []
        yield
        body, self.statements = self.statements, outer
        self.statements.append(Scope(head, body, names))

    def add(self, text: str) -> None:
        """Write a statement that gives no register a value."""
        self.statements.append(Statement(text, frozenset(self.names)))
        self.names = set()

    def assign(self, register: Operand, value: Expression) -> None:
        """Give a register a value of the type it has."""
        if not isinstance(register, Register):
            self.add(f"(void){value.primary};")
            return
        target = self.cxx_types[register.name]
        text = _assigned(value, target)
        self.materialize_readers(register.name)
        self.statements.append(Statement(text, frozenset(self.names), register.name))
        self.names = set()

    def is_invariant(self, operand: Operand) -> bool:
        """Return whether an operand keeps one value for a thread's whole life and can be emitted anywhere."""
        operand = self.resolved(operand)
        if isinstance(operand, Register):
            is_constant_parameter = operand.name in self.parameters and operand.name not in self.uses.writes
            return is_constant_parameter or operand.name in self.rematerialized or operand.name in self.invariant
        return is_constant(operand)

    def defer(self, register: Register, value: Expression, *, rematerialize: bool = False) -> None:
        """Put a value where it is read, if there is one such place and it is not too long; else give it a variable."""
        target = self.cxx_types[register.name]
        text = (
            converted(value, target)
            if value.type.bits != target.bits or (target.kind != "signed" and target.kind != "unsigned")
            else value.text
        )
        if len(_WORD.findall(text)) > (_MAX_REMATERIALIZED_WORDS if rematerialize else _MAX_WORDS):
            self.assign(register, value)
            return
        same_width = (
            value.type.kind in ("signed", "unsigned", "bits")
            and target.kind in ("signed", "unsigned")
            and value.type.bits == target.bits
        )
        expression = Expression(text, target, exact=not same_width or (value.exact and value.type.cxx == target.cxx))
        if rematerialize:
            self.rematerialized[register.name] = DeferredValue(expression, frozenset(self.names))
            self.names = set()
            return
        self.materialize_readers(register.name)
        self.deferred[register.name] = DeferredValue(expression, frozenset(self.names))
        self.names = set()

    def materialize_readers(self, register: str) -> None:
        """Give values that read a register their variables before the register is written."""
        for name in [name for name, value in self.deferred.items() if register in value.names]:
            value = self.deferred.pop(name)
            self.statements.append(Statement(_assigned(value.expression, self.cxx_types[name]), value.names, name))

    def materialize(self, name: str) -> None:
        """Give a value that is read more than once its variable."""
        value = self.deferred.pop(name, None)
        if value is not None:
            self.statements.append(Statement(_assigned(value.expression, self.cxx_types[name]), value.names, name))

    def materialize_all(self) -> None:
        """Give all values that were not read in their block variables."""
        for name, value in self.deferred.items():
            self.statements.append(Statement(_assigned(value.expression, self.cxx_types[name]), value.names, name))
        self.deferred = {}


def _assigned(value: Expression, target: Type) -> str:
    """Return the text that is assigned to a variable: C++ converts numbers implicitly."""
    numbers = ("signed", "unsigned", "bits", "packed")
    if value.type.kind in numbers and target.kind in numbers:
        return value.text
    if value.type.kind == "predicate" and target.kind in numbers:
        return value.text
    if value.type == target:
        return value.text
    return converted(value, target)
