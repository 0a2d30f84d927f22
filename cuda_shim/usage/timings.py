"""The data of a profile: times of kernels, copies and calls, by name and by the line of the program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Times", "Timings", "by_time"]

_GIB = 1 << 30


@dataclass
class Times:
    """The number of events, their seconds in all and of the longest one, and the bytes of copies."""

    count: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    bytes: int = 0

    def add(self, seconds: float, size: int = 0) -> None:
        """Count it once more."""
        self.count += 1
        self.seconds += seconds
        self.longest = max(self.longest, seconds)
        self.bytes += size

    @property
    def mean(self) -> float:
        """Mean seconds of one event."""
        return self.seconds / self.count if self.count else 0.0

    @property
    def rate(self) -> float:
        """GiB in a second."""
        return self.bytes / self.seconds / _GIB if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        values: dict[str, Any] = {
            "count": self.count, "seconds": self.seconds, "mean": self.mean, "longest": self.longest,
        }  # fmt: skip
        return {**values, "bytes": self.bytes, "gib_per_second": self.rate} if self.bytes else values


@dataclass
class Timings:
    """The times of a program, all its processes together.

    Attributes:
        seconds: from the beginning of the first event to the end of the last one.
        kernels: by name.
        copies: copies by their direction, fills, and host functions in streams.
        sites: calls and work by the line of the program: (line, function or kernel).
        calls: by the function's name.
        backends: the backends that served the calls.
    """

    seconds: float = 0.0
    kernels: dict[str, Times] = field(default_factory=dict)
    copies: dict[str, Times] = field(default_factory=dict)
    sites: dict[tuple[str, str], Times] = field(default_factory=dict)
    calls: dict[str, Times] = field(default_factory=dict)
    backends: list[str] = field(default_factory=list)

    @property
    def missing(self) -> str:
        """A sentence about the work that could not be measured; empty where everything was."""
        if "rocm" not in self.backends:
            return ""
        return (
            "on an AMD GPU times are those between events around each call: what a graph does is one time, and what "
            "compiled packages launch is not measured; rocprofv3 measures both"
        )


def by_time(times: dict[Any, Times]) -> list[tuple[Any, Times]]:
    """Return the times by name, the longest first."""
    return sorted(times.items(), key=lambda item: (-item[1].seconds, item[0]))
