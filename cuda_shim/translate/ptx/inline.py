"""Inline PTX as C++: the small set that programs use, by the instructions of tables/device.yaml.

A statement becomes one expression, so that it fits wherever the asm statement stood. Registers are C++
variables; `cuda_shim/ptx.h` converts between the types that PTX sees in the same bits.
"""

from __future__ import annotations

import re
from typing import Any

from cuda_shim.mapping.text_tables import load_text
from cuda_shim.translate.assembly import Statement, Untranslatable

__all__ = ["to_expression"]

_TYPES = {
    "b8": "unsigned char", "u8": "unsigned char", "s8": "signed char",
    "b16": "unsigned short", "u16": "unsigned short", "s16": "short", "f16": "_Float16",
    "b32": "unsigned", "u32": "unsigned", "s32": "int", "f32": "float",
    "b64": "unsigned long long", "u64": "unsigned long long", "s64": "long long", "f64": "double",
    "pred": "bool",
}  # fmt: skip
_UNSIGNED = {"s8": "u8", "s16": "u16", "s32": "u32", "s64": "u64"}
_WIDER = {"s16": "s32", "u16": "u32", "s32": "s64", "u32": "u64"}
_NAMESPACE = "cuda_shim_ptx::"
# Instructions of AMD's own assembler, which portable sources keep beside PTX.
_AMD = re.compile(r"\s*(s|v|ds|buffer|global|flat|tbuffer|image|scratch)_")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INSTRUCTION = re.compile(
    r"(?:@(?P<negated>!?)(?P<guard>[%\w]+)\s+)?(?P<opcode>[a-z][\w.:]*)\s*(?P<operands>.*)", re.DOTALL
)
_REGISTERS = re.compile(r"\.reg\s*(?:\.v\d\s*)?\.(?P<type>\w+)\s+(?P<names>.+)", re.DOTALL)
_NUMBERED = re.compile(r"(%?\w+)<(\d+)>")
_NUMBER = re.compile(r"-?(0[xX][0-9a-fA-F]+|\d+)U?")
_FLOAT = re.compile(r"-?\d+\.\d*([eE][+-]?\d+)?|-?\d+[eE][+-]?\d+")
_BITS = re.compile(r"0([fFdD])([0-9a-fA-F]{8}(?:[0-9a-fA-F]{8})?)")
_PLACE = re.compile(r"\{(\d)(?::(\w+))?\}")


def to_expression(statement: Statement) -> str | None:
    """The C++ expression for an asm statement; None for one that may stay as it is.

    Raises Untranslatable with the reason, the instruction named.
    """
    template = _COMMENT.sub(" ", statement.template).strip()
    if not template or _AMD.match(template):
        return None
    return _Translator(statement).expression(template)


