"""Statements of PTX's video instructions in all their forms, as the PTX ISA lists them.

A form has types, a comparison or mode, saturation, a secondary operation or a merge. Selectors of operands are
independent of these, so each form stands once without selectors and with a few of them in rotation.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache

__all__ = ["statements"]

_TYPES = ("u32", "s32")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_PARTS = (".b0", ".b1", ".b2", ".b3", ".h0", ".h1")
_SECONDARY = (".add", ".min", ".max")
_ARITHMETIC = ("vadd", "vsub", "vabsdiff", "vmin", "vmax")
_NEGATIONS = (("", "", ""), ("-", "", ""), ("", "-", ""), ("-", "-", ""), ("", "", "-"))
_IMMEDIATES = ("1", "-1", "33", "70000", "0x80000000")
_LANES = (*_ARITHMETIC, "vavrg")


class _Rotation:
    """Selectors in turn, a step of its own for each operand, so that all pairs meet."""

    def __init__(self, selectors: Sequence[str]) -> None:
        self._selectors, self._count = selectors, 0

    def pair(self) -> tuple[str, str]:
        self._count += 1
        size = len(self._selectors)
        second = (5 * self._count + self._count // size) % size
        return self._selectors[self._count % size], self._selectors[second]


@cache
def statements() -> tuple[str, ...]:
    """Return the statements, with the registers %d, %a, %b and %c."""
    return tuple(dict.fromkeys((*_scalar(), *_multiplications(), *_immediates(), *_lanes(2), *_lanes(4))))


def _scalar() -> Iterator[str]:
    rotation = _Rotation(("", *_PARTS))
    for opcode in _scalar_opcodes():
        ends = [(secondary, "") for secondary in ("", *_SECONDARY)] + [("", part) for part in _PARTS]
        for (secondary, merge), selected in itertools.product(ends, (False, True)):
            a, b = rotation.pair() if selected else ("", "")
            third = ", %c" if secondary or merge else ""
            yield f"{opcode}{secondary} %d{merge}, %a{a}, %b{b}{third};"


def _scalar_opcodes() -> Iterator[str]:
    for name, d, a, b, saturated in itertools.product(_ARITHMETIC, _TYPES, _TYPES, _TYPES, ("", ".sat")):
        yield f"{name}.{d}.{a}.{b}{saturated}"
    for a, b, comparison in itertools.product(_TYPES, _TYPES, _COMPARISONS):
        yield f"vset.{a}.{b}.{comparison}"
    for name, d, a, saturated, mode in itertools.product(
        ("vshl", "vshr"), _TYPES, _TYPES, ("", ".sat"), ("clamp", "wrap")
    ):
        yield f"{name}.{d}.{a}.u32{saturated}.{mode}"


def _multiplications() -> Iterator[str]:
    rotation = _Rotation(("", *_PARTS))
    forms = itertools.product(_TYPES, _TYPES, _TYPES, ("", ".sat"), ("", ".shr7", ".shr15"))
    for d, a, b, saturated, scale in forms:
        for selected in (False, True):
            for negations in _NEGATIONS:
                selectors = rotation.pair() if selected else ("", "")
                first, second, third = negations
                operands = f"{first}%a{selectors[0]}, {second}%b{selectors[1]}, {third}%c"
                yield f"vmad.{d}.{a}.{b}{saturated}{scale} %d, {operands};"
            selectors = rotation.pair() if selected else ("", "")
            yield f"vmad.{d}.{a}.{b}.po{saturated}{scale} %d, %a{selectors[0]}, %b{selectors[1]}, %c;"


def _immediates() -> Iterator[str]:
    """Constants in place of registers, which have no selectors."""
    for name, type_, constant in itertools.product(("vadd", "vsub", "vmin", "vmad"), _TYPES, _IMMEDIATES):
        third = ", %c" if name == "vmad" else ""
        yield f"{name}.s32.{type_}.{type_} %d, %a.h1, {constant}{third};"
        yield f"{name}.{type_}.{type_}.s32.sat %d, {constant}, %b{third};"
    for constant in _IMMEDIATES:
        yield f"vadd.s32.s32.s32.max %d, %a, %b, {constant};"
        yield f"vset.u32.s32.lt.add %d, {constant}, %b.b1, %c;"
        yield f"vshl.u32.u32.u32.clamp %d, %a, {constant};"


def _lanes(count: int) -> Iterator[str]:
    """The forms for two halves or four bytes: a mask of the result's lanes, and a selected lane for each of them."""
    letter = "h" if count == 2 else "b"
    masks = [
        "".join(str(lane) for lane in reversed(range(count)) if chosen >> lane & 1) for chosen in range(1, 1 << count)
    ]
    mask_rotation = _Rotation([f".{letter}{mask}" for mask in masks])
    pool = ["".join(map(str, lanes)) for lanes in itertools.product(range(2 * count), repeat=count)]
    rotation = _Rotation([f".{letter}{lanes}" for lanes in pool[:: 1 if count == 2 else 37]])
    opcodes = [
        f"{name}{count}.{d}.{a}.{b}{end}"
        for name, d, a, b, end in itertools.product(_LANES, _TYPES, _TYPES, _TYPES, ("", ".sat", ".add"))
    ]
    opcodes += [
        f"vset{count}.{a}.{b}.{comparison}{end}"
        for a, b, comparison, end in itertools.product(_TYPES, _TYPES, _COMPARISONS, ("", ".add"))
    ]
    for opcode in opcodes:
        yield f"{opcode} %d, %a, %b, %c;"
        for _ in range(2):
            mask, (a, b) = mask_rotation.pair()[0], rotation.pair()
            yield f"{opcode} %d{mask}, %a{a}, %b{b}, %c;"
