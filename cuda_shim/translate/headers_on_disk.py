"""Headers of the program's own folders that hold inline PTX, as the CPU runtime takes them.

hiprtc reads the folders of -I itself. CUDA's C++ core libraries are full of inline PTX, which the host's compiler does
not know: what a program can reach of it is translated, and a folder of the translated files is searched first.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from cuda_shim.mapping.store import source_folder
from cuda_shim.mapping.text_tables import load_text
from cuda_shim.translate import headers as provided
from cuda_shim.translate.source import translate_header

__all__ = ["identity", "translated", "with_inline_ptx"]

_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"]", re.MULTILINE)
_ASM = re.compile(rb"\b(?:asm|__asm|__asm__)\b[\s\w]*\(")


# What CUDA's C++ core libraries do by the hardware's barriers and copy engines, they can do by atomic operations, as
# for older GPUs: in these folders the older way is taken.
_BY_HARDWARE = (b"cuda/__barrier/", b"cuda/__memcpy_async/", b"cuda/std/__barrier/")
_HARDWARE = re.compile(rb"\bNV_PROVIDES_SM_(?:80|90|100)\b")
# The address of a null pointer's member is a constant to NVIDIA's compiler alone.
_NULL_OFFSET = re.compile(rb"!\(&\(\(\((\w+)\*\)\s*0\)->(\w+)\)\)")


class _Header(NamedTuple):
    """What is known of a file: the names it includes, and its text where that holds inline PTX."""

    includes: tuple[bytes, ...]
    text: bytes | None


def with_inline_ptx(texts: Iterable[bytes], folders: Sequence[bytes]) -> dict[bytes, bytes]:
    """Name and text of each header that `texts` reach in `folders` and that holds inline PTX.

    Conditions are not looked at: a header too many does no harm. Empty where nothing is to be translated.
    """
    waiting = [(name, b"") for text in texts for name in _INCLUDE.findall(text)]
    seen: set[tuple[bytes, bytes]] = set()
    listed: dict[bytes, frozenset[bytes]] = {}
    found: dict[bytes, bytes] = {}
    while waiting:
        name, beside = waiting.pop()
        path = None if name in _of_the_runtime() else _find(name, folders, beside, listed)
        if path is None or (name, path) in seen:
            continue
        seen.add((name, path))
        about = os.stat(path)
        header = _read(path, about.st_mtime_ns, about.st_size)
        folder = os.path.dirname(path)
        waiting += ((include, folder) for include in header.includes)
        if header.text is not None:
            found.setdefault(name, header.text)
    return found


def translated(headers: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
    """Return the headers translated, and with them those of this package that the translations use."""
    wanted: set[str] = set()
    found = {}
    for name, text in headers.items():
        found[name], needed = translate_header(text, name)
        wanted |= needed
    return {**dict(provided.texts(wanted, set())), **found}


@functools.cache
def identity() -> str:
    """Return what changes when translations may: a digest of this layer's own files and of its tables'."""
    own, compiled = Path(__file__).parent, Path(__file__).parents[1] / "_tables"
    places = [own, compiled if compiled.is_dir() else source_folder()]
    files = sorted(file for place in places for file in place.rglob("*") if file.is_file() and file.suffix != ".pyc")
    about = ((str(file), file.stat()) for file in files)
    told = "".join(f"{file} {status.st_mtime_ns} {status.st_size}\n" for file, status in about)
    return hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()


@functools.cache
def _of_the_runtime() -> frozenset[bytes]:
    """Headers of the CUDA toolkit that the CPU runtime has itself, whatever the program's folders hold."""
    rows = load_text("device")["headers"].items()
    core_libraries = ("cuda/", "thrust/")
    return frozenset(name.encode() for name, row in rows if "refuse" not in row and not name.startswith(core_libraries))


def _find(name: bytes, folders: Sequence[bytes], beside: bytes, listed: dict[bytes, frozenset[bytes]]) -> bytes | None:
    """Where a header lies: beside the one that includes it, or in the first folder that has it.

    `listed` collects what the folders hold, which is asked once for each of them.
    """
    for folder in (beside, *folders) if beside else folders:
        path = os.path.join(folder, name)
        place, _, file = path.rpartition(b"/")
        names = listed.get(place)
        if names is None:
            names = listed[place] = _files_in(place)
        if file in names:
            return path
    return None


def _files_in(folder: bytes) -> frozenset[bytes]:
    try:
        with os.scandir(folder or b".") as entries:
            return frozenset(entry.name for entry in entries if entry.is_file())
    except OSError:
        return frozenset()


@functools.lru_cache(maxsize=4096)
def _read(path: bytes, modified: int, size: int) -> _Header:
    with open(path, "rb") as file:
        text = file.read()
    changed = _NULL_OFFSET.sub(rb"!__builtin_offsetof(\1, \2)", text)
    if any(folder in path for folder in _BY_HARDWARE):
        changed = _HARDWARE.sub(b"NV_NO_TARGET", changed)
    concerned = changed != text or _ASM.search(text)
    return _Header(tuple(dict.fromkeys(_INCLUDE.findall(text))), changed if concerned else None)
