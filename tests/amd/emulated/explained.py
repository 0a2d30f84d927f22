"""Why a case is not recorded as right: each outcome but "right" has a line here, and each line such an outcome."""

from __future__ import annotations

from dataclasses import dataclass

ALL = ("gfx942", "gfx1100", "gfx1201")


@dataclass(frozen=True)
class Explanation:
    """A difference.

    Attributes:
        case: the case's name.
        result: the outcome that is recorded.
        fault: "translation", "emulator" or "hardware": what would have to change; "unknown" until that is found out.
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


_NARROWED = (
    "hiprtc's header leaves out what the name says: __half2int_rn(7.5) is 7 and not 8, __half2short_rz(1e5) is no limit"
)
_DIRECTED = (
    "__fadd_rd(1, -1) is 0 and not -0, and what overflows towards zero, or down from above, is infinite and not the "
    "largest number"
)

EXPLAINED: tuple[Explanation, ...] = (
    Explanation(
        "groups.partitions", "wrong", "unknown",
        "cg::labeled_partition of half a wave of 64 counts other threads; whether the translation or the emulator is at "
        "fault is open",
        ("gfx942",),
    ),
    Explanation(
        "integer.products", "wrong", "translation",
        "hiprtc's __sad(x, y, z) subtracts signed numbers, which overflow: __sad(-2147483647, 2147483647, 7)",
    ),
    Explanation(
        "narrow.half_pairs", "wrong", "emulator",
        "v_cvt_f32_f16_sdwa v3, -v1 src0_sel:WORD_1 loses the sign that stands before its operand",
        ("gfx942",),
    ),
    Explanation("narrow_forms.bfloat_conversions", "wrong", "translation", _NARROWED),
    Explanation("narrow_forms.half_conversions", "wrong", "translation", _NARROWED),
    Explanation(
        "narrow_forms.half_forms", "wrong", "translation",
        "hiprtc's __hne of a NaN is true, as __hneu's is; CUDA's is false",
    ),
    Explanation(
        "narrow_forms.half_pair_forms", "wrong", "translation",
        "hiprtc's __hbneu2 and its like for NaNs are those for numbers",
    ),
    Explanation("rounding.doubles", "wrong", "translation", _DIRECTED),
    Explanation("rounding.floats", "wrong", "translation", _DIRECTED),
    Explanation(
        "rounding.reciprocal_root", "wrong", "translation",
        "hiprtc's __frsqrt_rn is the instruction, which is right to a unit in the last place; CUDA's is rounded to nearest",
    ),
)  # fmt: skip
