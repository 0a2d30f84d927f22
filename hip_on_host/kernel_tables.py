"""The forms in which a compiled module runs its kernels: read from its table, without loading it.

A module is an ELF shared object whose `cuda_shim_symbols` is an array of CudaShimSymbol (src/abi/kernel_module.h).
Its pointers are relocations in the file, which have the addresses that they point to.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Kernel", "read_module"]

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_PT_LOAD, _SHT_SYMTAB, _SHT_RELA = 1, 2, 4

_ENTRY_BYTES = 128
#: Offsets in a CudaShimSymbol.
_SOURCE_NAME, _KIND, _FORM, _REASON = 0, 16, 72, 80
_KIND_KERNEL = 1
_TABLE = "cuda_shim_symbols"
#: The module's own description, a static variable of its entry, and where its flags are.
_MODULE, _MODULE_FLAGS = "cuda_shim_kernel_moduleE6module", 16
_FLAG_SINGLE_THREADS, _FLAG_CHECKED = 1, 2


@dataclass(frozen=True)
class Kernel:
    """A kernel: its `name` as its program has it, its `form`, and the `reason` where that is not the best one."""

    name: str
    form: str
    reason: str

    def runs_thread_by_thread(self) -> bool:
        """Return whether its threads did not become a loop that a compiler could vectorise."""
        return not self.form.startswith(("a loop", "loops"))


def read_module(image: bytes) -> list[Kernel]:
    """Return the kernels of a module. Raises ValueError or struct.error if it is not one."""
    module = _Module(image)
    flags = module.flags()
    return [
        Kernel(module.text(module.pointer(entry + _SOURCE_NAME)), *_form(module, entry, flags))
        for entry in module.entries()
        if module.number(entry + _KIND) == _KIND_KERNEL
    ]


def _form(module: _Module, entry: int, flags: int) -> tuple[str, str]:
    if flags & _FLAG_CHECKED:
        return "each thread by itself, checked", ""
    if flags & _FLAG_SINGLE_THREADS:
        return "each thread by itself", ""
    return module.text(module.pointer(entry + _FORM)), module.text(module.pointer(entry + _REASON))


class _Module:
    """An ELF image, whose contents are read by addresses."""

    def __init__(self, image: bytes) -> None:
        header = _HEADER.unpack_from(image)
        if header[0][:4] != b"\x7fELF":
            raise ValueError("not an ELF image")
        self._image = image
        _, _, _, _, _, segments, sections, _, _, _, segment_count, _, section_count, _ = header
        self._segments = [_SEGMENT.unpack_from(image, segments + i * _SEGMENT.size) for i in range(segment_count)]
        self._sections = [_SECTION.unpack_from(image, sections + i * _SECTION.size) for i in range(section_count)]
        self._symbols = list(self._read_symbols())
        self._pointers = dict(self._read_relocations())

    def _read_symbols(self) -> Iterator[tuple[str, int, int]]:
        for section in self._sections:
            if section[1] != _SHT_SYMTAB:
                continue
            names = self._sections[section[6]][4]
            for at in range(section[4], section[4] + section[5], _SYMBOL.size):
                name, _, _, _, address, size = _SYMBOL.unpack_from(self._image, at)
                yield self._string(names + name), address, size

    def _read_relocations(self) -> Iterator[tuple[int, int]]:
        for section in self._sections:
            if section[1] == _SHT_RELA:
                for at in range(section[4], section[4] + section[5], _RELOCATION.size):
                    address, _, target = _RELOCATION.unpack_from(self._image, at)
                    yield address, target

    def _string(self, at: int) -> str:
        return self._image[at : self._image.index(b"\0", at)].decode("utf-8", "replace")

    def _offset(self, address: int) -> int:
        for kind, _, offset, start, _, size, _, _ in self._segments:
            if kind == _PT_LOAD and start <= address < start + size:
                return int(offset + address - start)
        raise ValueError(f"address {address:#x} is not in the file")

    def entries(self) -> Iterator[int]:
        """Yield the addresses of the entries, some of which may be empty; each program of a module has a table."""
        for name, address, size in self._symbols:
            if name.endswith(_TABLE):
                yield from range(address, address + size, _ENTRY_BYTES)

    def flags(self) -> int:
        """CudaShimModuleFlag."""
        for name, address, size in self._symbols:
            if name.endswith(_MODULE) and size > _MODULE_FLAGS and address + _MODULE_FLAGS not in self._pointers:
                return self.number(address + _MODULE_FLAGS)
        return 0

    def number(self, address: int) -> int:
        """Return the 32-bit number at an address; 0 in memory that the file does not hold."""
        try:
            return int(struct.unpack_from("<I", self._image, self._offset(address))[0])
        except ValueError:
            return 0

    def pointer(self, address: int) -> int:
        """Return the address that the pointer at an address holds; 0 for none."""
        return self._pointers.get(address, 0)

    def text(self, address: int) -> str:
        """Return the string at an address; "" for none."""
        return self._string(self._offset(address)) if address else ""
