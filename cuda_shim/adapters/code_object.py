"""Reads an AMD GPU's code object: its target, its kernels and their parameters.

A code object is an ELF file with a note, by the owner AMDGPU, that holds a map in MessagePack. Its format is LLVM's
(AMDGPUUsage, "Code Object Metadata"). Reading it needs no HIP, so it is the same on every release.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from cuda_shim.frozen_record import Record

__all__ = ["HEADER_BYTES", "CodeObject", "read", "size_of", "targets_of"]

HEADER_BYTES = 4096
"""Bytes from the start of an image that are enough for `size_of`."""

_BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"
_MAX_ENTRIES = 64
_ELF = b"\x7fELF\x02\x01"
_ELF_HEADER_BYTES = 64
_MAX_BYTES = 1 << 30
_EM_AMDGPU = 224
_PT_NOTE = 4
_NT_METADATA = 32
_MAX_DEPTH = 16


class CodeObject(Record):
    """The contents of a code object's note.

    Attributes:
        target: the target that it was compiled for, such as "gfx90a:sramecc+:xnack-"; empty where it names none.
        kernels: the name of each kernel, as hipModuleGetFunction takes it, and the bytes of each of its parameters.
    """

    target: str
    kernels: list[tuple[str, list[int]]]


def read(image: bytes) -> CodeObject | None:
    """Return the metadata of a code object for an AMD GPU; None for any other file, and for a damaged one."""
    try:
        if image[:6] != _ELF or struct.unpack_from("<H", image, 18)[0] != _EM_AMDGPU:
            return None
        note = next(_metadata(image), None)
        return None if note is None else _described(_Reader(note).value())
    except (struct.error, _DamagedError):
        return None


def size_of(start: bytes) -> int:
    """Return the bytes of a code object for an AMD GPU, or of a bundle's table, by its first bytes; 0 for others."""
    if start.startswith(_BUNDLE):
        return HEADER_BYTES
    if len(start) < _ELF_HEADER_BYTES or start[:6] != _ELF or struct.unpack_from("<H", start, 18)[0] != _EM_AMDGPU:
        return 0
    sections = int(struct.unpack_from("<Q", start, 40)[0])
    size, count = map(int, struct.unpack_from("<HH", start, 58))
    return min(sections + size * count, _MAX_BYTES)


def targets_of(image: bytes) -> list[str]:
    """Return the AMD GPUs that a code object, or a bundle of them, is for; empty where it names none."""
    if not image.startswith(_BUNDLE):
        described = read(image)
        return [described.target] if described is not None and described.target else []
    targets = []
    try:
        (count,) = struct.unpack_from("<Q", image, len(_BUNDLE))
        place = len(_BUNDLE) + 8
        for _ in range(min(count, _MAX_ENTRIES)):
            (size,) = struct.unpack_from("<Q", image, place + 16)
            name = image[place + 24 : place + 24 + size].decode("ascii", "replace")
            if name.startswith("hip"):
                targets.append(name.rpartition("--")[2])
            place += 24 + size
    except (struct.error, OverflowError):
        return []
    return targets


class _DamagedError(Exception):
    """A file that contradicts its header."""


def _metadata(image: bytes) -> Iterator[bytes]:
    """Yield the bytes of the metadata notes in the program headers of an ELF file."""
    table = struct.unpack_from("<Q", image, 32)[0]
    size, count = struct.unpack_from("<HH", image, 54)
    if table + count * size > len(image):
        raise _DamagedError
    for number in range(count):
        header = table + number * size
        if struct.unpack_from("<I", image, header)[0] != _PT_NOTE:
            continue
        begin, length = struct.unpack_from("<Q", image, header + 8)[0], struct.unpack_from("<Q", image, header + 32)[0]
        yield from _notes(image[begin : begin + length])


def _notes(segment: bytes) -> Iterator[bytes]:
    place = 0
    while place + 12 <= len(segment):
        name_size, size, kind = struct.unpack_from("<III", segment, place)
        name_at = place + 12
        data_at = name_at + (name_size + 3) // 4 * 4
        data = segment[data_at : data_at + size]
        if kind == _NT_METADATA and segment[name_at : name_at + name_size].rstrip(b"\0") == b"AMDGPU":
            if len(data) != size:
                raise _DamagedError
            yield data
        place = data_at + (size + 3) // 4 * 4


