"""CUDA C++ searched for constructs that a backend does not serve: inline PTX, headers, names of device code."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cuda_shim.scan import by_backend, device_names
from cuda_shim.scan.diagnostics import BACKENDS, Answer, Verdict
from cuda_shim.translate.assembly import ASM_KEYWORDS, Untranslatable, is_ignored, read_statement
from cuda_shim.translate.lexer import IDENTIFIER, Text
from cuda_shim.translate.ptx.inline import to_expression

__all__ = ["Spot", "device_ranges", "find", "is_device_code", "is_inside"]

_MARK = re.compile(rb"\b__(?:global|device)__\b")
_MARKS = (b"__global__", b"__device__")
_WORD = re.compile(r"[A-Za-z_]\w*")


class Spot(NamedTuple):
    """A place in a source (line and column in bytes, from 1), the name there, and the verdict on it."""

    line: int
    column: int
    name: str
    verdict: Verdict


def is_device_code(text: bytes) -> bool:
    """Return whether a text is CUDA C++, as far as a scan cares: it has a kernel or a device function."""
    return _MARK.search(text) is not None


def find(source: bytes, folder: Path | None = None) -> Iterator[Spot]:
    """Yield the constructs of a source that are not served everywhere, in the order of its text.

    `folder` is that of the source's file, if it has one: headers there are the program's own.
    """
    text = Text(source)
    yield from sorted([*_includes(text, folder), *_assembly(text), *_names(text), *_launches(text)])


def _spot(text: Text, place: int, name: str, verdict: Verdict) -> Spot:
    return Spot(text.line(place), text.column(place), name, verdict)


def _includes(text: Text, folder: Path | None) -> Iterator[Spot]:
    for directive in text.directives:
        if directive.file is None:
            continue
        name = directive.file.decode("utf-8", "replace")
        if folder is not None and os.path.isfile(folder / name):
            continue
        rocm, cpu = device_names.header_on_rocm(name), device_names.header_on_cpu(name)
        if rocm.code != "CS103" or cpu.code != "CS103":
            yield _spot(text, directive.begin, name, Verdict.apart(f"#include <{name}>", rocm, cpu))


def _assembly(text: Text) -> Iterator[Spot]:
    for index, token in enumerate(text.tokens):
        if token.kind != IDENTIFIER or token.text not in ASM_KEYWORDS or is_ignored(text, index):
            continue
        try:
            statement = read_statement(text, index)
            expression = None if statement is None else to_expression(statement)
        except Untranslatable as reason:
            yield _spot(text, token.begin, "asm", Verdict("CS301", f"inline PTX {reason}"))
            continue
        words = _WORD.findall(expression or "")
        rocm, cpu = (device_names.refused_ptx(words, backend) for backend in BACKENDS)
        if rocm is not None or cpu is not None:
            answers = [Answer("CS301", each) if each else Answer("CS103", "translated to C++") for each in (rocm, cpu)]
            yield _spot(text, token.begin, "asm", Verdict.apart("inline PTX", *answers))


def _names(text: Text) -> Iterator[Spot]:
    """Yield names that a backend refuses or limits, and functions that nothing here knows.

    Names without underscores are host API as well, so they count in device functions alone. A limit is reported once.
    """
    begins, ends = device_ranges(text)
    inside = [is_inside(token.begin, begins, ends) for token in text.tokens]
    own = {token.text for token, within in zip(text.tokens, inside, strict=True) if not within}
    limited: set[str] = set()
    for index, token in enumerate(text.tokens):
        name = token.text.decode("utf-8", "replace")
        if token.kind != IDENTIFIER or not (inside[index] or name.startswith("__")):
            continue
        verdict = device_names.refused(name)
        if verdict is None and name not in limited:
            limit = by_backend.limit_of(name)
            if limit:
                verdict = Verdict.apart(name, Answer("CS104", limit), Answer("CS103", "served"))
                limited.add(name)
        called = text.tokens[index + 1].text == b"(" if index + 1 < len(text.tokens) else False
        if verdict is None and called and inside[index] and token.text not in own:
            verdict = device_names.unknown_function(name)
        if verdict is not None:
            yield _spot(text, token.begin, name, verdict)


def _launches(text: Text) -> Iterator[Spot]:
    """Yield kernels launched by kernels."""
    for begin, end in zip(*device_ranges(text), strict=True):
        for match in re.finditer(rb"<<<", text.source[begin:end]):
            message = "<<<>>>: HIP's device code launches no kernels; launch from the host"
            yield _spot(text, begin + match.start(), "<<<>>>", Verdict("CS303", message))


def is_inside(place: int, begins: list[int], ends: list[int]) -> bool:
    """Return whether a place is in one of the ranges of `device_ranges`."""
    at = bisect_right(begins, place) - 1
    return at >= 0 and place < ends[at]


def device_ranges(text: Text) -> tuple[list[int], list[int]]:
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
