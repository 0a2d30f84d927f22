"""A PTX text in pieces: each kernel with the functions and variables that it needs.

The modules that nvcc puts into a program have hundreds of kernels, of which a run launches a few. A piece is a text of
its own. Kernels that share a variable are one piece, so that they see the same memory.
"""

from __future__ import annotations

import re
from functools import cached_property

__all__ = ["Pieces"]

_HEADER = re.compile(r"^\s*\.(version|target|address_size)\b.*$", re.MULTILINE)
# A function or a variable at the beginning of a line, where nvcc and nvJitLink write them.
_ITEM = re.compile(
    r"^[ \t]*(?:\.(?:visible|weak|extern|common)[ \t]+)*\.(entry|func|global|const|shared|alias)\b", re.MULTILINE
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(rf"\"[^\"\n]*\"|{_COMMENT.pattern}|[{{}};]", re.DOTALL)
_WORD = re.compile(r"[%A-Za-z_$][\w$]*")
# The texts of assertions and of printf, which nothing writes: a copy in each piece is as good.
_LITERALS = ("$str", "__unnamed_", "__func__", "__PRETTY_FUNCTION__")


class Pieces:
    """The pieces of one text.

    Attributes:
        architecture: the compute capability that the text is made for, such as 80; 0 if it names none.
    """

    def __init__(self, text: str) -> None:
        self._header = "\n".join(match[0] for match in _HEADER.finditer(text[:4096])) + "\n"
        target = re.search(r"\.target\s+sm_(\d+)", self._header)
        self.architecture = int(target[1]) if target else 0
        self._texts: dict[str, str] = {}
        self._kernels: list[str] = []
        self._variables: set[str] = set()
        self._direct_needs: dict[str, set[str]] = {}
        self._split(text)

    @property
    def kernels(self) -> list[str]:
        """The names of the kernels."""
        return self._kernels

    def text_with(self, name: str) -> str | None:
        """Return the piece with a kernel or a variable, None where the text has none of that name."""
        if name not in self._texts:
            return None
        members = {name}
        shared = self._needs(name) & self._shared if name in self._kernels else {name}
        while shared:
            users = {kernel for kernel in self._kernels if self._needs(kernel) & shared} - members
            members |= users | shared
            shared = {each for kernel in users for each in self._needs(kernel) & self._shared} - shared - members
        needed = set().union(*(self._needs(each) for each in members)) | members
        return self._header + "\n".join(text for each, text in self._texts.items() if each in needed)

    def _split(self, text: str) -> None:
        starts = [match.start() for match in _ITEM.finditer(text)]
        end = 0
        for start in starts:
            if start < end:
                continue  # inside a function, as variables can be
            end = _end_of(text, start)
            self._add(_COMMENT.sub("", text[start:end]))

    def _add(self, item: str) -> None:
        kind = _ITEM.match(item)
        name = _name_of(item)
        if kind is None or name is None:
            return
        if kind[1] == "entry" and "{" in item:
            self._kernels.append(name)
        elif kind[1] in ("global", "const"):
            self._variables.add(name)
        # A declaration may come before the definition, and both are needed where functions call each other.
        self._texts[name] = f"{self._texts[name]}\n{item}" if name in self._texts else item

    def _uses(self, name: str) -> set[str]:
        uses = self._direct_needs.get(name)
        if uses is None:
            words = set(_WORD.findall(self._texts[name]))
            uses = self._direct_needs[name] = {word for word in words if word in self._texts and word != name}
        return uses

    def _needs(self, name: str) -> set[str]:
        """Return the functions and variables that one reaches."""
        needs: set[str] = set()
        waiting = [name]
        while waiting:
            new = self._uses(waiting.pop()) - needs
            needs |= new
            waiting += new
        return needs

    @cached_property
    def _shared(self) -> set[str]:
        """The variables whose memory kernels may share."""
        return {name for name in self._variables if not name.startswith(_LITERALS)}


def _name_of(item: str) -> str | None:
    head = re.split(r"[{=;]", item, maxsplit=1)[0]
    kind = _ITEM.match(head)
    if kind is None:
        return None
    head = head[kind.end() :]
    if kind[1] in ("entry", "func"):
        head = re.sub(r"^\s*\([^)]*\)", "", head)  # the parameter that is the result
        found = _WORD.search(head)
        return found[0] if found else None
    if kind[1] == "alias":
        names = _WORD.findall(head)
        return names[0] if names else None
    words = re.findall(r"(?<![.\w$])[%A-Za-z_$][\w$]*", head.split("[", maxsplit=1)[0])
    return words[-1] if words else None


def _end_of(text: str, start: int) -> int:
    """Return the place behind a declaration's semicolon, or behind the closing brace of a function."""
    depth = 0
    is_function = re.match(r"[^\n]*\.(?:entry|func)\b", text[start : start + 400]) is not None
    for token in _TOKEN.finditer(text, start):
        if token[0] == "{":
            depth += 1
        elif token[0] == "}":
            depth -= 1
            if depth == 0 and is_function:
                return token.end()
        elif token[0] == ";" and depth == 0:
            return token.end()
    return len(text)
