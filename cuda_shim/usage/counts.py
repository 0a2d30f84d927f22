"""The counts of a usage report: calls, unsupported calls and arguments, hallucinated constants."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Call", "Counts"]


@dataclass
class Call:
    """One function: calls, seconds spent in them, and their failures.

    `support` is "mapped", "adapted", "provided" or "unsupported". `errors` counts the statuses returned other
    than success, `raised` the exceptions by type.
    """

    support: str
    count: int = 0
    seconds: float = 0.0
    errors: dict[str, int] = field(default_factory=dict)
    raised: dict[str, int] = field(default_factory=dict)


@dataclass
class Counts:
    """Usage of one program, all its processes together.

    Attributes:
        processes: the number of processes that made CUDA calls.
        calls: by the function's name.
        unsupported: (name, reason) and how often that was met: calls HIP cannot serve, arguments it lacks.
        hallucinated: the constants invented on request, as Enum.NAME, and how often each was read.
    """

    processes: int = 0
    calls: dict[str, Call] = field(default_factory=dict)
    unsupported: dict[tuple[str, str], int] = field(default_factory=dict)
    hallucinated: dict[str, int] = field(default_factory=dict)

    def by_time(self) -> list[tuple[str, Call]]:
        """Return the calls, the one that took longest first."""
        return sorted(self.calls.items(), key=lambda item: (-item[1].seconds, item[0]))
