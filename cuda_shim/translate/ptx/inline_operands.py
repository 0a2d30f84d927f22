"""The operands and registers of one asm statement of inline PTX, as C++ expressions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cuda_shim.translate.assembly import Statement, Untranslatable, Wrong
from cuda_shim.translate.ptx.decoder import Mismatch
from cuda_shim.translate.ptx.instructions import Form, special
from cuda_shim.translate.ptx.register_types import expected_types, literal_fits, register_fits
from cuda_shim.translate.ptx.token_cursor import decimal
from cuda_shim.translate.ptx.types import TYPES, Type

__all__ = ["NAMESPACE", "InlineOperands", "elements", "number_of", "split"]

# The namespace of cuda_shim/ptx.h, which converts between the types that PTX sees in the same bits.
NAMESPACE = "cuda_shim_ptx::"
_DIRECTIVES_WITH_NUMBERS = re.compile(r"(%?\w+)<(\d+)>")
_NUMBER = re.compile(r"-?(0[xX][0-9a-fA-F]+|\d+)U?")
_FLOAT = re.compile(r"-?\d+\.\d*([eE][+-]?\d+)?|-?\d+[eE][+-]?\d+")
_BITS = re.compile(r"0([fFdD])([0-9a-fA-F]{8}(?:[0-9a-fA-F]{8})?)")
_IDENTIFIER = re.compile(r"[a-zA-Z][\w$]*|(?:[_$]|%%?)[\w$]+")
_MAX_REGISTERS = 65536
_KINDS = {"h": "b16", "r": "b32", "l": "b64", "f": "f32", "d": "f64", "q": "b128"}
# The types of the registers that NVIDIA's compilers make of operands.
_CONSTRAINT_TYPES = {letter: TYPES[kind] for letter, kind in _KINDS.items()}


class InlineOperands:
    """The operands of a statement, and the registers that it declares. Each method raises Untranslatable."""

    def __init__(self, statement: Statement) -> None:
        self._operands = statement.operands
        self._constraints = statement.constraints
        self._names = statement.names
        self._registers: dict[str, str] = {}
        self._types: dict[str, Type] = {}
        self._own_names: set[str] = set()  # those of the innermost scope
        self._outer_scopes: list[tuple[dict[str, str], dict[str, Type], set[str]]] = []
        self._cxx_names: set[str] = set()

    def declare(self, kind: str, names: str) -> str:
        """Return the C++ declaration of registers, `names` as after `.reg .type`."""
        if kind not in TYPES or TYPES[kind].kind == "packed":
            raise Untranslatable(f"declares registers of type .{kind}, which are not translated")
        register_names: list[str] = []
        for name in (name.strip() for name in names.split(",")):
            numbered = _DIRECTIVES_WITH_NUMBERS.fullmatch(name)
            if numbered is not None and decimal(numbered[2]) > _MAX_REGISTERS:
                raise Untranslatable(f"declares more than {_MAX_REGISTERS} registers")
            register_names += [f"{numbered[1]}{i}" for i in range(int(numbered[2]))] if numbered else [name]
        for name in register_names:
            if not _IDENTIFIER.fullmatch(name):
                raise Wrong(f"Parsing error near '{name}': syntax error")
            if name in self._own_names:
                raise Wrong(f"Duplicate definition of variable '{name}'")
            self._own_names.add(name)
            plain = cxx_name = "cuda_shim_r_" + re.sub(r"\W", "_", name)
            while cxx_name in self._cxx_names:
                cxx_name = f"{plain}_{len(self._cxx_names)}"
            self._cxx_names.add(cxx_name)
            self._types[name] = TYPES[kind]
            self._registers[name] = cxx_name
        return f"{TYPES[kind].cxx} " + ", ".join(self._registers[name] for name in register_names)

    def begin_scope(self) -> None:
        """Keep the registers that are declared from here on to the scope that begins."""
        self._outer_scopes.append((dict(self._registers), dict(self._types), self._own_names))
        self._own_names = set()

    def end_scope(self) -> bool:
        """Forget the registers of the scope that ends; return False if none has begun."""
        if not self._outer_scopes:
            return False
        self._registers, self._types, self._own_names = self._outer_scopes.pop()
        return True

    def value(self, operand: str, kind: str) -> str:
        """Return an operand as a value of a PTX type."""
        if kind not in TYPES:
            raise Untranslatable(f"'{operand}' as a {kind} is not translated")
        if operand.startswith("!"):
            return f"!{self.value(operand[1:].strip(), kind)}"
        bits = _BITS.fullmatch(operand)
        if bits is not None:
            float_type = "float" if bits[1] in "fF" else "double"
            literal = f"0x{bits[2]}{'u' if float_type == 'float' else 'ull'}"
            return f"{NAMESPACE}as<{TYPES[kind].cxx}>({NAMESPACE}as<{float_type}>({literal}))"
        if _NUMBER.fullmatch(operand) or _FLOAT.fullmatch(operand):
            return f"({TYPES[kind].cxx}){operand.rstrip('U')}"
        constraint = self._constraint(operand)
        checked = f", '{constraint}'" if constraint in _CONSTRAINT_TYPES else ""
        return f"{NAMESPACE}as<{TYPES[kind].cxx}{checked}>({self.register(operand)})"

    def constant(self, operand: str) -> str:
        """Return an integer that is known at compile time: a number, or an operand of constraint "n"."""
        return operand.rstrip("U") if _NUMBER.fullmatch(operand) else f"({self.register(operand)})"

    def address(self, operand: str, kind: str) -> str:
        """`[register + offset]` as a pointer to a PTX type."""
        match = re.fullmatch(r"\[\s*([^\s+\]]+)\s*(?:\+\s*(-?\w+)\s*)?\]", operand)
        if match is None or (match[2] and not (_NUMBER.fullmatch(match[2]) or match[2] in self._registers)):
            raise Untranslatable(f"the address {operand} is not translated")
        return f"{NAMESPACE}at<{TYPES[kind].cxx}>({self.register(match[1])}, {match[2] or 0})"

    def register(self, name: str) -> str:
        """Return the C++ expression of a register: an operand, one that is declared, or a special one."""
        numbered = re.fullmatch(r"%(\d+)", name)
        if numbered is not None:
            return self._operand(decimal(numbered[1]))
        symbolic = re.fullmatch(r"%\[(\w+)\]", name)
        if symbolic is not None and symbolic[1] in self._names:
            return self._operands[self._names[symbolic[1]]]
        if name in self._registers:
            return self._registers[name]
        # A percent sign is doubled if the statement has operands.
        text = special(name.lstrip("%")) if name.startswith("%") else None
        if text is None:
            raise Untranslatable(f"'{name}' is not translated")
        return text

    def _operand(self, number: int) -> str:
        if number >= len(self._operands):
            raise Untranslatable(f"has no operand %{number}")
        return self._operands[number]

    def shared(self, operand: str) -> str:
        """`[register + offset]`, an address of shared memory, as a pointer; programs keep 32 bits of it.

        Such an address may be the value of an operand as well.
        """
        match = re.fullmatch(r"\[?\s*([^\s+\]]+)\s*(?:\+\s*(-?\w+)\s*)?\]?", operand)
        if match is None or (match[2] and not _NUMBER.fullmatch(match[2])):
            raise Untranslatable(f"the address {operand} is not translated")
        return f"{NAMESPACE}shared_place({self.register(match[1])}, {match[2] or 0})"

    def put(self, register: str, value: str) -> str:
        """Return the C++ that gives a register a value; `_` is PTX's register for a value that is not kept."""
        register = register.strip()
        if register == "_":
            return f"(void)({value})"
        constraint = self._constraint(register)
        checked = f"<'{constraint}'>" if constraint in _CONSTRAINT_TYPES else ""
        return f"{NAMESPACE}put{checked}({self.register(register)}, {value})"

    def check(self, form: Form, operands: Sequence[str]) -> None:
        """Raise Mismatch unless the registers and numbers of an instruction are of the types that its form takes."""
        for place, (expected, operand) in enumerate(zip(expected_types(form), operands, strict=False)):
            if expected is None:
                continue
            first, _, second = operand.partition("|")
            if second and place == 0:
                self._check_one(form, TYPES["pred"], second.strip())
            for item in elements(first.strip()):
                self._check_one(form, expected, item)

    def _check_one(self, form: Form, expected: Type, operand: str) -> None:
        operand = operand.removeprefix("!").strip()
        type_ = self.type_of(operand)
        if type_ is not None:
            fits = register_fits(form, expected, type_)
        elif _BITS.fullmatch(operand) or _FLOAT.fullmatch(operand) or _NUMBER.fullmatch(operand):
            fits = literal_fits(expected, floating=_NUMBER.fullmatch(operand) is None)
        else:
            return
        if not fits:
            raise Mismatch(form.opcode)

    def type_of(self, name: str) -> Type | None:
        """Return the type of a register: one that is declared, an operand's by its constraint, or None."""
        return self._types.get(name) or _CONSTRAINT_TYPES.get(self._constraint(name))

    def _constraint(self, name: str) -> str:
        numbered = re.fullmatch(r"%(\d+)", name)
        if numbered is None or decimal(numbered[1]) >= len(self._constraints):
            return ""
        return self._constraints[decimal(numbered[1])]


def number_of(operand: str) -> int | None:
    """Return the value of an integer literal, None for a register."""
    if not _NUMBER.fullmatch(operand):
        return None
    text = operand.rstrip("U").lower()
    return int(text, 16) if "x" in text else decimal(text.lstrip("-")) * (-1 if text.startswith("-") else 1)


def split(text: str) -> list[str]:
    """Return operands at the commas outside all brackets."""
    parts: list[str] = []
    depth, begin = 0, 0
    for index, character in enumerate(text):
        if character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[begin:index].strip())
            begin = index + 1
    parts.append(text[begin:].strip())
    return [part for part in parts if part]


def elements(operand: str) -> list[str]:
    """Return the registers of a vector; a single one is a vector of one."""
    return split(operand[1:-1]) if operand.startswith("{") else [operand]
