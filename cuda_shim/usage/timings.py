"""The data of a profile: times of kernels, copies and calls, by name and by the line of the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

__all__ = ["Times", "Timings", "by_time"]

_GIB = 1 << 30
_Key = TypeVar("_Key")


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

    def include(self, other: Times) -> None:
        """Add the times of the same events in another run or process."""
        self.count += other.count
        self.seconds += other.seconds
        self.longest = max(self.longest, other.longest)
        self.bytes += other.bytes

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

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Times:
        """Return the times that `as_dict` gave. Raises KeyError."""
        return cls(values["count"], values["seconds"], values["longest"], values.get("bytes", 0))


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

    def include(self, other: Timings) -> None:
        """Add the times of another run; the seconds of both runs are added."""
        self.seconds += other.seconds
        _include(self.kernels, other.kernels)
        _include(self.copies, other.copies)
        _include(self.calls, other.calls)
        _include(self.sites, other.sites)
        self.backends += [name for name in other.backends if name not in self.backends]

    @property
    def missing(self) -> str:
        """A sentence about the work that could not be measured; empty where everything was."""
        if "rocm" not in self.backends:
            return ""
        return (
            "on an AMD GPU times are those between events around each call: what a graph does is one time, and what "
            "compiled packages launch is not measured; rocprofv3 measures both"
        )


def _include(times: dict[_Key, Times], others: Mapping[_Key, Times]) -> None:
    for key, other in others.items():
        times.setdefault(key, Times()).include(other)


def by_time(times: dict[Any, Times]) -> list[tuple[Any, Times]]:
    """Return the times by name, the longest first."""
    return sorted(times.items(), key=lambda item: (-item[1].seconds, item[0]))
