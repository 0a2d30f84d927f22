"""Checksums of the built libraries, which say whether a cached one is still what was built."""

from __future__ import annotations

import os

from cuda_shim.backends.cpu import sources

__all__ = ["CHECKSUMS", "checksums"]

CHECKSUMS = "checksums"


def checksums(folder: str) -> str:
    """Return a line for each library: its name and the checksum of its bytes. Raises OSError where one is missing."""
    import zlib  # here too: shipped libraries came through an installer that checks them

    lines = []
    for name in sources.LIBRARIES:
        with open(os.path.join(folder, "lib", name), "rb") as library:
            lines.append(f"{name} {zlib.crc32(library.read()):08x}\n")
    return "".join(lines)
