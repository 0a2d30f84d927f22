"""The usage report: the number, duration and errors of a program's calls; as data, JSON or a table."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from cuda_shim import __version__
from cuda_shim.atomic_write import atomic_write
from cuda_shim.errors import ShimError
from cuda_shim.usage import counter_file, timeline
from cuda_shim.usage.counts import Call, Counts
from cuda_shim.usage.profile import Profile
from cuda_shim.usage.table import print_report

__all__ = ["Call", "Report"]

#: Raised when a field of the JSON document changes its meaning.
FORMAT = 1


@dataclass
class Report(Counts):
    """Usage of one program, all its processes together, with its output as JSON or tables.

    Attributes:
        profile: the times, where they were measured as well (the setting `profile`, or `trace`).
    """

    profile: Profile | None = None

    @classmethod
    def of_folder(cls, folder: str | Path) -> Report:
        """Return the report of the counters and the timeline that all processes wrote there."""
        report = cls.of_counters(folder)
        if (Path(folder) / timeline.FILE).exists():
            report.profile = Profile.of_folder(os.fspath(folder))
        return report

    @classmethod
    def of_counters(cls, folder: str | Path) -> Report:
        """Return the report of the counters alone."""
        totals, processes = counter_file.read(folder)
        report = cls(processes)
        for (kind, name, *rest), (count, nanoseconds) in totals.items():
            if kind == "unsupported":
                report.unsupported[name, rest[0]] = count
            elif kind == "hallucinated":
                report.hallucinated[f"{name}.{rest[0]}"] = count
            else:
                call = report.calls.setdefault(name, Call(rest[0]))
                call.count += count
                call.seconds += nanoseconds / 1e9
                if kind == "error":
                    call.errors[rest[1]] = count
                elif kind == "raised":
                    call.raised[rest[1]] = count
        return report

    @classmethod
    def merged(cls, reports: Iterable[Report]) -> Report:
        """Return the sum of several reports, such as the reports of the ranks of an MPI program."""
        total = cls()
        for report in reports:
            total.processes += report.processes
            for name, call in report.calls.items():
                own = total.calls.setdefault(name, Call(call.support))
                own.count += call.count
                own.seconds += call.seconds
                _add(own.errors, call.errors)
                _add(own.raised, call.raised)
            if report.profile is not None:
                total.profile = total.profile or Profile()
                total.profile.include(report.profile)
            _add(total.unsupported, report.unsupported)
            _add(total.hallucinated, report.hallucinated)
        return total

    def since(self, earlier: Report) -> Report:
        """Return the counts made after an earlier report of the same program."""
        later = Report(self.processes)
        for name, call in self.calls.items():
            before = earlier.calls.get(name, Call(call.support))
            if call.count > before.count:
                later.calls[name] = Call(
                    call.support,
                    call.count - before.count,
                    call.seconds - before.seconds,
                    _less(call.errors, before.errors),
                    _less(call.raised, before.raised),
                )
        later.unsupported = _less(self.unsupported, earlier.unsupported)
        later.hallucinated = _less(self.hallucinated, earlier.hallucinated)
        return later

    @classmethod
    def from_dict(cls, document: Any, path: Path) -> Report:
        """Return the report of a JSON document, which was read from `path`.

        Raises:
            ShimError: the document holds no report, or one of another format.
        """
        try:
            if document["format"] != FORMAT:
                raise ShimError(f"{path}: a report of format {document['format']}; this version reads {FORMAT}")
            report = cls(document["processes"])
            report.calls = {name: Call(**call) for name, call in document["calls"].items()}
            report.unsupported = {(row["name"], row["reason"]): row["count"] for row in document["unsupported"]}
            report.hallucinated = dict(document["hallucinated"])
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ShimError(f"{path} is no usage report: `run --report={path}` writes one") from None
        if "profile" in document:
            report.profile = Profile.from_dict(document["profile"], path)
        return report

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; calls sorted by the time spent in them."""
        return {
            "format": FORMAT,
            "cuda_shim": __version__,
            "processes": self.processes,
            "calls": {name: vars(call) for name, call in self.by_time()},
            "unsupported": [
                {"name": name, "reason": reason, "count": count}
                for (name, reason), count in sorted(self.unsupported.items())
            ],
            "hallucinated": dict(sorted(self.hallucinated.items())),
            **({} if self.profile is None else {"profile": self.profile.as_dict()}),
        }

    def write(self, path: str | Path) -> None:
        """Write JSON, the file appearing whole or not at all. Raises OSError."""
        atomic_write(os.fspath(path), json.dumps(self.as_dict(), indent=2) + "\n")

    def print(self, file: TextIO | None = None) -> None:
        """Print tables for people, on stdout or on `file`."""
        print_report(self, file)
        if self.profile is not None:
            self.profile.print(file)

    def __str__(self) -> str:
        from io import StringIO

        text = StringIO()
        self.print(text)
        return text.getvalue()


def _add(total: dict[Any, int], counts: Mapping[Any, int]) -> None:
    for key, count in counts.items():
        total[key] = total.get(key, 0) + count


def _less(total: Mapping[Any, int], counts: Mapping[Any, int]) -> dict[Any, int]:
    """Return the remainder of each count, where there is one."""
    return {key: left for key, count in total.items() if (left := count - counts.get(key, 0))}
