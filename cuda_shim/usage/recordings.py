"""The JSON files that recordings leave: reports, profiles and traces, read back and put together."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from cuda_shim.errors import ShimError
from cuda_shim.usage.page import write_page
from cuda_shim.usage.profile import Profile
from cuda_shim.usage.timeline import Activity, Call
from cuda_shim.usage.trace import read_trace
from cuda_shim.usage.usage_report import Report

__all__ = ["Recordings"]


class Recordings:
    """The sum of several files.

    Attributes:
        report: the sum of the reports, None where no file holds one.
        profile: the sum of the profiles, and of the times in a trace where there is no profile; None without either.
        events: the events of the trace.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        """Read files.

        Raises:
            OSError: a file cannot be read.
            ShimError: a file holds nothing that was recorded, or a second file holds a trace.
        """
        self.events: list[Call | Activity] = []
        self.report: Report | None = None
        self.profile: Profile | None = None
        reports: list[Report] = []
        for path in paths:
            document = _document(path)
            if "traceEvents" in document:
                if self.events:
                    raise ShimError(f"{path}: a second trace; each counts its times from its own beginning")
                self.events = read_trace(path, document)
            elif "kernels" in document:
                self._include(Profile.from_dict(document, path))
            else:
                reports.append(Report.from_dict(document, path))
        if reports:
            self.report = Report.merged(reports)
            if self.report.profile is not None:
                self._include(self.report.profile)
                self.report.profile = None
        if self.profile is None and self.events:
            self.profile = Profile.of_events(self.events)

    def _include(self, profile: Profile) -> None:
        self.profile = self.profile or Profile()
        self.profile.include(profile)

    def print(self, file: TextIO | None = None) -> None:
        """Print tables for people, on stdout or on `file`."""
        for part in (self.report, self.profile):
            if part is not None:
                part.print(file)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: a report with its profile, or a profile alone."""
        if self.report is None:
            return {} if self.profile is None else self.profile.as_dict()
        return {**self.report.as_dict(), **({} if self.profile is None else {"profile": self.profile.as_dict()})}

    def write_page(self, path: str) -> None:
        """Write the page for browsers, the file appearing whole or not at all. Raises OSError."""
        write_page(path, self.events, self.profile, self.report)


def _document(path: Path) -> Any:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise ShimError(f"{path} holds no recording: `run --report={path}`, --profile= and --trace= write one")
    return document
