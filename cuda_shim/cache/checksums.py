"""Checksums of built files, which tell whether a cached entry is unchanged.

A flipped bit in a library would end the process that loads it, and so would a block that a full disk has no room for:
the files are on the disk before their checksums are. Files of a wheel have no checksums here: the installer checks
them.
"""

from __future__ import annotations

import os

__all__ = ["is_whole", "write"]

_LIST = "checksums"


def write(folder: str) -> None:
    """Write a line for each file of a folder, and then how many there are. Raises OSError where that cannot be done."""
    names = [
        os.path.relpath(os.path.join(place, name), folder) for place, _, files in os.walk(folder) for name in files
    ]
    for name in names:
        _sync(os.path.join(folder, name))
    text = _text(folder, sorted(names))
    with open(os.path.join(folder, _LIST), "w", encoding="utf-8") as listed:
        listed.write(text)


def _sync(path: str) -> None:
    """Wait until a file is on its disk. Raises OSError where there is no room, which a write does not always tell."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def is_whole(folder: str) -> bool:
    """Return whether every file of an entry is there as it was built."""
    try:
        with open(os.path.join(folder, _LIST), encoding="utf-8") as listed:
            text = listed.read()
        names = [line.partition(" ")[2] for line in text.splitlines()[:-1]]
        return text == _text(folder, names)
    except (OSError, UnicodeDecodeError, ValueError):  # a damaged list may have names that are no paths on any system
        return False


def _text(folder: str, names: list[str]) -> str:
    import zlib  # shipped libraries do without

    lines = []
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            lines.append(f"{zlib.crc32(file.read()):08x} {name}\n")
    return "".join([*lines, f"{len(names)} files\n"])
