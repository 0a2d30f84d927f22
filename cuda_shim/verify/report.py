"""The written results of a run of the cases: one document for a file, and tables for a person."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

import cuda_shim
from cuda_shim.verify.machine import scrubber
from cuda_shim.verify.outcome import DIFFERS, FAILED, REFUSED, STATES, Outcome
from cuda_shim.verify.recorded import Recording

__all__ = ["Report", "default_name", "write_new"]

_FORMAT = 1
_MAX_LISTED = 20


class Report:
    """The outcomes of a run, with the properties that they may depend on."""

    def __init__(self, recordings: Mapping[str, Recording], expected: Mapping[str, int], selection: str) -> None:
        """Begin without outcomes.

        Args:
            recordings: the archives, which name the environment of each recording.
            expected: the number of cases to run, by subject.
            selection: the selection of cases, in words.
        """
        self.machine: dict[str, Any] = {}
        self.outcomes: list[Outcome] = []
        self.problem = ""
        self._expected = dict(expected)
        self._recorded = {name: dict(recording.machine) for name, recording in recordings.items()}
        self._selection = selection
        self._began = time.time()

    @property
    def complete(self) -> bool:
        """True if every case that was to run has an outcome."""
        return len(self.outcomes) == sum(self._expected.values())

    def status(self) -> int:
        """Return the exit status: 0 all right or refused, 1 something differs or failed, 2 cases could not run."""
        if self.problem:
            return 2
        return 1 if any(outcome.state in (DIFFERS, FAILED) for outcome in self.outcomes) else 0

    def counts(self) -> dict[str, dict[str, int]]:
        """Return by subject how many cases are in each state, and how many did not run."""
        counted = {subject: Counter[str]() for subject in self._expected}
        for outcome in self.outcomes:
            counted[outcome.subject][outcome.state] += 1
        return {
            subject: {**{state: states[state] for state in STATES}, "not run": self._expected[subject] - states.total()}
            for subject, states in counted.items()
        }

    def document(self) -> dict[str, Any]:
        """Return all of it as JSON has it, without folders and names of the machine's."""
        outcomes = sorted(self.outcomes, key=lambda outcome: outcome.case)
        scrubbed: dict[str, Any] = scrubber()(
            {
                "format": _FORMAT,
                "cuda_shim": cuda_shim.__version__,
                "began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._began)),
                "seconds": round(time.time() - self._began, 1),
                "cases chosen": self._selection,
                "complete": self.complete,
                "problem": self.problem,
                "machine": self.machine,
                "recorded with": self._recorded,
                "counts": self.counts(),
                "cases": [dataclasses.asdict(outcome) for outcome in outcomes],
            }
        )
        return scrubbed

    def print(self) -> None:
        """Print the tables for a person on stdout."""
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        console = Console(highlight=False)
        table = Table(box=None, pad_edge=False)
        table.add_column("recorded on NVIDIA's GPU")
        columns = (*STATES, "not run")
        for name in columns:
            table.add_column(name, justify="right")
        for subject, counts in self.counts().items():
            colours = {DIFFERS: "bold red", FAILED: "bold red", REFUSED: "yellow", "not run": "yellow"}
            cells = [Text(str(counts[name]), colours.get(name, "") if counts[name] else "") for name in columns]
            table.add_row(subject, *cells)
        console.print(table)
        for state, heading in ((DIFFERS, "differs"), (FAILED, "failed")):
            listed = [outcome for outcome in self.outcomes if outcome.state == state]
            for outcome in listed[:_MAX_LISTED]:
                console.print(Text(f"{heading}: {outcome.case}: {outcome.reason}"), soft_wrap=True)
            if len(listed) > _MAX_LISTED:
                console.print(Text(f"{heading}: {len(listed) - _MAX_LISTED} more, which the report has"))
        for reason, count in Counter(outcome.reason for outcome in self.outcomes if outcome.state == REFUSED).items():
            console.print(Text(f"refused: {count} × {reason}"), soft_wrap=True)


def default_name() -> str:
    """Return a name for the report in the current folder, by the time."""
    return time.strftime("cuda-shim-verify-%Y%m%d-%H%M%S.json")


def write_new(path: str, document: Mapping[str, Any]) -> None:
    """Write a document to a file that does not exist yet; links are not followed. Raises OSError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(path, flags, 0o644), "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1, ensure_ascii=False)
        file.write("\n")
