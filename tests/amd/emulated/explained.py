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
        fault: "translation", "emulator" or "hardware": what would have to change.
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


EXPLAINED: tuple[Explanation, ...] = ()
