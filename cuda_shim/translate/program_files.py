"""Files that a program's own texts include: macros stand for their names until the program is compiled.

hiprtc compiles a text without a folder, and takes the text before the options. NVRTC searches for `#include "x.h"` in
the folder of the text's name first, unless an option says otherwise, and a header may have to be translated wherever it
is. So the name becomes a macro when the program is created, and an option defines the macro when it is compiled.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from cuda_shim.frozen_record import Record
from cuda_shim.translate.edits import Edit, apply
from cuda_shim.translate.lexer import STRING, Text, Token

__all__ = ["ProgramFile", "ProgramFiles", "definitions", "file_questions", "is_plain", "quoted_name"]

_MACRO = b"CUDA_SHIM_FILE_%d"


class ProgramFile(Record):
    """A file that a text of the program includes.

    Attributes:
        macro: the macro that replaces the name in the text.
        name: the name as it is written.
        is_quoted: True if it is in quotes, not in angle brackets.
        folder: the folder of the including text's name, which may be relative to the working directory.
    """

    macro: bytes
    name: bytes
    is_quoted: bool
    folder: bytes

    def found_beside(self, search_source: bool) -> bytes | None:
        """Return the file's absolute path if the name alone, or the text's folder, leads to one; else None."""
        if not os.path.isabs(self.name) and not (self.is_quoted and search_source):
            return None
        path = os.path.join(os.getcwdb(), self.folder, self.name)
        return path if os.path.isfile(path) else None

    @property
    def is_plain(self) -> bool:
        """True if the name stays inside the folder that it is searched in."""
        return is_plain(self.name)

    def as_written(self) -> bytes:
        """Return the name in its quotes or brackets."""
        return b'"%s"' % self.name if self.is_quoted else b"<%s>" % self.name


class ProgramFiles:
    """Collects the files that the texts of one program include, but for the headers that the program was given."""

    def __init__(self, own_headers: frozenset[bytes]) -> None:
        self.files: list[ProgramFile] = []
        self._own_headers = own_headers
        self._macros: dict[tuple[bytes, bytes], bytes] = {}

    def edits(self, text: Text, label: bytes) -> Iterator[Edit]:
        """Yield the edits that replace names by macros; `label` is the text's own name."""
        folder = os.path.dirname(label)
        for directive in text.directives:
            if directive.file is not None and (directive.is_quoted or not is_plain(directive.file)):
                yield from self._edit(
                    directive.file, directive.is_quoted, folder, directive.file_begin, directive.file_end
                )
        for name, place in file_questions(text):
            yield from self._edit(name, True, folder, place.begin, place.end)

    def translate(self, source: bytes, label: bytes) -> bytes:
        """Return a text with its names replaced by macros."""
        text = Text(source)
        edits = list(self.edits(text, label))
        return apply(text, edits) if edits else source

    def _edit(self, name: bytes, is_quoted: bool, folder: bytes, begin: int, end: int) -> Iterator[Edit]:
        if name in self._own_headers or b"\0" in name:
            return
        written = b'"%s"' % name if is_quoted else b"<%s>" % name
        macro = self._macros.get((folder, written))
        if macro is None:
            macro = self._macros[folder, written] = _MACRO % len(self.files)
            self.files.append(ProgramFile(macro, name, is_quoted, folder))
        # A compiler's message shows the line: the comment gives the name.
        comment = b"" if b"*/" in written or b"/*" in written else b" /* %s */" % written
        yield Edit(begin, end, macro + comment)


def file_questions(text: Text) -> Iterator[tuple[bytes, Token]]:
    """Yield the names of `__has_include("name")`, each with its token."""
    tokens = text.tokens
    for index, token in enumerate(tokens[:-2]):
        if token.text == b"__has_include" and tokens[index + 1].text == b"(" and tokens[index + 2].kind == STRING:
            yield tokens[index + 2].text.strip(b'"'), tokens[index + 2]


def is_plain(name: bytes) -> bool:
    """Return whether a name stays inside the folder that it is searched in."""
    return not any(part in (b"", b".", b"..") for part in name.split(b"/")) and b"\0" not in name


def quoted_name(path: bytes) -> bytes | None:
    """Return a path as the operand of `#include`, None if it cannot be written as one."""
    if b"\n" in path or b"\r" in path:
        return None
    if b'"' not in path:
        return b'"%s"' % path
    return b"<%s>" % path if b">" not in path else None


def definitions(files: list[ProgramFile], path_of: Callable[[ProgramFile], bytes | None]) -> list[bytes]:
    """Return the options that define the files' macros: as the path that `path_of` gives, or as the name is written."""
    values = ((file, path_of(file)) for file in files)
    return [
        b"-D%s=%s" % (file.macro, (quoted_name(path) if path is not None else None) or file.as_written())
        for file, path in values
    ]
