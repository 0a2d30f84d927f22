"""The decoder of instructions: an opcode's form, checked against the number of its operands.

PTX modules, inline PTX and the verdicts of `explain`, `scan` and `check` ask it alone.
"""

from __future__ import annotations

import re

from cuda_shim.translate.ptx.instructions import Form, Invalid, Unknown, form_of
from cuda_shim.translate.ptx.types import TYPES

__all__ = ["Mismatch", "check_operand_count", "copies", "decode"]

_COPY_ASYNC = re.compile(r"cp\.async\.c[ag]\.shared(?:::cta)?\.global(?:\.L2::\w+)*")
_COPY_WAITS = {"cp.async.commit_group": 0, "cp.async.wait_group": 1, "cp.async.wait_all": 0}
_ROUNDINGS = ("rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi")
_POLICY = ".L2::cache_hint"  # an operand more, which has no effect


class Mismatch(Invalid):
    """The operands of an instruction are not its form's; the message has the words of NVIDIA's assembler."""

    def __init__(self, opcode: str) -> None:
        super().__init__(f"Arguments mismatch for instruction '{opcode.partition('.')[0]}'")


def decode(opcode: str, count: int) -> Form:
    """Return the form of an instruction with `count` operands.

    Raises Mismatch if it takes fewer or more, and Unknown for an opcode without a translation.
    """
    form = form_of(opcode)
    check_operand_count(form, count)
    name = opcode.partition(".")[0]
    if form.memory == "store" and form.space == "const":
        raise Invalid(f"State space incorrect for instruction '{name}'")
    if name == "cvt" and not _has_rounding(opcode) and TYPES[form.source].kind == "floating" and _is_whole(form.kind):
        raise Invalid(f"Rounding modifier required for instruction '{name}'")
    return form


def _has_rounding(opcode: str) -> bool:
    return any(part in _ROUNDINGS for part in opcode.split("."))


def _is_whole(kind: str) -> bool:
    return TYPES[kind].kind in ("unsigned", "signed")


def check_operand_count(form: Form, count: int) -> None:
    """Raise Mismatch unless the form has so many operands."""
    if form.operands is None:
        return
    least = sum(not operand.endswith("?") for operand in form.operands)
    if not least <= count - form.opcode.count(_POLICY) <= len(form.operands):
        raise Mismatch(form.opcode)


def copies(opcode: str, count: int) -> bool:
    """Return whether a cp.async with `count` operands copies; False if it waits for copies, which are made at once.

    Raises Mismatch, and Unknown for another instruction.
    """
    is_copy = _COPY_ASYNC.fullmatch(opcode) is not None
    if not is_copy and opcode not in _COPY_WAITS:
        raise Unknown(f"'{opcode}': only copies of up to 16 bytes have a counterpart")
    if count not in ((3, 4) if is_copy else (_COPY_WAITS[opcode],)):
        raise Mismatch(opcode)
    return is_copy
