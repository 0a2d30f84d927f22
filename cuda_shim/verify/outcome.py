"""The outcome of a case."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["DIFFERS", "FAILED", "REFUSED", "RIGHT", "STATES", "Outcome"]

RIGHT, DIFFERS, FAILED, REFUSED = STATES = ("right", "differs", "failed", "refused")


@dataclass(frozen=True)
class Outcome:
    """The outcome of a case.

    Attributes:
        case: the case's name.
        subject: the heading under which it is counted.
        state: "right": as recorded; "differs": other values or lines; "failed": a call failed, or the process crashed
            or hung; "refused": HIP or the device lacks the feature, which the reason names.
        reason: the reason for an outcome that is not right, in a line.
        details: differing values or lines, at most ten.
        seconds: the duration, compilation not counted.
    """

    case: str
    subject: str
    state: str
    reason: str = ""
    details: tuple[str, ...] = field(default=())
    seconds: float = 0.0
