"""Reasons that cases are not recorded as right: each outcome but "right" has a line here, and each line an outcome."""

from __future__ import annotations

from dataclasses import dataclass

ALL = ("gfx942", "gfx1100", "gfx1201")


@dataclass(frozen=True)
class Explanation:
    """A difference.

    Attributes:
        case: the case's name.
        result: the outcome that is recorded.
        fault: "translation", "emulator" or "hardware": the part that would have to change; "unknown" until it is found.
        why: the smallest description of the difference.
        targets: the GPUs on which it shows.
        kind: "source" or "ptx".
    """

    case: str
    result: str
    fault: str
    why: str
    targets: tuple[str, ...] = ALL
    kind: str = "source"


_DIVISION = (
    "x / y of plain CUDA C++ is wrong as well: 1e-45f / 1e-45f is infinite, and so is 5e-324 / 5e-324; the other rows "
    "of the case are right"
)

EXPLAINED: tuple[Explanation, ...] = (
    Explanation(
        "narrow.half_pairs", "wrong", "emulator",
        "v_cvt_f32_f16_sdwa v3, -v1 src0_sel:WORD_1 loses the sign that stands before its operand",
        ("gfx942",),
    ),
    Explanation("rounding.doubles", "wrong", "emulator", _DIVISION),
    Explanation("rounding.floats", "wrong", "emulator", _DIVISION),
)  # fmt: skip
