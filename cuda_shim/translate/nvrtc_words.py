"""NVRTC's words for the messages of compilers, by tables/nvrtc_messages.yaml."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from cuda_shim.frozen_record import Record
from cuda_shim.mapping.text_tables import load_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.translate.compiler_messages import Message

__all__ = ["Words", "words_for"]

_PLACE = re.compile(r"\\\{(\d)\\\}")
# The standards in order, with the first of the years that they are named after.
_STANDARDS = ("c++03", "c++11", "c++14", "c++17", "c++20", "c++23")
# Clang warns that a later standard has these features; NVRTC takes them in every standard.
_ALWAYS_TAKEN = re.compile(
    "template template parameter using 'typename'|label at end of compound statement|static lambdas are"
    r"|declaring overloaded 'operator\(\)' as 'static'"
)

_COUNTED = re.compile(
    r"candidate function not viable: requires (?:at least |at most )?(\S+) arguments?.*, "
    r"but (\S+)(?: arguments?)? (?:was|were) provided"
)
_COUNTS = {"single": 1, "no": 0}
_UNCONVERTED = re.compile(
    r"candidate function not viable: no known conversion from '(.+?)' to '(.+?)' for \S+ argument"
)


class Words(Record):
    """What NVRTC says.

    Attributes:
        text: NVRTC's text.
        number: that of the warning, by which programs suppress it; None for errors and for texts without one.
        refused: True if NVRTC refuses the program where Clang only warns.
        known: False if NVRTC has no such message, and the text is the compiler's.
    """

    text: str
    number: int | None = None
    refused: bool = False
    known: bool = True


def words_for(message: Message, notes: Sequence[Message], standard: str) -> Words:
    """Return NVRTC's words for a message with the compiler's notes on it, in a program of C++ `standard`."""
    for row in _rows():
        found = row.pattern.fullmatch(message.text)
        if found is None or row.flag not in ("", message.flag):
            continue
        refused = _is_refused(row.refused, message, standard)
        if refused is None:
            break
        text = row.nvrtc.format(*_places(found), text=message.text)
        if row.name == "no-function":
            text = _of_one_candidate(notes, text)
        if row.name == "redefinition" and notes:
            text += f" (previous definition at line {notes[0].line})"
        return Words(text, row.number, refused)
    return Words(message.text, known=message.severity == "error")


def _places(found: re.Match[str]) -> list[str]:
    """Return what stands in the places {0}, {1} … of a row's text."""
    named = {int(name[1:]): value for name, value in found.groupdict().items()}
    return [named.get(place, "") for place in range(max(named, default=-1) + 1)]


def _is_refused(refused: str | None, message: Message, standard: str) -> bool | None:
    """Return whether NVRTC refuses the program; None if the program's standard has what Clang speaks of."""
    if refused is not None and _ALWAYS_TAKEN.match(message.text):
        return None
    if refused is None or refused == "true":
        return refused is not None and message.severity == "warning"
    if _STANDARDS.index(standard) >= _STANDARDS.index(refused):
        return None
    return True


def _of_one_candidate(notes: Sequence[Message], text: str) -> str:
    """Return what NVRTC says of a call that a single function does not match: why; else the text as it is."""
    candidates = [note.text for note in notes if note.text.startswith("candidate")]
    if candidates and all(note.startswith("candidate template ignored") for note in candidates):
        return text.replace("overloaded function", "function template")
    if len(candidates) != 1:
        return text
    counted, unconverted = _COUNTED.fullmatch(candidates[0]), _UNCONVERTED.fullmatch(candidates[0])
    if unconverted:
        return f'argument of type "{unconverted[1]}" is incompatible with parameter of type "{unconverted[2]}"'
    if counted:
        wanted, given = (_COUNTS[count] if count in _COUNTS else int(count) for count in (counted[1], counted[2]))
        return f"too {'few' if given < wanted else 'many'} arguments in function call"
    return text


class _Row(Record):
    """A text of Clang's, or a group of its warnings, whose texts may be any, with NVRTC's words."""

    name: str
    pattern: re.Pattern[str]
    flag: str
    nvrtc: str
    number: int | None
    refused: str | None


@functools.cache
def _rows() -> list[_Row]:
    """Return the table's rows, one for each text, the longest text first and those for any text last."""
    rows = []
    for name, row in load_text("nvrtc_messages").items():
        patterns = [_PLACE.sub(lambda place: f"(?P<_{place[1]}>.*)", re.escape(text)) for text in row.get("clang", ())]
        for pattern in patterns or [".*"]:
            compiled = re.compile(pattern)
            rows.append(_Row(name, compiled, row.get("flag", ""), row["nvrtc"], row.get("number"), row.get("refused")))
    return sorted(rows, key=lambda row: (bool(row.flag), -len(row.pattern.pattern)))
