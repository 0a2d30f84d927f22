"""What a scan says of one place in a file."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CODES", "NOT_JUDGED", "Diagnostic", "Verdict"]

CODES = {
    "CS000": "the file cannot be read, or is not Python of this version",
    "CS101": "mapped: the call, or type, goes to its HIP counterpart",
    "CS102": "adapted: CUDA and HIP differ in substance, and code makes up for it",
    "CS103": "provided: served without HIP",
    "CS201": "unsupported: HIP cannot serve the call; it returns CUDA's not-supported status",
    "CS202": "a constant without counterpart in HIP",
    "CS203": "not in the CUDA version that is served, but in another",
    "CS204": "unknown: no such name in CUDA Python",
    "CS205": "a module that is not served",
    "CS301": "inline PTX that has no translation",
    "CS302": "a header that cannot be had",
    "CS303": "a name, or construct, of device code without counterpart in HIP",
    "CS304": "an option that NVRTC, or the shim, does not take",
    "CS305": "Cython that scan knows nothing of",
    "CS401": "a name that is put together at run time: not judged",
}
"""Every code with its meaning. Those of CS1xx are no problem, and CS401 may be one."""

NOT_JUDGED = "CS401"


@dataclass(frozen=True)
class Verdict:
    """What becomes of one name: a code, and the message behind it."""

    code: str
    message: str

    @property
    def problem(self) -> bool:
        """Whether something will not work, as far as that can be seen."""
        return not self.code.startswith("CS1") and self.code != NOT_JUDGED


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
        document: dict[str, object] = {
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "code": self.verdict.code,
            "name": self.name,
            "message": self.verdict.message,
            "problem": self.verdict.problem,
        }
        return document if self.cell is None else {**document, "cell": self.cell}
