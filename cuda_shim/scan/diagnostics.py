"""The diagnostic of a scan for one place in a file: an answer for each backend, and both in one line."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["BACKENDS", "CODES", "NOT_JUDGED", "Answer", "Diagnostic", "Verdict"]

BACKENDS = {"rocm": "on AMD GPUs", "cpu": "on host cores"}
"""The backends, by the names that the setting `backend` has, with the words for people."""

CODES = {
    "CS000": "the file cannot be read, or is not Python of this version",
    "CS101": "mapped: the call, or type, goes to its HIP counterpart",
    "CS102": "adapted: CUDA and HIP differ in substance, and code makes up for it",
    "CS103": "provided: served without HIP",
    "CS104": "served, within a limit that the message names",
    "CS201": "unsupported: HIP cannot serve the call; it returns CUDA's not-supported status",
    "CS202": "a constant without counterpart in HIP",
    "CS203": "not in the CUDA version that is served, but in another",
    "CS204": "unknown: no such name in CUDA Python",
    "CS205": "a module, package or library that is not served",
    "CS301": "inline PTX, or a PTX module, that has no translation",
    "CS302": "a header that cannot be had",
    "CS303": "a name, or construct, of device code without counterpart in HIP",
    "CS304": "an option that NVRTC, or the shim, does not take",
    "CS305": "Cython that scan knows nothing of",
    "CS401": "not judged: what it is, or what becomes of it, is known when the program runs",
}
"""Every code with its meaning. Codes that begin with CS1 are no problem, and CS401 may be one."""

NOT_JUDGED = "CS401"


class Answer(NamedTuple):
    """The support for a name on one backend: a code, and the text behind it."""

    code: str
    text: str

    @property
    def problem(self) -> bool:
        """True if the name will not work, as far as a scan can see."""
        return not self.code.startswith("CS1") and self.code != NOT_JUDGED

    @property
    def weight(self) -> tuple[bool, bool, str]:
        """The order of answers, from served names to those that will not work."""
        return self.problem, self.code == NOT_JUDGED, self.code


@dataclass(frozen=True)
class Verdict:
    """The support for one name.

    Attributes:
        code: the worst of the backends' codes.
        message: the text for people: one, or one for each backend where they differ.
        answers: by backend, the same twice where nothing depends on it.
    """

    code: str
    message: str
    answers: tuple[Answer, ...] = ()

    @classmethod
    def apart(cls, subject: str, rocm: Answer, cpu: Answer) -> Verdict:
        """Return the verdict of an answer for AMD GPUs and one for host cores, about a subject such as `<mma.h>`."""
        worst = max(rocm, cpu, key=lambda answer: answer.weight)
        if rocm == cpu:
            return cls(worst.code, f"{subject}: {rocm.text}")
        message = f"{subject}: {rocm.text}"
        if rocm.text != cpu.text:
            texts = zip(BACKENDS.values(), (rocm.text, cpu.text), strict=True)
            message = f"{subject}: {'; '.join(f'{words}: {text}' for words, text in texts)}"
        return cls(worst.code, message, tuple(Answer(each.code, f"{subject}: {each.text}") for each in (rocm, cpu)))

    def on(self, backend: str) -> Answer:
        """Return the answer for `rocm` or `cpu`."""
        return self.answers[list(BACKENDS).index(backend)] if self.answers else Answer(self.code, self.message)

    def is_problem(self, backends: Collection[str] = tuple(BACKENDS)) -> bool:
        """Return whether it will not work on one of these backends, as far as that can be seen."""
        return any(self.on(backend).problem for backend in backends)

    def narrowed(self, backends: Collection[str]) -> Verdict:
        """Return the verdict for these backends alone."""
        return Verdict(*self.on(next(iter(backends)))) if len(backends) == 1 else self

    def with_note(self, note: str) -> Verdict:
        """Return the same verdict with words behind each of its texts."""
        answers = tuple(Answer(answer.code, answer.text + note) for answer in self.answers)
        return Verdict(self.code, self.message + note, answers)

    @property
    def problem(self) -> bool:
        """True if the name will not work on one of the backends."""
        return self.is_problem()


@dataclass(frozen=True)
class Diagnostic:
    """One place where a CUDA name, or device code, was found.

    `line` and `column` start at 1; `cell`, for notebooks, too: it is None in other files, and in notebooks
    the line counts from the top of the cell.
    """

    file: str
    line: int
    column: int
    name: str
    verdict: Verdict
    cell: int | None = None

    @property
    def place(self) -> str:
        """`file:line:col`, or `file:cell N:line:col`."""
        cell = "" if self.cell is None else f"cell {self.cell}:"
        return f"{self.file}:{cell}{self.line}:{self.column}"

    def __str__(self) -> str:
        return f"{self.place}: {self.verdict.code} {self.verdict.message}"

    def as_dict(self) -> dict[str, object]:
        """Return plain values, for JSON."""
        answers = {backend: self.verdict.on(backend) for backend in BACKENDS}
        document: dict[str, object] = {
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "code": self.verdict.code,
            "name": self.name,
            "message": self.verdict.message,
            "problem": self.verdict.problem,
            "backends": {
                backend: {"code": answer.code, "message": answer.text, "problem": answer.problem}
                for backend, answer in answers.items()
            },
        }
        return document if self.cell is None else {**document, "cell": self.cell}
