"""What a module image is, by its content: only code objects run here, and the rest gets CUDA's own status."""

from __future__ import annotations

import ctypes
from typing import Any

from cuda_shim.binding.buffers import memory_address
from cuda_shim.binding.functions import Binding

__all__ = ["foreign_kind", "refuse"]

_EM_CUDA = 190
_HEADER_BYTES = 20
_PTX_MARKS = (b".version", b"//", b"/*")
_FATBIN = b"\x50\xed\x55\xba"
_FATBIN_WRAPPER = b"\xb1\x43\x62\x46"
_LLVM = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")
_LTO_IR = b"\xed\x43\x4e\x7f"
_COMPILED_WHEN_LOADED = ("PTX text", "LTO-IR")
_INVALID_PTX = {"driver": "CUDA_ERROR_INVALID_PTX", "runtime": "cudaErrorInvalidPtx"}
_NO_BINARY = {"driver": "CUDA_ERROR_NO_BINARY_FOR_GPU", "runtime": "cudaErrorNoKernelImageForDevice"}


def foreign_kind(image: Any) -> str | None:
    """What NVIDIA's own format an image is in ("PTX text", "a cubin"…), None when it is none of them.

    `image` is a buffer, or the address of memory of unknown length; of that only the first bytes are read.
    """
    start = _first_bytes(image)
    if start.startswith(b"\x7fELF"):
        return "a cubin" if int.from_bytes(start[18:20], "little") == _EM_CUDA else None
    if start.startswith((_FATBIN, _FATBIN_WRAPPER)):
        return "a fatbin"
    if start.startswith(_LTO_IR):
        return "LTO-IR"
    if start.startswith(_LLVM):
        return "LLVM bitcode"
    return "PTX text" if start.lstrip().startswith(_PTX_MARKS) else None


def refuse(binding: Binding, kind: str) -> tuple[Any, ...]:
    """The tuple for an image in a format of NVIDIA's; the log says why it cannot run here and what to do.

    Raises UnsupportedAPI under the setting `strict`.
    """
    binding.outcome.unserved(
        f"the image is {kind}, machine code for NVIDIA GPUs: compile its CUDA C++ source through nvrtc instead",
        "%s: %s",
    )
    statuses = _INVALID_PTX if kind in _COMPILED_WHEN_LOADED else _NO_BINARY
    return binding.outcome.named(statuses[binding.table])


def _first_bytes(image: Any) -> bytes:
    buffer, pointer = memory_address(image)
    if buffer is not None:
        return ctypes.string_at(pointer, min(buffer.size, _HEADER_BYTES))
    if pointer == 0:
        return b""
    # An image without a length ends somewhere behind its magic number: read no further than needed to know.
    start = ctypes.string_at(pointer, 4)
    if start == b"\x7fELF":
        return ctypes.string_at(pointer, _HEADER_BYTES)
    text = start
    while b"\0" not in text and len(text) < _HEADER_BYTES and text[-1:].isascii():
        text += ctypes.string_at(pointer + len(text), 1)
    return text
