"""NVIDIA's fat binaries: which PTX texts and cubins one holds."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from cuda_shim.binding.outside_memory import bytes_at

__all__ = ["Entry", "entries_of", "size_at"]

_MAGIC = 0xBA55ED50
_WRAPPER = 0x466243B1
_HEADER = struct.Struct("<IHHQ")
_ENTRY = struct.Struct("<HHIIIIIIIIIQQQ")
_LZ4, _ZSTD = 0x2000, 0x8000
_PTX, _ELF = 1, 2
_MAX_BYTES = 1 << 30


@dataclass(frozen=True)
class Entry:
    """One image of a fat binary.

    Attributes:
        kind: "ptx", "cubin" or "other".
        architecture: the compute capability, such as 80.
        packed: the bytes in the file.
        flags: the compression.
        size: the bytes of the unpacked image, 0 if it is not compressed.
    """

    kind: str
    architecture: int
    packed: bytes
    flags: int = 0
    size: int = 0

    @property
    def data(self) -> bytes:
        """A PTX text; the bytes of other images as they are packed, since nothing here reads them.

        Raises ValueError for one that is damaged, and `zstandard.MissingLibrary` for PTX that no library here unpacks.
        """
        if self.kind != "ptx":
            return self.packed
        if self.flags & _ZSTD:
            from cuda_shim.adapters.zstandard import unpacked

            return unpacked(self.packed, _MAX_BYTES)
        return _lz4(self.packed, self.size) if self.flags & _LZ4 else self.packed


def size_at(address: int) -> tuple[int, int]:
    """Return the address and size of the fat binary at an address without a length, which may be a wrapper around it.

    A size beyond that of any file means that the memory is not a fat binary; the size returned is 0.
    """
    wrapper = bytes_at(address, 16)
    if int.from_bytes(wrapper[:4], "little") == _WRAPPER:
        address = int.from_bytes(wrapper[8:16], "little")
    header = bytes_at(address, _HEADER.size)
    if len(header) < _HEADER.size:
        return address, 0
    _, _, header_size, size = _HEADER.unpack(header)
    return address, header_size + size if header_size + size <= _MAX_BYTES else 0


def entries_of(image: bytes) -> list[Entry]:
    """Return the images in a fat binary. Raises ValueError for one that is damaged."""
    if len(image) < _HEADER.size:
        raise ValueError("the fat binary ends early")
    magic, _, header_size, size = _HEADER.unpack_from(image)
    if magic != _MAGIC:
        raise ValueError("not a fat binary")
    place, end = header_size, min(header_size + size, len(image))
    entries: list[Entry] = []
    while place + _ENTRY.size <= end:
        fields = _ENTRY.unpack_from(image, place)
        kind, _, own_header, padded, _, payload = fields[:6]
        architecture, flags, unpacked = fields[8], fields[11], fields[13]
        if own_header < 40 or own_header + padded == 0:
            raise ValueError("an entry of the fat binary has no size")
        begin = place + own_header
        if begin + padded > end:
            raise ValueError("an entry of the fat binary ends behind it")
        data = image[begin : begin + padded]
        name = {_PTX: "ptx", _ELF: "cubin"}.get(kind, "other")
        is_packed = flags & (_ZSTD | _LZ4)
        entries.append(Entry(name, architecture, data[: payload or padded] if is_packed else data, flags, unpacked))
        place = begin + padded
    return entries


def _lz4(data: bytes, size: int) -> bytes:
    """Return a block of LZ4's format. Raises ValueError for one that is damaged."""
    if size > _MAX_BYTES:
        raise ValueError("an entry of the fat binary is too large")
    contents = bytearray()
    place = 0
    try:
        while place < len(data) and len(contents) < size:
            token = data[place]
            count, place = _length(data, place + 1, token >> 4)
            contents += data[place : place + count]
            place += count
            if len(contents) >= size or place >= len(data):
                break
            back = data[place] | data[place + 1] << 8
            count, place = _length(data, place + 2, token & 15)
            count += 4
            if back == 0 or back > len(contents):
                raise ValueError("an entry of the fat binary is damaged")
            begin = len(contents) - back
            for at in range(begin, begin + count):
                contents.append(contents[at])
    except IndexError:
        raise ValueError("an entry of the fat binary ends early") from None
    return bytes(contents[:size])


def _length(data: bytes, place: int, first: int) -> tuple[int, int]:
    if first == 15:
        while True:
            more = data[place]
            place += 1
            first += more
            if more != 255:
                break
    return first, place
