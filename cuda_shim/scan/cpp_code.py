"""C++ and CUDA C++ files: device code in the text and in its string literals, and host code, which is not judged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from cuda_shim.mapping import store
from cuda_shim.mapping.rows import FunctionRow
from cuda_shim.scan import device_code
from cuda_shim.scan.device_code import Spot
from cuda_shim.scan.diagnostics import NOT_JUDGED, Verdict
from cuda_shim.scan.support import Support
from cuda_shim.translate.lexer import IDENTIFIER, STRING, Text

__all__ = ["find"]

# Other files are not taken apart.
_MARKS = re.compile(rb"cu[A-Z]|cuda|nvrtc|__global__|__device__")
_RAW = re.compile(rb'[^"]*R"(?P<mark>[^(]*)\((?P<text>.*)\)(?P=mark)"', re.DOTALL)


def find(content: bytes, folder: Path, support: Support, *, is_cuda: bool) -> Iterator[Spot]:
    """Yield the findings of a file in `folder`, in the order of its text.

    `is_cuda` tells that the file is CUDA C++ by its name, whether or not it has a kernel.
    """
    if not is_cuda and _MARKS.search(content) is None:
        return
    text = Text(content)
    yield from sorted([*_device_code(text, folder, is_cuda), *_host_calls(text, support)])


def _device_code(text: Text, folder: Path, is_cuda: bool) -> Iterator[Spot]:
    if is_cuda or any(token.kind == IDENTIFIER and device_code.is_device_code(token.text) for token in text.tokens):
        yield from device_code.find(text.source, folder)
    for token in text.tokens:
        raw = _RAW.fullmatch(token.text) if token.kind == STRING else None
        if raw is None or not device_code.is_device_code(raw["text"]):
            continue
        line, column = text.line(token.begin), text.column(token.begin) + raw.start("text")
        for spot in device_code.find(raw["text"], folder):
            shift = column - 1 if spot.line == 1 else 0
            yield Spot(line + spot.line - 1, spot.column + shift, spot.name, spot.verdict)


def _host_calls(text: Text, support: Support) -> Iterator[Spot]:
    """Yield one finding for the calls of CUDA's API that host code makes: how it is compiled and linked decides."""
    begins, ends = device_code.device_ranges(text)
    calls = [
        token
        for index, token in enumerate(text.tokens[:-1])
        if token.kind == IDENTIFIER
        and text.tokens[index + 1].text == b"("
        and not device_code.is_inside(token.begin, begins, ends)
        and _is_function(token.text.decode("utf-8", "replace"), support.cuda)
    ]
    if calls:
        first = calls[0].text.decode()
        count = f"{len(calls)} calls, the first of {first}" if len(calls) > 1 else f"a call of {first}"
        reason = (
            f"host code in C++ is not judged ({count}); libraries that open libcuda or libcudart by name are served"
        )
        yield Spot(text.line(calls[0].begin), text.column(calls[0].begin), first, Verdict(NOT_JUDGED, reason))


def _is_function(name: str, cuda: str) -> bool:
    if not name.startswith(("cu", "nvrtc")):
        return False
    return any(isinstance(store.load(table).row(name, cuda), FunctionRow) for table in store.TABLES)
