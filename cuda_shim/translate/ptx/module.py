"""A PTX module as the parser gives it: functions, variables, instructions and their operands, with types."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from cuda_shim.translate.ptx.errors import UnsupportedPtx
from cuda_shim.translate.ptx.types import Type

__all__ = [
    "SINK",
    "Address",
    "Call",
    "Function",
    "Group",
    "Immediate",
    "Instruction",
    "Label",
    "Module",
    "Negated",
    "Operand",
    "Parameter",
    "Register",
    "ResultPair",
    "Sink",
    "Special",
    "Symbol",
    "Variable",
    "Vector",
]


class Register(NamedTuple):
    """A declared register, by a name that is its own in the whole function."""

    name: str


class Special(NamedTuple):
    """A special register, without its percent sign: "tid.x"."""

    name: str


class Immediate(NamedTuple):
    """A number. `kind` is "int", "f32" or "f64"; of the latter two `value` holds the bits, else the number itself."""

    value: int
    kind: str


class Symbol(NamedTuple):
    """The address of a variable, parameter, function or label, plus an offset in bytes."""

    name: str
    offset: int


class Address(NamedTuple):
    """An address in brackets: a base and an offset in bytes; further operands for textures and surfaces."""

    base: Register | Symbol | Immediate
    offset: int
    coordinates: tuple[Operand, ...] = ()


class Vector(NamedTuple):
    """Operands in braces."""

    items: tuple[Operand, ...]


class ResultPair(NamedTuple):
    """Two results, `a|b`."""

    first: Operand
    second: Operand


class Negated(NamedTuple):
    """A negated predicate, `!p`."""

    of: Operand


class Group(NamedTuple):
    """Operands in parentheses, as calls have them."""

    items: tuple[Operand, ...]


class Sink(NamedTuple):
    """`_`: a result that is discarded."""


SINK = Sink()
Operand: TypeAlias = "Register | Special | Immediate | Symbol | Address | Vector | ResultPair | Negated | Group | Sink"


@dataclass
class Parameter:
    """A parameter or result of a function.

    Attributes:
        name: "" if a declaration gives none.
        type: the type of the whole, or of an element.
        count: the number of elements; None if it is no array.
        align: the alignment of its address, in bytes.
    """

    name: str
    type: Type
    count: int | None = None
    align: int = 0

    @property
    def size(self) -> int:
        """Bytes."""
        return self.type.size * (1 if self.count is None else self.count)


@dataclass
class Variable:
    """A variable of a module or a function.

    Attributes:
        space: "global", "const", "shared", "local" or "param".
        type: the type of an element.
        vector: the number of components of one element of the array.
        dimensions: the array's; () for a single element; a first one of 0 is given by the initialiser or the linker.
        align: the alignment of its address, in bytes.
        linkage: "", "extern", "visible", "weak" or "common".
        initial: its initialiser's items, nested ones in order; None if there is none.
    """

    name: str
    space: str
    type: Type
    vector: int
    dimensions: tuple[int, ...]
    align: int
    linkage: str
    initial: list[Operand] | None
    position: int

    @property
    def count(self) -> int:
        """The number of values of its type."""
        product = self.vector
        for dimension in self.dimensions:
            product *= dimension
        return product

    @property
    def size(self) -> int:
        """Bytes."""
        return self.type.size * self.count


@dataclass
class Instruction:
    """One instruction.

    Attributes:
        opcode: the opcode with its modifiers.
        guard: the predicate before it, None if there is none.
        guard_negated: True if it runs if the predicate is false.
    """

    opcode: str
    operands: tuple[Operand, ...]
    position: int
    guard: Register | None = None
    guard_negated: bool = False


@dataclass
class Call(Instruction):
    """A call: of a function by its name, or of one whose address a register holds, by a prototype."""

    target: Operand = SINK
    results: tuple[Operand, ...] = ()
    arguments: tuple[Operand, ...] = ()
    prototype: str = ""


@dataclass
class WarpGroup(Instruction):
    """Two or more operations of whole warps, of one form; the first one's opcode and position stand for all.

    Attributes:
        items: the operations in their order.
    """

    items: tuple[Instruction, ...] = ()


class Label(NamedTuple):
    """A place in a function's body."""

    name: str
    position: int


@dataclass
class Function:
    """A kernel (`entry`) or function; `body` is None if it is only declared.

    Attributes:
        registers: the type of each declared register by its own name.
        variables: the variables declared inside, parameters of calls included.
        tables: the labels of each `.branchtargets`.
        prototypes: the prototypes of `.callprototype`, by name: functions without a body.
        directives: the numbers behind `.maxntid` and its like.
    """

    name: str
    entry: bool
    linkage: str
    results: list[Parameter]
    parameters: list[Parameter]
    position: int
    body: list[Instruction | Label] | None = None
    registers: dict[str, Type] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    tables: dict[str, list[str]] = field(default_factory=dict)
    prototypes: dict[str, Function] = field(default_factory=dict)
    directives: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def new_register(self, prefix: str, type_: Type) -> Register:
        """Declare a register with an unused name: the prefix with a number behind it."""
        number = 1
        while f"{prefix}{number}" in self.registers:
            number += 1
        self.registers[f"{prefix}{number}"] = type_
        return Register(f"{prefix}{number}")


@dataclass
class Module:
    """The contents of one PTX text.

    Attributes:
        hosts_only: the reason why only host cores can run it, and no AMD GPU.
        images: the instructions that need image units, which some AMD GPUs lack.
        arrives_at_barrier_0: True if threads may arrive there without waiting.
    """

    version: tuple[int, int] = (0, 0)
    target: str = ""
    variables: dict[str, Variable] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    hosts_only: list[UnsupportedPtx] = field(default_factory=list)
    images: list[UnsupportedPtx] = field(default_factory=list)
    arrives_at_barrier_0: bool = False
