"""Zstandard frames unpacked by a library: nvcc packs the PTX of a fat binary so.

Python has the library from 3.14 on; the extra `zstd` installs it for earlier versions.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["MissingLibrary", "unpacked"]

# The magic numbers of a frame with contents, and of the sixteen kinds that are skipped.
_MAGIC = (b"\x28\xb5\x2f\xfd", *(bytes((0x50 + number, 0x2A, 0x4D, 0x18)) for number in range(16)))


class MissingLibrary(Exception):
    """No library unpacks Zstandard here; the message says which package has one."""


def unpacked(data: bytes, max_bytes: int) -> bytes:
    """Return the contents of frames; bytes behind the last one are padding.

    Raises ValueError where they are damaged or hold more than `max_bytes`, MissingLibrary where there is none.
    """
    zstd = _library()
    if not data.startswith(_MAGIC):
        raise ValueError("not a Zstandard frame")
    contents = bytearray()
    while data.startswith(_MAGIC):
        decoder = zstd.ZstdDecompressor()
        try:
            contents += decoder.decompress(data, max_bytes - len(contents) + 1)
        except zstd.ZstdError as error:
            raise ValueError(f"a Zstandard frame is damaged: {error}") from None
        if len(contents) > max_bytes:
            raise ValueError("a Zstandard frame is too large")
        if not decoder.eof:
            raise ValueError("a Zstandard frame ends early")
        data = decoder.unused_data
    return bytes(contents)


def _library() -> ModuleType:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError:
        if sys.version_info >= (3, 14):
            raise MissingLibrary(
                "this Python is built without the module compression.zstd: use a Python that has it"
            ) from None
        raise MissingLibrary('Python before 3.14 cannot unpack that: pip install "cuda-shim[zstd]"') from None
    return zstd