class _Translator:
    """The translation of one statement; knows its operands and the registers that it declares."""

    def __init__(self, statement: Statement) -> None:
        self._operands = statement.operands
        self._names = statement.names
        self._registers: dict[str, str] = {}
        self._table = load_text("device")["instructions"]
        self._specials = load_text("device")["registers"]

    def expression(self, template: str) -> str:
        declared: list[str] = []
        done: list[str] = []
        for part in template.split(";"):
            text = self._without_scope(part)
            if not text:
                continue
            registers = _REGISTERS.fullmatch(text)
            if registers is not None:
                declared.append(self._declare(registers["type"], registers["names"]))
            else:
                done.append(self._instruction(text))
        if not declared and len(done) == 1 and not done[0].startswith("if "):
            return f"({done[0]})"
        return "({ " + " ".join(f"{line};" for line in declared + done) + " })"

    def _without_scope(self, part: str) -> str:
        """An instruction without the braces of scopes around it; those of vectors stay."""
        text = part.strip()
        while text.startswith(("{", "}")):
            text = text[1:].strip()
        if text.count("}") > text.count("{"):
            text = text.removesuffix("}").strip()
        return text

    def _declare(self, kind: str, names: str) -> str:
        if kind not in _TYPES:
            raise Untranslatable(f"declares registers of type .{kind}, which have no counterpart in HIP")
        found: list[str] = []
        for name in (name.strip() for name in names.split(",")):
            numbered = _NUMBERED.fullmatch(name)
            found += [f"{numbered[1]}{i}" for i in range(int(numbered[2]))] if numbered else [name]
        for name in found:
            self._registers[name] = "cuda_shim_r_" + re.sub(r"\W", "_", name)
        return f"{_TYPES[kind]} " + ", ".join(self._registers[name] for name in found)

    def _instruction(self, text: str) -> str:
        match = _INSTRUCTION.fullmatch(text)
        if match is None:
            raise Untranslatable(f"'{text.split()[0]}' has no counterpart in HIP")
        opcode, operands = match["opcode"], _split(match["operands"])
        try:
            done = self._translated(opcode, operands)
        except IndexError:
            raise Untranslatable(f"'{opcode}' has too few operands") from None
        if match["guard"] is None:
            return done
        return f"if ({match['negated']}{self._register(match['guard'])}) {done}"

    def _translated(self, opcode: str, operands: list[str]) -> str:
        row, kind, source, vector, volatile = self._row(opcode)
        if "operands" in row and [row["operands"]] != operands:
            raise Untranslatable(f"'{opcode}' is translated with the operand {row['operands']} alone")
        if any("|" in operand for operand in operands):
            raise Untranslatable(f"'{opcode}' with two results has no counterpart in HIP")
        if "memory" in row:
            return self._memory(row["memory"], kind, vector, volatile, operands)
        if opcode.startswith("mov.") and any(operand.startswith("{") for operand in operands):
            return self._packed(opcode, kind, operands)
        if "do" in row:
            return self._filled(row["do"], kind, source, operands)
        value = self._filled(row["value"], kind, source, operands)
        if source != kind:
            value = f"({_TYPES[kind]})({value})"
        return f"{_NAMESPACE}put({self._register(operands[0])}, {value})"

    def _row(self, opcode: str) -> tuple[dict[str, Any], str, str, int, bool]:
        """An opcode's row, its type, the type of what it reads, its vector's length, whether it is volatile."""
        parts = opcode.split(".")
        row, rest = None, parts
        for count in range(len(parts), 0, -1):
            row = self._table.get(".".join(parts[:count]))
            if row is not None:
                rest = parts[count:]
                break
        if row is None:
            raise Untranslatable(f"'{opcode}' has no counterpart in HIP")
        if "refuse" in row:
            raise Untranslatable(f"'{opcode}': {row['refuse']}")
        kinds = rest[len(rest) - ("types" in row) - ("from" in row) :]
        flags = rest[: len(rest) - len(kinds)]
        vector = 1
        if "memory" in row and flags and flags[-1] in ("v2", "v4"):
            vector = int(flags.pop()[1])
        allowed = [row.get("types", ()), row.get("from", ())]
        unknown = [flag for flag in flags if flag not in row.get("modifiers", ())]
        unknown += [found for found, known in zip(kinds, allowed, strict=False) if found not in known]
        if unknown:
            raise Untranslatable(f"'{opcode}' has no counterpart in HIP, because of .{unknown[0]}")
        kind = kinds[0] if kinds else "b32"
        return row, kind, kinds[-1] if kinds else kind, vector, "volatile" in flags

    def _memory(self, what: str, kind: str, vector: int, volatile: bool, operands: list[str]) -> str:
        if what == "touch":
            return f"(void){self._address(operands[0], 'b8')}"
        pointer = f"{'volatile ' if volatile else ''}{_TYPES[kind]}*"
        registers = _elements(operands[0 if what == "load" else 1])
        if len(registers) != vector:
            raise Untranslatable(f"has {len(registers)} registers for a vector of {vector}")
        place = self._address(operands[1 if what == "load" else 0], kind)
        lines = []
        for i, register in enumerate(registers):
            if what == "load":
                lines.append(f"{_NAMESPACE}put({self._register(register)}, cuda_shim_at[{i}]);")
            else:
                lines.append(f"cuda_shim_at[{i}] = {self._value(register, kind)};")
        return f"({{ {pointer} cuda_shim_at = {place}; {' '.join(lines)} }})"

    def _packed(self, opcode: str, kind: str, operands: list[str]) -> str:
        """mov between one register and two of half its size."""
        half, size = {"b64": ("b32", 32), "b32": ("b16", 16)}.get(kind, ("", 0))
        unpacking = operands[0].startswith("{")
        parts = _elements(operands[0 if unpacking else 1])
        if len(parts) != 2 or not half:
            raise Untranslatable(f"'{opcode}' with such a vector has no counterpart in HIP")
        if unpacking:
            whole = self._value(operands[1], kind)
            low, high = (self._register(part) for part in parts)
            put = f"{_NAMESPACE}put"
            return (
                f"({{ {_TYPES[kind]} cuda_shim_whole = {whole}; {put}({low}, ({_TYPES[half]})cuda_shim_whole); "
                f"{put}({high}, ({_TYPES[half]})(cuda_shim_whole >> {size})); }})"
            )
        low, high = (f"({_TYPES[kind]}){self._value(part, half)}" for part in parts)
        return f"{_NAMESPACE}put({self._register(operands[0])}, {low} | ({high} << {size}))"

    def _filled(self, template: str, kind: str, source: str, operands: list[str]) -> str:
        def place(match: re.Match[str]) -> str:
            operand, form = operands[int(match[1])], match[2]
            if form == "address":
                return self._address(operand, kind)
            if form == "U":
                return self._value(operand, _UNSIGNED.get(source, source))
            if form == "W":
                return self._value(operand, _WIDER.get(source, source))
            return self._value(operand, form or source)

        return _PLACE.sub(place, template)

    def _value(self, operand: str, kind: str) -> str:
        """An operand as a value of a PTX type."""
        if operand.startswith("!"):
            return f"!{self._value(operand[1:].strip(), kind)}"
        bits = _BITS.fullmatch(operand)
        if bits is not None:
            whole = "float" if bits[1] in "fF" else "double"
            literal = f"0x{bits[2]}{'u' if whole == 'float' else 'ull'}"
            return f"{_NAMESPACE}as<{_TYPES[kind]}>({_NAMESPACE}as<{whole}>({literal}))"
        if _NUMBER.fullmatch(operand) or _FLOAT.fullmatch(operand):
            return f"({_TYPES[kind]}){operand.rstrip('U')}"
        return f"{_NAMESPACE}as<{_TYPES[kind]}>({self._register(operand)})"

    def _address(self, operand: str, kind: str) -> str:
        """`[register + offset]` as a pointer to a PTX type."""
        match = re.fullmatch(r"\[\s*([^\s+\]]+)\s*(?:\+\s*(-?\w+)\s*)?\]", operand)
        if match is None or (match[2] and not (_NUMBER.fullmatch(match[2]) or match[2] in self._registers)):
            raise Untranslatable(f"the address {operand} has no counterpart in HIP")
        return f"{_NAMESPACE}at<{_TYPES[kind]}>({self._register(match[1])}, {match[2] or 0})"

    def _register(self, name: str) -> str:
        """The C++ expression of a register: an operand, one that is declared, or a special one."""
        numbered = re.fullmatch(r"%(\d+)", name)
        if numbered is not None:
            return self._operands[int(numbered[1])]
        symbolic = re.fullmatch(r"%\[(\w+)\]", name)
        if symbolic is not None and symbolic[1] in self._names:
            return self._operands[self._names[symbolic[1]]]
        if name in self._registers:
            return self._registers[name]
        # A percent sign is doubled where the statement has operands.
        special = self._specials.get(name.lstrip("%"))
        if special is None or not name.startswith("%"):
            raise Untranslatable(f"'{name}' has no counterpart in HIP")
        return str(special)


def _split(text: str) -> list[str]:
    """Operands at the commas outside all brackets."""
    parts: list[str] = []
    depth, begin = 0, 0
    for at, character in enumerate(text):
        if character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[begin:at].strip())
            begin = at + 1
    parts.append(text[begin:].strip())
    return [part for part in parts if part]


def _elements(operand: str) -> list[str]:
    """The registers of a vector; a single one is a vector of one."""
    return _split(operand[1:-1]) if operand.startswith("{") else [operand]
