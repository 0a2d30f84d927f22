"""CUDA C++ looked through for what no translation serves: inline PTX, headers, names of device code."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from cuda_shim.mapping.text_tables import load_text
from cuda_shim.scan.diagnostics import Verdict
from cuda_shim.translate.assembly import ASM_KEYWORDS, Untranslatable, read_statement
from cuda_shim.translate.lexer import IDENTIFIER, Text
from cuda_shim.translate.prologue import Needs
from cuda_shim.translate.ptx.inline import to_expression

__all__ = ["Spot", "find", "is_device_code"]

_MARK = re.compile(rb"\b__(?:global|device)__\b")
_MARKS = (b"__global__", b"__device__")


class Spot(NamedTuple):
    """A place in a source (line and column in bytes, from 1), what lies there, and what becomes of it."""

    line: int
    column: int
    name: str
    verdict: Verdict


def is_device_code(text: bytes) -> bool:
    """Return whether a text is CUDA C++, as far as a scan cares: it has a kernel or a device function."""
    return _MARK.search(text) is not None


def find(source: bytes) -> Iterator[Spot]:
    """Yield what will not work in a source, in the order of its text."""
    text = Text(source)
    yield from sorted([*_includes(text), *_assembly(text), *_names(text), *_launches(text)])


def _spot(text: Text, place: int, code: str, name: str, message: str) -> Spot:
    return Spot(text.line(place), text.column(place), name, Verdict(code, message))


def _includes(text: Text) -> Iterator[Spot]:
    needs = Needs(False, frozenset())
    for directive in text.directives:
        reason = needs.refused_on_gpu(directive.file) if directive.file is not None else None
        if reason is not None and directive.file is not None:
            name = directive.file.decode("utf-8", "replace")
            yield _spot(text, directive.begin, "CS302", name, f"#include <{name}>: {reason}")


def _assembly(text: Text) -> Iterator[Spot]:
    for index, token in enumerate(text.tokens):
        if token.kind != IDENTIFIER or token.text not in ASM_KEYWORDS:
            continue
        try:
            statement = read_statement(text, index)
            if statement is not None:
                to_expression(statement)
        except Untranslatable as reason:
            yield _spot(text, token.begin, "CS301", "asm", f"inline PTX {reason}")


def _names(text: Text) -> Iterator[Spot]:
    """Refused names. Those without underscores are host API as well, so they count in device functions alone."""
    refused = load_text("device")["refused"]
    begins, ends = _device_ranges(text)
    for token in text.tokens:
        name = token.text.decode("utf-8", "replace")
        if token.kind != IDENTIFIER or name not in refused:
            continue
        at = bisect_right(begins, token.begin) - 1
        if name.startswith("__") or (at >= 0 and token.begin < ends[at]):
            yield _spot(text, token.begin, "CS303", name, f"{name}: {refused[name]}")


def _launches(text: Text) -> Iterator[Spot]:
    """Yield kernels launched by kernels."""
    for begin, end in zip(*_device_ranges(text), strict=True):
        for match in re.finditer(rb"<<<", text.source[begin:end]):
            message = "<<<>>>: HIP's device code launches no kernels; launch from the host"
            yield _spot(text, begin + match.start(), "CS303", "<<<>>>", message)


def _device_ranges(text: Text) -> tuple[list[int], list[int]]:
    """Return where the bodies of kernels and device functions begin and end."""
    begins: list[int] = []
    ends: list[int] = []
    index = 0
    while index < len(text.tokens):
        if text.tokens[index].text in _MARKS:
            while index < len(text.tokens) and text.tokens[index].text not in (b"{", b";"):
                index += 1
            closing = text.closing(index) if index < len(text.tokens) and text.tokens[index].text == b"{" else None
            if closing is not None:
                begins.append(text.tokens[index].begin)
                ends.append(text.tokens[closing].end)
                index = closing
        index += 1
    return begins, ends
