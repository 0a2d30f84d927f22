"""The registers that an instruction takes, by their types: the rules of NVIDIA's assembler.

A register of bits fits every type of its width, a number of either sign each other, a floating-point number its own
type alone. Conversions, loads and stores take wider registers too, unless those are of floating-point numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

from cuda_shim.translate.ptx.instructions import Form
from cuda_shim.translate.ptx.types import TYPES, Type, wider

__all__ = ["expected_types", "literal_fits", "register_fits"]

_RELAXED = ("cvt", "ld", "ldu", "st")
_WHOLE = ("bits", "unsigned", "signed", "packed")


def expected_types(form: Form) -> Iterator[Type | None]:
    """Yield the type of each operand of a form, None for one that is no value."""
    for operand in form.operands or ():
        kind = operand.removesuffix("?")
        names = {"d": form.result, "d|p": form.result, "S": form.source, "T": form.kind, "W": wider(form.source)}
        yield TYPES.get(names.get(kind, kind))


def register_fits(form: Form, expected: Type, register: Type) -> bool:
    """Return whether an instruction takes a register for an operand of a type."""
    if "predicate" in (expected.kind, register.kind):
        return expected.kind == register.kind
    if register.bits < expected.bits:
        return False
    is_wider = register.bits > expected.bits
    if is_wider and (form.opcode.partition(".")[0] not in _RELAXED or register.kind == "floating"):
        return False
    if "bits" in (expected.kind, register.kind) or "packed" in (expected.kind, register.kind):
        return True
    return expected.kind == register.kind or (expected.kind in _WHOLE and register.kind in _WHOLE)


def literal_fits(expected: Type, *, floating: bool) -> bool:
    """Return whether an instruction takes a number, with a point or of the bits of one, for an operand of a type."""
    if expected.kind in ("unsigned", "signed"):
        return not floating
    return floating or expected.kind != "floating" or expected.bits < TYPES["f32"].bits
