"""The messages in a log of Clang's or GCC's: where each points, how grave it is, what it says."""

from __future__ import annotations

import re

from cuda_shim.frozen_record import Record

__all__ = ["Message", "read_messages"]

_HEAD = re.compile(
    r"(?P<file>\S[^\n]*?):(?P<line>\d+):(?P<column>\d+): (?P<severity>fatal error|error|warning|note|remark): "
    r"(?P<text>.*?)(?: \[-W(?P<flag>[^\]]+)\])?"
)
_COUNT = re.compile(r"(?:\d+ (?:error|warning)s?(?: and )?)+ generated\.")
_INCLUDED = re.compile(r"In file included from .*|\s+from .*:\d+[:,].*")
# Clang appends a guess of what was meant to some messages.
_GUESS = re.compile(r"[;,] did you mean .*|; try .*")


class Message(Record):
    """A message.

    Attributes:
        file: the name of the file, as the compiler was given it.
        line, column: counted from 1, the column in bytes.
        severity: "error", "warning" or "note"; a fatal error is an error.
        text: without the compiler's guesses of what was meant.
        flag: the group that the compiler has the warning in, such as "unused-variable", or empty.
    """

    file: str
    line: int
    column: int
    severity: str
    text: str
    flag: str


def read_messages(log: str) -> tuple[list[Message], list[str], list[str]]:
    """Return a log's messages in order, and the lines that are neither messages nor the source that they show.

    Those before the first message are apart from the others.
    """
    messages: list[Message] = []
    before: list[str] = []
    behind: list[str] = []
    inside = False  # behind a message, where lines of source follow
    for line in log.split("\n"):
        match = _HEAD.fullmatch(line)
        if match:
            severity = {"fatal error": "error", "remark": "note"}.get(match["severity"], match["severity"])
            text = _GUESS.sub("", match["text"])
            messages.append(
                Message(match["file"], int(match["line"]), int(match["column"]), severity, text, match["flag"] or "")
            )
            inside = True
        elif _COUNT.fullmatch(line) or _INCLUDED.fullmatch(line):
            inside = False
        elif not (inside and line[:1] in (" ", "")):
            inside = False
            (behind if messages else before).append(line)
    return messages, before, behind
