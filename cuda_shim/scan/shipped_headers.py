"""The contents of the shipped headers: those that stand for CUDA's on AMD GPUs, and the CPU runtime's own.

They are the truth about a header or a name of device code, so that a scan asks them and keeps no list of its own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from cuda_shim import cuda_home
from cuda_shim.translate import headers as provided

__all__ = ["compiled_part", "cpu_has_header", "names_of", "ptx_refusals_of", "refusals_of"]

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")
_REASON = r'__attribute__\(\((?:error|unavailable)\("(?P<reason>[^"]*)"\)\)\)'
# Patterns of a function behind its reason, a constant in front of its reason, and a macro that stands for a reason.
_FUNCTION = re.compile(_REASON + r"[^;{}(]*?(?P<name>[A-Za-z_]\w*)\s*\(")
_CONSTANT = re.compile(r"(?P<name>[A-Za-z_]\w*)\s+" + _REASON + r"\s*=")
_MACRO = re.compile(r"#define\s+(?P<macro>[A-Za-z_]\w*)\s*(?:\\\s*)?" + _REASON)
# A macro that stands for a call without its arguments.
_MACRO_OF_CALL = re.compile(r"#define\s+(?P<macro>\w+)\(\.\.\.\)\s+(?:\w+::)*(?P<function>\w+)\(\)\s*$", re.MULTILINE)
_DIRECTIVE = re.compile(r"\s*#\s*(if|ifdef|ifndef|else|elif|endif)\b")
_OF_CPU = Path(cuda_home.folder())
_OF_ROCM = Path(provided.__file__).parent
# Subfolders of the CPU runtime's headers in which a kernel's includes are looked for.
_INCLUDED = ("include", "libcudacxx", "preprocess_only")
# Headers of the C and C++ standards, which the compiler of kernels brings along. Headers with functions of the host are
# refused, as by NVRTC (kernel_compiler/read/missing_headers.cpp).
_STANDARD = frozenset({
    "assert.h", "cassert", "cfloat", "climits", "cmath", "cstddef", "cstdint", "cstring", "float.h", "limits.h",
    "math.h", "stddef.h", "stdint.h", "string.h",
})  # fmt: skip


def cpu_has_header(name: str) -> bool:
    """Return whether kernels on the CPU backend may include a header without naming a folder."""
    # Unlike Path.is_file, os.path.isfile answers for names that are too long or hold a zero.
    return name in _STANDARD or any(os.path.isfile(_OF_CPU / part / name) for part in _INCLUDED)


@cache
def names_of(backend: str) -> frozenset[str]:
    """Return every identifier in the headers of `rocm` or `cpu`, comments left out."""
    # The CPU runtime's folder contains the portable headers, which those for AMD GPUs include.
    folders = [_OF_CPU] if backend == "cpu" else [_OF_ROCM, provided.portable_folder()]
    return frozenset(name for folder in folders for _, text in _texts(folder) for name in _NAME.findall(text))


@cache
def refusals_of(backend: str) -> dict[str, str]:
    """Return the names of device code whose use the headers of a backend refuse, with the reasons."""
    texts = _texts(_OF_CPU if backend == "cpu" else _OF_ROCM)
    return _refused(compiled_part(text, on_gpu=backend == "rocm") for path, text in texts if not _is_ptx(path))


@cache
def ptx_refusals_of(backend: str) -> dict[str, str]:
    """Return the functions of inline PTX whose use a backend refuses, with the reasons.

    Both backends compile the headers that have them, in parts that ask for which of them it is.
    """
    texts = [compiled_part(text, on_gpu=backend == "rocm") for path, text in _texts(_OF_ROCM) if _is_ptx(path)]
    reasons = _refused(texts)
    for text in texts:
        for macro in _MACRO_OF_CALL.finditer(text):
            if macro["function"] in reasons:
                reasons[macro["macro"]] = reasons[macro["function"]]
    return reasons


def _is_ptx(path: Path) -> bool:
    return path.name.startswith("ptx")


def _refused(texts: Iterable[str]) -> dict[str, str]:
    reasons: dict[str, str] = {}
    for text in texts:
        for match in (*_FUNCTION.finditer(text), *_CONSTANT.finditer(text)):
            reasons[match["name"]] = match["reason"]
        for macro in _MACRO.finditer(text):
            for use in re.finditer(rf"^{macro['macro']}\b[^;{{}}(]*?([A-Za-z_]\w*)\s*\(", text, re.MULTILINE):
                reasons[use[1]] = macro["reason"]
    return reasons


def compiled_part(text: str, *, on_gpu: bool) -> str:
    """Return the lines of a header that are compiled for AMD GPUs, or those for host cores, by its #if of __AMDGCN__.

    Lines under any other condition stay.
    """
    lines: list[str] = []
    # State of each open condition: whether its lines are compiled, and whether it asks for the GPU.
    taken: list[bool] = []
    conditions: list[bool] = []
    for line in text.splitlines():
        word = _DIRECTIVE.match(line)
        if word is None:
            if all(taken):
                lines.append(line)
        elif word[1].startswith("if"):
            by_device = "__AMDGCN__" in line
            taken.append(on_gpu != ("!" in line or word[1] == "ifndef") if by_device else True)
            conditions.append(by_device)
        elif word[1] == "endif":
            taken.pop()
            conditions.pop()
        elif conditions[-1]:
            taken[-1] = not taken[-1]
    return "\n".join(lines)


@cache
def _texts(folder: Path) -> tuple[tuple[Path, str], ...]:
    """Return the headers below a folder with their texts, comments left out."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix in ("", ".h", ".hpp")]
    return tuple((path, _COMMENT.sub(" ", path.read_text(encoding="utf-8"))) for path in paths)
