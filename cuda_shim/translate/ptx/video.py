"""The video instructions: arithmetic on selected bytes and halves of registers.

Their operands have selectors (`%r1.b0`) and signs (`-%r1`), which belong to the form as the modifiers do. So the opcode
of such an instruction is written with them: `vadd.s32.u32.s32.sat d.h0, a.b1, b, c`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cuda_shim.mapping.text_tables import load_text
from cuda_shim.translate.ptx.types import TYPES

__all__ = ["InvalidVideo", "VideoOperand", "is_video", "opcode_with_operands", "video_operand", "video_value"]

_LETTERS = "dabc"
_OPERAND = re.compile(r"(?P<sign>-?)\s*(?P<register>.*?)(?P<selector>\.[bh][0-7]{1,4})?")
# The first bit of each part of a register, and its bits.
_SCALAR_SELECTORS = {
    "": (0, 32), "b0": (0, 8), "b1": (8, 8), "b2": (16, 8), "b3": (24, 8), "h0": (0, 16), "h1": (16, 16),
}  # fmt: skip
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_MODES = ("clamp", "wrap")
_SECONDARY = {"add": "", "min": "lesser", "max": "greater"}
_SCALES = {"shr7": 7, "shr15": 15}
_SHIFTS = ("vshl", "vshr")
# NVIDIA's compilers compare the low words of sums, and all bits of other results, with the third operand.
_COMPARED_BY_LOW_WORD = ("vadd", "vsub")
_NAMESPACE = "cuda_shim_ptx::video_"


class InvalidVideo(Exception):
    """A video instruction is not PTX; the message gives the reason."""


class VideoOperand(NamedTuple):
    """An operand's text without its sign and selector, and these two."""

    text: str
    sign: str
    selector: str


@functools.cache
def _names() -> frozenset[str]:
    return frozenset(name for name, row in load_text("ptx")["instructions"].items() if "video" in row)


def is_video(opcode: str) -> bool:
    """Return whether an opcode, with its modifiers or without, is a video instruction's."""
    return opcode.startswith("v") and opcode.partition(".")[0] in _names()


def video_operand(text: str) -> VideoOperand:
    """Return the parts of an operand; a negative number is one whole."""
    match = _OPERAND.fullmatch(text)
    if match is None or match["register"][:1].isdigit():
        return VideoOperand(text, "", "")
    return VideoOperand(match["register"], match["sign"], match["selector"] or "")


def opcode_with_operands(opcode: str, operands: Sequence[VideoOperand]) -> str:
    """Return the opcode of a form: with the signs and selectors of the operands."""
    letters = _LETTERS.ljust(len(operands), "e")
    marked = (f"{operand.sign}{letter}{operand.selector}" for letter, operand in zip(letters, operands, strict=False))
    return f"{opcode} {', '.join(marked)}"


@dataclass
class _Instruction:
    """A video instruction in its parts.

    Attributes:
        types: the result's, if the opcode has one, and those of two sources.
        flags: its other modifiers.
        operands: the parts of each, in order.
    """

    opcode: str
    types: list[str]
    flags: list[str]
    operands: list[VideoOperand]

    @property
    def name(self) -> str:
        return self.opcode.partition(".")[0]

    def selector(self, number: int) -> str:
        return self.operands[number].selector.lstrip(".") if number < len(self.operands) else ""

    def invalid(self, reason: str) -> InvalidVideo:
        return InvalidVideo(f"{reason} for instruction '{self.name}'")


def video_value(text: str, row: dict[str, str]) -> tuple[str, str]:
    """Return an instruction's value, C++ with places for its operands, and the type of its result.

    `text` is its opcode with signs and selectors, `row` its row of the table. Raises InvalidVideo.
    """
    opcode, _, operands = text.partition(" ")
    _, *parts = opcode.split(".")
    types = [part for part in parts if part in ("u32", "s32")]
    flags = [part for part in parts if part not in types]
    instruction = _Instruction(opcode, types, flags, [video_operand(operand) for operand in operands.split(", ")])
    choice = _checked(instruction, row)
    if len(types) == 2:
        types.insert(0, "u32")
    function = _NAMESPACE + row["value"].replace("{choice}", choice)
    if row["video"] == "scalar":
        return _scalar(instruction, function), types[0]
    if row["video"] == "multiply":
        return _multiply(instruction, function)
    return _lanes(instruction, function, 16 if row["video"] == "halves" else 8), types[0]


