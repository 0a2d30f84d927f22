"""The profile of a program: time by kernel, by line of the program, by kind of copy and by function."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TextIO

from cuda_shim import __version__
from cuda_shim.usage import timeline
from cuda_shim.usage.timeline import Activity, Call

__all__ = ["FORMAT", "Profile", "Times"]

#: Raised when a field of the JSON document changes its meaning.
FORMAT = 1

_GIB = 1 << 30


@dataclass
class Times:
    """How often something happened, how long that took in all and at most (seconds), and bytes, of copies."""

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
        """Seconds that one took."""
        return self.seconds / self.count if self.count else 0.0

    @property
    def rate(self) -> float:
        """GiB in a second."""
        return self.bytes / self.seconds / _GIB if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        said: dict[str, Any] = {
            "count": self.count, "seconds": self.seconds, "mean": self.mean, "longest": self.longest,
        }  # fmt: skip
        return {**said, "bytes": self.bytes, "gib_per_second": self.rate} if self.bytes else said


@dataclass
class Profile:
    """What took the time of a program, all its processes together.

    Attributes:
        seconds: from the beginning of the first event to the end of the last one.
        kernels: by name.
        copies: copies by their direction, fills, and host functions in streams.
        sites: what each line of the program asked for: (line, function or kernel).
        calls: by the function's name.
        backends: what answered the calls.
    """

    seconds: float = 0.0
    kernels: dict[str, Times] = field(default_factory=dict)
    copies: dict[str, Times] = field(default_factory=dict)
    sites: dict[tuple[str, str], Times] = field(default_factory=dict)
    calls: dict[str, Times] = field(default_factory=dict)
    backends: list[str] = field(default_factory=list)

    @classmethod
    def of_folder(cls, folder: str, start: int = 0) -> Profile:
        """The profile of what was written there behind the byte `start`."""
        return cls.of_events(timeline.read(folder, start))

    @classmethod
    def of_events(cls, events: Iterable[Call | Activity | str]) -> Profile:
        """The sums over events."""
        profile = cls()
        first = last = 0
        for event in events:
            if isinstance(event, str):
                if event not in profile.backends:
                    profile.backends.append(event)
                continue
            first, last = min(first or event.begin, event.begin), max(last, event.end)
            seconds = (event.end - event.begin) / 1e9
            if isinstance(event, Call):
                profile.calls.setdefault(event.name, Times()).add(seconds)
                what = event.name
            elif event.kind == "kernel":
                profile.kernels.setdefault(event.name, Times()).add(seconds)
                what = f"kernel {event.name}"
            else:
                what = f"{event.kind} {event.name}".rstrip()
                profile.copies.setdefault(what, Times()).add(seconds, event.bytes)
            profile.sites.setdefault((event.site, what), Times()).add(seconds, getattr(event, "bytes", 0))
        profile.seconds = (last - first) / 1e9
        return profile

    @property
    def missing(self) -> str:
        """What could not be measured, in a sentence; empty where everything was."""
        if "rocm" not in self.backends:
            return ""
        return (
            "on an AMD GPU the times of kernels and copies are not measured here: HIP tells them to rocprofv3 alone; "
            "those of the calls are"
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; what took longest comes first."""
        return {
            "format": FORMAT,
            "cuda_shim": __version__,
            "seconds": self.seconds,
            "kernels": {name: times.as_dict() for name, times in by_time(self.kernels)},
            "copies": {name: times.as_dict() for name, times in by_time(self.copies)},
            "sites": [{"site": site, "what": what, **times.as_dict()} for (site, what), times in by_time(self.sites)],
            "calls": {name: times.as_dict() for name, times in by_time(self.calls)},
            "not_measured": self.missing or None,
        }

    def write(self, path: str) -> None:
        """Write JSON, the file appearing whole or not at all. Raises OSError."""
        write_whole(path, json.dumps(self.as_dict(), indent=2) + "\n")

    def print(self, file: TextIO | None = None) -> None:
        """Print tables for people, on stdout or on `file`."""
        from cuda_shim.usage.profile_table import print_profile

        print_profile(self, file)


def by_time(times: dict[Any, Times]) -> list[tuple[Any, Times]]:
    """What took longest first."""
    return sorted(times.items(), key=lambda item: (-item[1].seconds, item[0]))


def write_whole(path: str, text: str) -> None:
    """Write a file that appears whole or not at all. Raises OSError."""
    draft = f"{path}.{os.getpid()}"
    with open(draft, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    os.replace(draft, path)
