"""The kernels of a compiled module with the sizes of their parameters: read from its file, without loading it.

A module is an ELF shared object with a table of its kernels and variables (CudaShimSymbol of src/abi/kernel_module.h).
The linker leaves the table's pointers to the loader, as relocations: each says which address a place will hold.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

__all__ = ["read_kernels"]

#: The table's symbol, in a module of one program and in one of several.
_TABLES = (b"cuda_shim_symbols", b"_ZL17cuda_shim_symbols")
_KERNEL = 1  # CUDA_SHIM_SYMBOL_KERNEL
#: CudaShimSymbol: its kind and number of parameters; where its name and the parameters' sizes are; its bytes.
_KIND, _LOWERED_NAME, _PARAMETER_SIZE, _ENTRY_BYTES = 16, 8, 24, 152

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_LOADED, _SYMBOLS, _RELOCATIONS, _SHORT_RELOCATIONS = 1, 2, 4, 19
_RELATIVE = {62: 8, 183: 1027}  # by machine: the relocation "the address of the image and a number"


def read_kernels(image: bytes) -> list[tuple[str, list[int]]]:
    """Return the kernels of a module by name, as cuModuleGetFunction takes it, with the bytes of each parameter.

    Raises ValueError or struct.error if it is none.
    """
    return sorted(_Module(image).kernels())


class _Module:
    def __init__(self, image: bytes) -> None:
        self._image = image
        header = _HEADER.unpack_from(image)
        if header[0][:4] != b"\x7fELF":
            raise ValueError("not an ELF image")
        self._relative = _RELATIVE.get(header[2])
        self._segments = [_SEGMENT.unpack_from(image, header[5] + at * _SEGMENT.size) for at in range(header[10])]
        self._sections = [_SECTION.unpack_from(image, header[6] + at * _SECTION.size) for at in range(header[12])]
        self._pointers = dict(self._relocated())

    def kernels(self) -> Iterator[tuple[str, list[int]]]:
        tables = list(self._tables())
        if not tables:
            raise ValueError("no module: it has no table of kernels")
        for table, size in tables:
            for entry in range(table, table + size // _ENTRY_BYTES * _ENTRY_BYTES, _ENTRY_BYTES):
                kind, parameters = struct.unpack_from("<II", self._image, self._offset(entry + _KIND))
                if kind != _KERNEL:
                    continue
                name = self._offset(self._pointer(entry + _LOWERED_NAME))
                sizes = self._offset(self._pointer(entry + _PARAMETER_SIZE))
                yield (
                    self._text(name).decode("ascii", "replace"),
                    list(struct.unpack_from(f"<{parameters}I", self._image, sizes)),
                )

    def _tables(self) -> Iterator[tuple[int, int]]:
        """Yield the address and the bytes of each table: a module of several programs has several."""
        for section in self._sections:
            if section[1] != _SYMBOLS:
                continue
            names = self._sections[section[6]][4]
            for at in range(section[4], section[4] + section[5] - _SYMBOL.size + 1, _SYMBOL.size):
                name, _, _, place, address, size = _SYMBOL.unpack_from(self._image, at)
                if place and self._text(names + name) in _TABLES:
                    yield address, size

    def _relocated(self) -> Iterator[tuple[int, int]]:
        """Yield the places that the loader writes an address into, with the address."""
        for section in self._sections:
            begin, end = section[4], section[4] + section[5]
            if section[1] == _RELOCATIONS:
                for at in range(begin, end - _RELOCATION.size + 1, _RELOCATION.size):
                    place, kind, address = _RELOCATION.unpack_from(self._image, at)
                    if kind & 0xFFFFFFFF == self._relative:
                        yield place, address
            elif section[1] == _SHORT_RELOCATIONS:
                for place in _short_relocations(struct.unpack_from(f"<{section[5] // 8}Q", self._image, begin)):
                    yield place, struct.unpack_from("<Q", self._image, self._offset(place))[0]

    def _pointer(self, address: int) -> int:
        if address not in self._pointers:
            raise ValueError("a pointer in the module's table is left open")
        return self._pointers[address]

    def _offset(self, address: int) -> int:
        for kind, _, offset, begin, _, in_file, *_ in self._segments:
            if kind == _LOADED and begin <= address < begin + in_file:
                return int(offset + address - begin)
        raise ValueError("an address in the module's table is outside of its file")

    def _text(self, offset: int) -> bytes:
        return self._image[offset : self._image.index(b"\0", offset)]


def _short_relocations(entries: tuple[int, ...]) -> Iterator[int]:
    """Yield the places of relocations in the form of SHT_RELR: an address, then bits for the words behind it."""
    behind = 0
    for entry in entries:
        if not entry & 1:
            yield entry
            behind = entry + 8
            continue
        yield from (behind + 8 * bit for bit in range(63) if entry >> (bit + 1) & 1)
        behind += 63 * 8