def _checked(instruction: _Instruction, row: dict[str, str]) -> str:
    """Check types, modifiers and operands; return the comparison or mode."""
    allowed = row.get("modifiers", ())
    for flag in instruction.flags:
        if flag not in allowed or instruction.flags.count(flag) > 1:
            raise instruction.invalid(f"Illegal modifier '.{flag}'")
    _check_types(instruction, row)
    _check_operands(instruction, row)
    secondary = [flag for flag in instruction.flags if flag in _SECONDARY]
    if len(secondary) > 1 or (row["video"] in ("halves", "bytes") and secondary and "sat" in instruction.flags):
        raise instruction.invalid("Illegal combination of modifiers")
    for group in (_COMPARISONS, _MODES):
        if group[0] in allowed:
            choices = [flag for flag in instruction.flags if flag in group]
            if len(choices) != 1:
                raise instruction.invalid(f"One of .{', .'.join(group)} is required")
            return choices[0]
    return ""


def _check_types(instruction: _Instruction, row: dict[str, str]) -> None:
    """Check the types: comparisons name those of two sources alone, and shifts count by an unsigned number."""
    allowed, types = row.get("modifiers", ()), instruction.types
    is_shift = _MODES[0] in allowed
    if len(types) != (2 if _COMPARISONS[0] in allowed else 3) or (is_shift and types[2] != "u32"):
        raise instruction.invalid("Unexpected instruction types specified")


def _check_operands(instruction: _Instruction, row: dict[str, str]) -> None:
    """Check the number of operands and their signs: factors or the addend of a product may be negated."""
    signs = "".join(operand.sign or "+" for operand in instruction.operands)
    if signs.startswith("-") or not 3 <= len(signs) <= 4:
        raise instruction.invalid("Arguments mismatch")
    negations = ("++++", "+-++", "++-+", "+--+", "+++-")
    if "-" in signs and (row["video"] != "multiply" or "po" in instruction.flags or signs not in negations):
        raise instruction.invalid("Operand negation not allowed")


# One number of each source.


def _part(instruction: _Instruction, number: int) -> str:
    """Return the selected part of a source, as a number of 64 bits."""
    type_ = instruction.types[number]
    selector = instruction.selector(number)
    if selector not in _SCALAR_SELECTORS:
        raise instruction.invalid(f"Incorrect video selector for operand {number}")
    offset, bits = _SCALAR_SELECTORS[selector]
    if bits == 32:
        return f"(long long){{{number}:{type_}}}"
    return f"{_NAMESPACE}part<{TYPES[type_].cxx}, {offset}, {bits}>({{{number}:{type_}}})"


def _scalar(instruction: _Instruction, function: str) -> str:
    """Return an operation on a part of each source, with a secondary operation, or put into a part of the third."""
    flags = instruction.flags
    merged, secondary = instruction.selector(0), next((flag for flag in flags if flag in _SECONDARY), "")
    has_third = len(instruction.operands) == 4
    if merged not in _SCALAR_SELECTORS or (merged and (secondary or not has_third)):
        raise instruction.invalid("Video selector is not allowed on destination")
    if (secondary and not has_third) or instruction.selector(3):
        raise instruction.invalid("Arguments mismatch")
    cxx = TYPES[instruction.types[0]].cxx
    offset, bits = _SCALAR_SELECTORS[merged]
    exact = f"{function}::of({_part(instruction, 1)}, {_part(instruction, 2)})"
    is_saturated_shift = "sat" in flags and instruction.name in _SHIFTS
    if is_saturated_shift:
        exact = f"{_NAMESPACE}limited_shift<{cxx}>({exact})"
    elif "sat" in flags:
        exact = f"{_NAMESPACE}limited<{cxx}, {bits}>({exact})"
    if merged:
        return f"({cxx}){_NAMESPACE}merged<{offset}, {bits}>({exact}, {{3:b32}})"
    if secondary == "add":
        return f"({cxx})((unsigned)({exact}) + {{3:b32}})"
    if secondary:
        if is_saturated_shift or instruction.name in _COMPARED_BY_LOW_WORD:
            exact = f"(int)({exact})"
        compared = TYPES[instruction.types[1 if instruction.name == "vset" else 0]].cxx
        return f"({cxx}){_NAMESPACE}{_SECONDARY[secondary]}<{compared}>({exact}, {{3:b32}})"
    return f"({cxx})({exact})"


