"""Reads the programs: sources/<subject>.txt has one a line.

A line begins with `- ` if NVRTC 13.5 refuses the program and with `+ ` if it takes it. Options may stand in front of a program
in brackets, `+ [--device-int128] __int128 f;`. In a program
`\\n` begins a new line, and `\\\\` is a backslash. Lines that begin with # explain the rule of the programs below them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ARCHITECTURE", "FOLDER", "NVRTC", "Program", "programs"]

FOLDER = Path(__file__).resolve().parent
#: The version of the wheel whose verdicts the signs are.
NVRTC = "13.5.37"
#: The option of programs that give none; NVRTC runs the assembler as well for it.
ARCHITECTURE = "--gpu-architecture=sm_80"

_LINE = re.compile(r"([-+]) (?:\[([^\]\s][^\]]*)\] )?(.+)")


@dataclass(frozen=True)
class Program:
    """A program.

    Attributes:
        subject: the name of its file.
        line: its text there, without the sign.
        text: the program.
        options: NVRTC's options.
        taken: True if NVRTC takes it.
    """

    subject: str
    line: str
    text: str
    options: tuple[str, ...]
    taken: bool


def programs(subject: str = "*") -> list[Program]:
    """Return the programs of a subject, or all. Raises ValueError for a line that is not understood or stands twice."""
    found: dict[str, Program] = {}
    for file in sorted((FOLDER / "sources").glob(f"{subject}.txt")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if not line or line.startswith("#"):
                continue
            match = _LINE.fullmatch(line)
            if not match or line[2:] in found:
                raise ValueError(f"{file}:{number}: {'not a program' if not match else 'stands twice'}: {line}")
            sign, options, text = match.groups()
            words = tuple((options or "").split())
            if not any("arch" in word for word in words):
                words = (ARCHITECTURE, *words)
            text = re.sub(r"\\(n|\\)", lambda escape: "\n" if escape[1] == "n" else "\\", text)
            found[line[2:]] = Program(file.stem, line[2:], text, words, sign == "+")
    return list(found.values())
