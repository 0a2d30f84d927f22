"""What the headers that ship hold: those that stand for CUDA's on AMD GPUs, and the CPU runtime's own.

They are the truth about a header or a name of device code, so that a scan asks them and keeps no list of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from cuda_shim import cuda_home
from cuda_shim.translate import headers as provided

__all__ = ["cpu_has_header", "names_of", "refusals_of"]

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")
_REASON = r'__attribute__\(\((?:error|unavailable)\("(?P<reason>[^"]*)"\)\)\)'
# A function behind its reason, a constant in front of it, and a macro that stands for a reason.
_FUNCTION = re.compile(_REASON + r"[^;{}(]*?(?P<name>[A-Za-z_]\w*)\s*\(")
_CONSTANT = re.compile(r"(?P<name>[A-Za-z_]\w*)\s+" + _REASON + r"\s*=")
_MACRO = re.compile(r"#define\s+(?P<macro>[A-Za-z_]\w*)\s*(?:\\\s*)?" + _REASON)
# Below the folder of the CPU runtime's headers: where a kernel's includes are looked for.
_INCLUDED = ("include", "core", "expanded")
# Headers of the C and C++ standards, which the compiler of kernels brings along.
_STANDARD = frozenset({
    "assert.h", "cassert", "cfloat", "climits", "cmath", "cstddef", "cstdint", "cstdio", "cstdlib", "cstring", "ctime",
    "float.h", "limits.h", "math.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "time.h",
})  # fmt: skip


def cpu_has_header(name: str) -> bool:
    """Return whether kernels on the CPU backend may include a header without naming a folder."""
    folder = Path(cuda_home.folder())
    return name in _STANDARD or any((folder / part / name).is_file() for part in _INCLUDED)


@cache
def names_of(backend: str) -> frozenset[str]:
    """Return every identifier in the headers of `rocm` or `cpu`, comments left out."""
    return frozenset(name for text in _texts(backend) for name in _NAME.findall(text))


@cache
def refusals_of(backend: str) -> dict[str, str]:
    """Return the functions and constants whose use the headers of a backend refuse, with the reasons."""
    found: dict[str, str] = {}
    for text in _texts(backend):
        for match in (*_FUNCTION.finditer(text), *_CONSTANT.finditer(text)):
            found[match["name"]] = match["reason"]
        for macro in _MACRO.finditer(text):
            for use in re.finditer(rf"^{macro['macro']}\b[^;{{}}(]*?([A-Za-z_]\w*)\s*\(", text, re.MULTILINE):
                found[use[1]] = macro["reason"]
    return found


def _texts(backend: str) -> Iterator[str]:
    folder = Path(cuda_home.folder()) if backend == "cpu" else Path(provided.__file__).parent
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in ("", ".h", ".hpp"):
            yield _COMMENT.sub(" ", path.read_text(encoding="utf-8"))