def _described(metadata: Any) -> CodeObject:
    if not isinstance(metadata, dict):
        raise _DamagedError
    kernels = metadata.get("amdhsa.kernels", [])
    if not isinstance(kernels, list):
        raise _DamagedError
    target = metadata.get("amdhsa.target", "")
    # The target is written behind a triple of LLVM: amdgcn-amd-amdhsa--gfx942.
    return CodeObject(str(target).rpartition("--")[2], sorted(map(_kernel, kernels)))


def _kernel(entry: Any) -> tuple[str, list[int]]:
    if not isinstance(entry, dict) or not isinstance(entry.get(".name"), str):
        raise _DamagedError
    sizes = []
    arguments = entry.get(".args", [])
    for argument in arguments if isinstance(arguments, list) else []:
        size = argument.get(".size") if isinstance(argument, dict) else None
        if not isinstance(size, int):
            raise _DamagedError
        # The compiler adds hidden arguments, such as the size of the grid, which the runtime fills in.
        if not str(argument.get(".value_kind", "")).startswith("hidden_"):
            sizes.append(size)
    return entry[".name"], sizes


class _Reader:
    """Reads one value of MessagePack, as far as the metadata uses it: no extension types."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    def value(self, depth: int = 0) -> Any:
        """Return the next value. Raises _DamagedError where the bytes are none."""
        if depth > _MAX_DEPTH:
            raise _DamagedError
        first = self._number("<B")
        if first <= 0x7F:
            return first
        if first >= 0xE0:
            return first - 0x100
        if first <= 0x8F:
            return self._map(first & 0x0F, depth)
        if first <= 0x9F:
            return self._list(first & 0x0F, depth)
        if first <= 0xBF:
            return self._text(first & 0x1F)
        return self._marked(first, depth)

    def _marked(self, first: int, depth: int) -> Any:
        if first in _CONSTANTS:
            return _CONSTANTS[first]
        if first in _NUMBERS:
            return self._number(_NUMBERS[first])
        if first in _COUNTED:
            kind, form = _COUNTED[first]
            count = self._number(form)
            if kind == "bytes":
                return self._bytes(count)
            if kind == "text":
                return self._text(count)
            return self._list(count, depth) if kind == "list" else self._map(count, depth)
        raise _DamagedError

    def _map(self, count: int, depth: int) -> dict[Any, Any]:
        entries = {}
        for _ in range(count):
            key = self.value(depth + 1)
            if isinstance(key, (dict, list)):
                raise _DamagedError
            entries[key] = self.value(depth + 1)
        return entries

    def _list(self, count: int, depth: int) -> list[Any]:
        return [self.value(depth + 1) for _ in range(count)]

    def _text(self, size: int) -> str:
        return self._bytes(size).decode("utf-8", "replace")

    def _bytes(self, size: int) -> bytes:
        data = self._data[self._place : self._place + size]
        if len(data) != size:
            raise _DamagedError
        self._place += size
        return data

    def _number(self, form: str) -> Any:
        (number,) = struct.unpack_from(form, self._data, self._place)
        self._place += struct.calcsize(form)
        return number


# MessagePack's first bytes: constants, numbers by their form, and objects that begin with a count.
_CONSTANTS: dict[int, bool | None] = {0xC0: None, 0xC2: False, 0xC3: True}
_NUMBERS = {
    0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
    0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}  # fmt: skip
_COUNTED = {
    0xC4: ("bytes", ">B"), 0xC5: ("bytes", ">H"), 0xC6: ("bytes", ">I"),
    0xD9: ("text", ">B"), 0xDA: ("text", ">H"), 0xDB: ("text", ">I"),
    0xDC: ("list", ">H"), 0xDD: ("list", ">I"), 0xDE: ("map", ">H"), 0xDF: ("map", ">I"),
}  # fmt: skip
