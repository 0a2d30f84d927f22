"""Replacing pieces of a text so that the code behind them keeps its line and column in a compiler's messages."""

from __future__ import annotations

from typing import NamedTuple

from cuda_shim.translate.lexer import Text

__all__ = ["Edit", "apply", "replaced"]


class Edit(NamedTuple):
    """The piece from `begin` to `end` becomes `replacement`, which has no line breaks."""

    begin: int
    end: int
    replacement: bytes


def apply(text: Text, edits: list[Edit]) -> bytes:
    """Return the text with its edits, which do not overlap.

    A shorter replacement is padded with blanks. After a longer one, `#line` restarts the line and blanks indent the
    rest of it to its old column, except inside a preprocessor line, which ends there anyway.
    """
    pieces: list[bytes] = []
    place = 0
    for edit in sorted(edits):
        pieces.append(text.source[place : edit.begin])
        pieces.append(_fitted(text, edit))
        place = edit.end
    pieces.append(text.source[place:])
    return b"".join(pieces)


def replaced(text: Text, edits: list[Edit]) -> bytes:
    """Return the text with its edits, which do not overlap; the code behind them moves."""
    pieces: list[bytes] = []
    place = 0
    for edit in sorted(edits):
        pieces += (text.source[place : edit.begin], edit.replacement)
        place = edit.end
    return b"".join([*pieces, text.source[place:]])


def _fitted(text: Text, edit: Edit) -> bytes:
    old = text.source[edit.begin : edit.end]
    breaks = old.count(b"\n")
    in_directive = text.directive_at(edit.begin) is not None
    if breaks:
        ending = (b"\\\n" if in_directive else b"\n") * breaks
        return edit.replacement + ending + b" " * len(old.rpartition(b"\n")[2])
    if len(edit.replacement) <= len(old):
        return edit.replacement.ljust(len(old))
    if in_directive or text.source[edit.end : edit.end + 1] in (b"\n", b"\r", b""):
        return edit.replacement
    blanks = b" " * (text.column(edit.end) - 1)
    return edit.replacement + b"\n#line %d\n" % text.line(edit.end) + blanks
