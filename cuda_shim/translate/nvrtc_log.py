"""A compiler's log as NVRTC writes its own: `k.cu(1): error: …`, the line with a caret, and the number of errors.

Programs and tests match that form, editors jump by it, and options suppress its warnings by their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from cuda_shim.frozen_record import Record
from cuda_shim.translate.compiler_messages import Message, read_messages
from cuda_shim.translate.nvrtc_words import words_for

__all__ = ["Diagnostics", "NvrtcLog", "nvrtc_log"]

# Files of the shim's own, which no message to a program's author names.
_OWN_FILE = re.compile(r"cuda_shim/|<module table>|name expression ")
_ERROR_DIRECTIVE = re.compile(r"\s*#\s*error\b")
_REMARK = 'Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"\n\n'


class Diagnostics(Record):
    """What a program's options say of messages.

    Attributes:
        suppressed: the numbers of warnings that are left out.
        errors: those that are errors.
        all_errors: True if every warning is an error.
        numbers: False if warnings are shown without their numbers.
        standard: the program's C++ standard.
        lenient: True if what only NVRTC refuses is a warning.
    """

    suppressed: frozenset[int] = frozenset()
    errors: frozenset[int] = frozenset()
    all_errors: bool = False
    numbers: bool = True
    standard: str = "c++17"
    lenient: bool = False


class NvrtcLog(Record):
    """A log in NVRTC's form.

    Attributes:
        text: the log.
        refused: True if the program is refused for a message that the compiler has only warned with.
    """

    text: str
    refused: bool


def nvrtc_log(log: str, program: str, sources: Mapping[str, str], diagnostics: Diagnostics) -> NvrtcLog | None:
    """Return a compiler's log in NVRTC's form; None for a log without messages of a compiler.

    `sources` are the texts of the program and of its headers by name, as their author wrote them.
    """
    messages, before, behind = read_messages(log)
    if not messages:
        return None
    return _Writer(program, sources, diagnostics).write(messages, before, behind)


class _Writer:
    def __init__(self, program: str, sources: Mapping[str, str], diagnostics: Diagnostics) -> None:
        self._program = program
        self._sources = sources
        self._diagnostics = diagnostics
        self._blocks: list[str] = []
        self._seen: set[str] = set()
        self._errors = 0
        self._refused = self._warned = self._ended = False

    def write(self, messages: Sequence[Message], before: Sequence[str], behind: Sequence[str]) -> NvrtcLog:
        for index, message in enumerate(messages):
            if message.severity == "note" or self._ended:
                continue
            if self._is_error_directive(message):
                self._write_directive(message)
            else:
                self._write_one(message, _notes_behind(messages, index))
        text = "".join((_lines(before), *self._blocks, _lines(behind)))
        if self._ended:
            text += f'1 catastrophic error detected in the compilation of "{self._program}".\nCompilation terminated.\n'
        elif self._errors:
            text += (
                f'{self._errors} error{"s" * (self._errors > 1)} detected in the compilation of "{self._program}".\n'
            )
        return NvrtcLog(text, self._refused)

    def _write_one(self, message: Message, notes: Sequence[Message]) -> None:
        words = words_for(message, notes, self._diagnostics.standard)
        severity = self._severity(message, words.number, words.refused)
        if severity is None:
            return
        if not words.known:
            severity = "note"
        number = f" #{words.number}-D" if self._shows_number(message, words.number) else ""
        block = f"{message.file}({message.line}): {severity}{number}: {words.text}\n{self._shown(message)}"
        if severity == "error":
            for note in notes:
                if not _OWN_FILE.match(note.file):
                    block += f"{note.file}({note.line}): note: {note.text}\n{self._shown(note)}"
        block += "\n"
        if block in self._seen:  # a template's instances repeat what is wrong with it
            return
        self._seen.add(block)
        self._errors += severity == "error"
        self._refused = self._refused or (severity == "error" and message.severity == "warning")
        if number and not self._warned:
            block += _REMARK
            self._warned = True
        self._blocks.append(block)

    def _severity(self, message: Message, number: int | None, refused: bool) -> str | None:
        """Return "error" or "warning"; None for what is not shown."""
        asked = self._diagnostics
        if message.severity == "error":
            return "error"
        if refused:
            return "warning" if asked.lenient else "error"
        if number in asked.errors:
            return "error"
        if number in asked.suppressed or _OWN_FILE.match(message.file):
            return None
        return "error" if asked.all_errors and number is not None else "warning"

    def _shows_number(self, message: Message, number: int | None) -> bool:
        """Return whether a warning's number is shown: not with those that an option makes errors by name."""
        shown = number is not None and number not in self._diagnostics.errors
        return shown and message.severity == "warning" and self._diagnostics.numbers

    def _is_error_directive(self, message: Message) -> bool:
        return message.severity == "error" and bool(_ERROR_DIRECTIVE.match(self._line(message) or ""))

    def _write_directive(self, message: Message) -> None:
        """Write what `#error` says, at which NVRTC ends."""
        place = f"{message.file}({message.line}): catastrophic error: #error directive: {message.text}\n"
        self._blocks.append(f"{place}{self._shown(message)}\n")
        self._ended = True

    def _line(self, message: Message) -> str | None:
        source = self._sources.get(message.file)
        lines = [] if source is None else source.split("\n")
        return lines[message.line - 1].rstrip("\r") if 0 < message.line <= len(lines) else None

    def _shown(self, message: Message) -> str:
        """Return the line that a message is about, with a caret below; empty where its text is not at hand."""
        line = self._line(message)
        if line is None:
            return ""
        before = line.encode("utf-8", "surrogateescape")[: message.column - 1].decode("utf-8", "replace")
        indentation = re.sub(r"[^\t]", " ", before)
        return f"  {line}\n  {indentation}^\n"


def _lines(lines: Sequence[str]) -> str:
    text = "\n".join(lines).strip("\n")
    return f"{text}\n" if text else ""


def _notes_behind(messages: Sequence[Message], index: int) -> list[Message]:
    """Return the notes on a message, which follow it."""
    notes = []
    for message in messages[index + 1 :]:
        if message.severity != "note":
            break
        notes.append(message)
    return notes
