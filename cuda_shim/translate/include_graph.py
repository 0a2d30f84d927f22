"""The graph of `#include`: the files of the program's folders that its texts reach, and the target of each name.

Conditions are not evaluated: a file too many does no harm. A name that a macro expands to is not followed.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from cuda_shim.translate.program_files import is_plain

__all__ = ["Directive", "Include", "Reached", "directives_in", "key_of", "reach"]

_INCLUDE = re.compile(
    rb'^[ \t]*#[ \t]*(include|include_next)(?:[ \t]|/\*(?:[^*\n]|\*(?!/))*\*/)*(?:"([^"\n\0]+)"|<([^>\n\0]+)>)',
    re.MULTILINE,
)


class Directive(NamedTuple):
    """An `#include` as it is written."""

    name: bytes
    is_quoted: bool
    is_next: bool


class Include(NamedTuple):
    """The resolved target of a directive.

    Attributes:
        directive: the line.
        target: the key of the file.
        folder_index: the folder of -I in which the name is found from anywhere; -1 if it is found beside the including
            file, by a path, or by `#include_next`.
    """

    directive: Directive
    target: bytes
    folder_index: int


class Reached:
    """A file that is reached: its path as a compiler would spell it, its text, and the files that it includes."""

    def __init__(self, path: bytes, text: bytes, folder_index: int) -> None:
        self.path = path
        self.text = text
        self.folder_index = folder_index
        self.includes: list[Include] = []


class _Place(NamedTuple):
    """A path, the folder of -I that it was found in, and the folder of -I from which its name is found anywhere."""

    path: bytes
    found_in: int
    folder_index: int


def reach(
    texts: Iterable[bytes], paths: Iterable[bytes], folders: Sequence[bytes], skipped: frozenset[bytes]
) -> tuple[list[Include], dict[bytes, Reached]]:
    """Return the includes of the program's own texts, and each file that is reached, by its key.

    A file has one key in each folder, in every spelling of the folder: names in quotes are searched there.

    Args:
        texts: the program's own texts, whose names are searched in `folders` alone.
        paths: files that the texts name by a path of their own.
        folders: the folders of -I, in order.
        skipped: names that are not searched: headers that the program was given, and the runtime's own.
    """
    search = _Search(folders, skipped)
    included = []
    for directive in dict.fromkeys(directive for text in texts for directive in directives_in(text)):
        place = search.find(directive, None)
        if place is not None:
            included.append(Include(directive, search.add(place), place.folder_index))
    for path in paths:
        search.add(_Place(path, -1, -1))
    search.finish()
    return included, search.reached


class _Search:
    def __init__(self, folders: Sequence[bytes], skipped: frozenset[bytes]) -> None:
        self.reached: dict[bytes, Reached] = {}
        self._folders = folders
        self._skipped = skipped
        self._waiting: list[Reached] = []
        self._listed: dict[bytes, frozenset[bytes]] = {}

    def add(self, place: _Place) -> bytes:
        """Return the key of a file, which is read when it is new."""
        key = key_of(place.path)
        if key not in self.reached:
            about = os.stat(place.path)
            text = _read(place.path, about.st_ino, about.st_mtime_ns, about.st_ctime_ns, about.st_size)
            file = self.reached[key] = Reached(place.path, text, place.found_in)
            self._waiting.append(file)
        return key

    def finish(self) -> None:
        """Read all files that can be reached from the added ones."""
        while self._waiting:
            file = self._waiting.pop()
            for directive in directives_in(file.text):
                place = self.find(directive, file)
                if place is not None:
                    file.includes.append(Include(directive, self.add(place), place.folder_index))

    def find(self, directive: Directive, file: Reached | None) -> _Place | None:
        """Return the file of a directive: beside the including file, or in the first folder that has the name."""
        name = directive.name
        if os.path.isabs(name):
            return _Place(name, -1, -1) if self._holds(b"", name) else None
        if name in self._skipped:
            return None
        if file is not None and directive.is_quoted and not directive.is_next:
            beside = os.path.dirname(file.path)
            if self._holds(beside, name):
                return _Place(os.path.join(beside, name), file.folder_index, -1)
        first = file.folder_index + 1 if file is not None and directive.is_next else 0
        for index, folder in enumerate(self._folders[first:], first):
            if self._holds(folder, name):
                from_anywhere = is_plain(name) and not directive.is_next
                return _Place(os.path.join(folder, name), index, index if from_anywhere else -1)
        return None

    def _holds(self, folder: bytes, name: bytes) -> bool:
        """Return whether a folder has the file; each folder is listed once, since most of them lack most names."""
        place, _, file = os.path.join(folder, name).rpartition(b"/")
        names = self._listed.get(place)
        if names is None:
            names = self._listed[place] = _files_in(place or (b"/" if os.path.isabs(name) else b"."))
        return file in names


def key_of(path: bytes) -> bytes:
    """Return the key of a file: the real path of its folder and its name."""
    folder, _, name = path.rpartition(b"/")
    return os.path.join(os.path.realpath(folder or (b"/" if os.path.isabs(path) else b".")), name)


def _files_in(folder: bytes) -> frozenset[bytes]:
    try:
        with os.scandir(folder) as entries:
            return frozenset(entry.name for entry in entries if entry.is_file() and os.access(entry.path, os.R_OK))
    except OSError:
        return frozenset()


@functools.lru_cache(maxsize=4096)
def _read(path: bytes, inode: int, modified: int, changed: int, size: int) -> bytes:
    """Return a file's text, read again when any of the other arguments has changed."""
    with open(path, "rb") as file:
        return file.read()


@functools.lru_cache(maxsize=4096)
def directives_in(text: bytes) -> tuple[Directive, ...]:
    """Return the `#include` lines of a text, each once."""
    matches = (Directive(m[2] or m[3], m[2] is not None, m[1] != b"include") for m in _INCLUDE.finditer(text))
    return tuple(dict.fromkeys(matches))
