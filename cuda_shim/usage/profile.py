"""The profile of a program: time by kernel, by line of the program, by kind of copy and by function."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from cuda_shim import __version__
from cuda_shim.atomic_write import atomic_write
from cuda_shim.errors import ShimError
from cuda_shim.usage import timeline
from cuda_shim.usage.profile_table import print_profile
from cuda_shim.usage.timeline import Activity, Call
from cuda_shim.usage.timings import Times, Timings, by_time

__all__ = ["FORMAT", "Profile"]

#: Raised when a field of the JSON document changes its meaning.
FORMAT = 1


@dataclass
class Profile(Timings):
    """The times of a program, with their output as JSON or tables."""

    @classmethod
    def of_folder(cls, folder: str, start: int = 0) -> Profile:
        """Return the profile of the events written there from the byte `start` on."""
        return cls.of_events(timeline.read(folder, start))

    @classmethod
    def of_events(cls, events: Iterable[Call | Activity | str]) -> Profile:
        """Return the sums over events."""
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
                subject = event.name
            elif event.kind == "kernel":
                profile.kernels.setdefault(event.name, Times()).add(seconds)
                subject = f"kernel {event.name}"
            else:
                subject = event.title
                profile.copies.setdefault(subject, Times()).add(seconds, event.bytes)
            profile.sites.setdefault((event.site, subject), Times()).add(seconds, getattr(event, "bytes", 0))
        profile.seconds = (last - first) / 1e9
        return profile

    @classmethod
    def from_dict(cls, document: Any, path: Path) -> Profile:
        """Return the profile of a JSON document, which was read from `path`.

        Raises:
            ShimError: the document holds no profile, or one of another format.
        """
        try:
            if document["format"] != FORMAT:
                raise ShimError(f"{path}: a profile of format {document['format']}; this version reads {FORMAT}")
            profile = cls(document["seconds"])
            for name in ("kernels", "copies", "calls"):
                times = {event: Times.from_dict(row) for event, row in document[name].items()}
                getattr(profile, name).update(times)
            profile.sites = {(row["site"], row["what"]): Times.from_dict(row) for row in document["sites"]}
            profile.backends = ["rocm"] if document["not_measured"] else []
        except (KeyError, TypeError, AttributeError):
            raise ShimError(f"{path} is not a profile: `run --profile={path}` writes one") from None
        return profile

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; the longest times come first."""
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
        atomic_write(path, json.dumps(self.as_dict(), indent=2) + "\n")

    def print(self, file: TextIO | None = None) -> None:
        """Print tables for people, on stdout or on `file`."""
        print_profile(self, file)
