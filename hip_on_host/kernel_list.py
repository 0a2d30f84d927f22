"""The kernels of a compiled module, and how their threads run: read from its file, without loading it.

A module is an ELF shared object. One of its sections lists the kernels as texts (src/abi/kernel_module.h).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

__all__ = ["SECTION", "SEPARATOR", "Kernel", "read_module"]

#: CUDA_SHIM_KERNEL_LIST_SECTION and CUDA_SHIM_KERNEL_LIST_SEPARATOR of src/abi/kernel_module.h.
SECTION, SEPARATOR = "cuda_shim_kernels", "\037"

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")


@dataclass(frozen=True)
class Kernel:
    """A kernel of a module.

    Attributes:
        name: as the program has it.
        form: how its threads run, in words.
        is_loop: whether they run in loops that a compiler can vectorise.
        reason: why it is not lowered to the preferred form; "" where it is.
    """

    name: str
    form: str
    is_loop: bool
    reason: str


def read_module(image: bytes) -> list[Kernel]:
    """Return the kernels of a module. Raises ValueError or struct.error if it is not one."""
    texts = _section(image, SECTION.encode()).decode("utf-8", "replace").split("\0")
    return [_kernel(text) for text in texts if text]  # the compiler may put zeros between them


def _kernel(text: str) -> Kernel:
    name, form, shape, reason = text.split(SEPARATOR)
    return Kernel(name, form, shape == "loop", reason)


def _section(image: bytes, name: bytes) -> bytes:
    """Return the contents of an ELF image's section, none where it has no such section."""
    header = _HEADER.unpack_from(image)
    if header[0][:4] != b"\x7fELF":
        raise ValueError("not an ELF image")
    begin, count, names_index = header[6], header[12], header[13]
    sections = [_SECTION.unpack_from(image, begin + index * _SECTION.size) for index in range(count)]
    if names_index >= count:
        raise ValueError("the ELF image has no names of sections")
    names_at = sections[names_index][4]
    for name_at, _, _, _, offset, size, *_ in sections:
        if image.startswith(name + b"\0", names_at + name_at):
            return image[offset : offset + size]
    return b""
