"""Reads an AMD code object, a shared ELF library, and puts it in this process's memory, as a GPU's loader does."""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgpack

_LOAD, _DYNAMIC, _NOTE = 1, 2, 4
_HASH, _STRTAB, _SYMTAB, _RELA, _RELASZ = 4, 5, 6, 7, 8
_METADATA_NOTE = 32
# Relocations of AMD's ABI: 64 bits of a symbol's address, and of a place in the library itself.
_ABS64, _RELATIVE64 = 3, 13
# A kernel whose functions call themselves does not state its need of private memory: the size for a lane then.
_DYNAMIC_STACK, _STACK = 1 << 11, 1 << 14
_PAGE = mmap.PAGESIZE
# The emulator and a GPU both look beyond the last instruction.
_PADDING = 4096


@dataclass(frozen=True)
class KernelDescriptor:
    """The hardware's description of a kernel: 64 bytes at the symbol `<kernel>.kd`.

    Attributes:
        entry: the address of the first instruction.
        lds: bytes of static shared memory.
        scratch: bytes of private memory of a lane.
        resources: the register COMPUTE_PGM_RSRC2.
        properties: the values that the first scalar registers hold.
        preload: words of arguments that scalar registers hold, and the word with which they begin.
    """

    entry: int
    lds: int
    scratch: int
    resources: int
    properties: int
    preload: tuple[int, int]


class CodeObject:
    """A loaded code object.

    Attributes:
        metadata: the map that the compiler left in a note: each kernel with its arguments.
        symbols: addresses and sizes by name.
    """

    def __init__(self, image: bytes) -> None:
        if image[:4] != b"\x7fELF":
            raise ValueError("a code object is an ELF file")
        segments = list(_segments(image))
        size = max(address + length for kind, _, address, _, length in segments if kind == _LOAD) + _PADDING
        self._memory = mmap.mmap(-1, -(-size // _PAGE) * _PAGE)
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self.metadata: dict[str, Any] = {}
        dynamic: dict[int, int] = {}
        for kind, offset, address, stored, _ in segments:
            if kind == _LOAD:
                self._memory[address : address + stored] = image[offset : offset + stored]
            elif kind == _NOTE:
                self.metadata = _metadata(image[offset : offset + stored]) or self.metadata
            elif kind == _DYNAMIC:
                dynamic = dict(struct.iter_unpack("<QQ", image[offset : offset + stored]))
        entries = list(self._entries(dynamic))
        self.symbols = {name: (self._base + value, length) for name, value, length, section in entries if section}
        self._relocate(dynamic, [value for _, value, _, _ in entries])

    def kernels(self) -> dict[str, dict[str, Any]]:
        """The metadata of each kernel, by its name."""
        return {kernel[".name"]: kernel for kernel in self.metadata["amdhsa.kernels"]}

    def kernel_at(self, address: int) -> str:
        """Return the name of the kernel whose function or descriptor is at an address."""
        for name in self.kernels():
            if address in (self.symbols.get(name, (0, 0))[0], self.symbols[f"{name}.kd"][0]):
                return name
        raise LookupError(f"no kernel is at {address:#x}")

    def descriptor(self, kernel: str) -> KernelDescriptor:
        address, _ = self.symbols[f"{kernel}.kd"]
        raw = ctypes.string_at(address, 64)
        lds, scratch = struct.unpack_from("<II", raw)
        (offset,) = struct.unpack_from("<q", raw, 16)
        resources, properties, preload = struct.unpack_from("<IHH", raw, 52)
        if properties & _DYNAMIC_STACK:
            scratch = max(scratch, _STACK)
        return KernelDescriptor(address + offset, lds, scratch, resources, properties, (preload & 127, preload >> 7))

    def _entries(self, dynamic: dict[int, int]) -> Iterator[tuple[str, int, int, int]]:
        """The dynamic symbols: name, value, size and section (0: undefined)."""
        _, count = struct.unpack_from("<II", self._memory, dynamic[_HASH])
        for index in range(count):
            name, _, _, section, value, size = struct.unpack_from(
                "<IBBHQQ", self._memory, dynamic[_SYMTAB] + 24 * index
            )
            start = dynamic[_STRTAB] + name
            yield self._memory[start : self._memory.find(b"\0", start)].decode(), value, size, section

    def _relocate(self, dynamic: dict[int, int], values: list[int]) -> None:
        start, size = dynamic.get(_RELA, 0), dynamic.get(_RELASZ, 0)
        for place, info, addend in struct.iter_unpack("<QQq", self._memory[start : start + size]):
            kind, symbol = info & 0xFFFFFFFF, info >> 32
            if kind not in (_ABS64, _RELATIVE64):
                raise ValueError(f"relocation {kind} is not one that AMD's linker leaves in a shared library")
            address = self._base + addend + (values[symbol] if kind == _ABS64 else 0)
            struct.pack_into("<Q", self._memory, place, address)


def _segments(image: bytes) -> Iterator[tuple[int, int, int, int, int]]:
    """The program headers: kind, offset in the file, address, size in the file and in memory."""
    (start,) = struct.unpack_from("<Q", image, 32)
    size, count = struct.unpack_from("<HH", image, 54)
    for index in range(count):
        kind, _, offset, address, _, stored, length, _ = struct.unpack_from("<IIQQQQQQ", image, start + index * size)
        yield kind, offset, address, stored, length


def _metadata(notes: bytes) -> dict[str, Any] | None:
    """Return the contents of the note "AMDGPU", None where there is none."""
    at = 0
    while at + 12 <= len(notes):
        name_size, size, kind = struct.unpack_from("<III", notes, at)
        start = at + 12 + -(-name_size // 4) * 4
        if kind == _METADATA_NOTE and notes[at + 12 : at + 12 + name_size] == b"AMDGPU\0":
            return dict(msgpack.unpackb(notes[start : start + size]))
        at = start + -(-size // 4) * 4
    return None