def _multiply(instruction: _Instruction, function: str) -> tuple[str, str]:
    """Return a product with a sum, and the type of the result: signed where a source or a negation is."""
    if instruction.selector(0) or instruction.selector(3):
        raise instruction.invalid("Video selector is not allowed on destination")
    if len(instruction.operands) != 4:
        raise instruction.invalid("Arguments mismatch")
    flags = instruction.flags
    scales = [_SCALES[flag] for flag in flags if flag in _SCALES]
    if len(scales) > 1:
        raise instruction.invalid("Illegal combination of modifiers")
    negative_product = (instruction.operands[1].sign == "-") != (instruction.operands[2].sign == "-")
    negative_sum = instruction.operands[3].sign == "-"
    is_signed = "s32" in instruction.types[1:] or negative_product or negative_sum
    result = "s32" if is_signed else "u32"
    arguments = (
        TYPES[result].cxx, _true(negative_product), _true(negative_sum), _true("po" in flags), _true("sat" in flags),
        scales[0] if scales else 0,
    )  # fmt: skip
    parts = f"{_part(instruction, 1)}, {_part(instruction, 2)}"
    return f"({TYPES[result].cxx}){function}<{', '.join(map(str, arguments))}>({parts}, {{3:{result}}})", result


def _true(condition: bool) -> str:
    return "true" if condition else "false"


# All halves or bytes of the sources.


def _lanes(instruction: _Instruction, function: str, bits: int) -> str:
    """Return an operation on several lanes of a register, of which each source selects its own."""
    if len(instruction.operands) != 4:
        raise instruction.invalid("Arguments mismatch")
    if instruction.selector(3):
        raise instruction.invalid("Incorrect video selector for operand 3")
    count = 32 // bits
    letter = "h" if bits == 16 else "b"
    mask = _lane_digits(instruction, 0, letter, range(count))
    if sorted(set(mask), reverse=True) != mask:
        raise instruction.invalid("Incorrect video selector for operand 0")
    chosen = sum(1 << lane for lane in mask) if mask else (1 << count) - 1
    selected = []
    for number, default in ((1, range(count)), (2, range(count, 2 * count))):
        digits = _lane_digits(instruction, number, letter, range(2 * count)) or list(reversed(default))
        if len(digits) != count:
            raise instruction.invalid(f"Incorrect video selector for operand {number}")
        selected.append("0x" + "".join(map(str, digits)))
    d, a, b = (TYPES[type_].cxx for type_ in instruction.types)
    end = next((flag for flag in instruction.flags if flag in ("sat", "add")), "merged")
    sources = ", ".join(f"{{{number}:b32}}" for number in (1, 2, 3))
    arguments = f"{function}, {bits}, {d}, {a}, {b}, {_NAMESPACE}end::{end}, {chosen:#x}, {', '.join(selected)}"
    return f"({d}){_NAMESPACE}lanes<{arguments}>({sources})"


def _lane_digits(instruction: _Instruction, number: int, letter: str, lanes: range) -> list[int]:
    selector = instruction.selector(number)
    if selector and (selector[0] != letter or not all(int(digit) in lanes for digit in selector[1:])):
        raise instruction.invalid(f"Incorrect video selector for operand {number}")
    return [int(digit) for digit in selector[1:]]
