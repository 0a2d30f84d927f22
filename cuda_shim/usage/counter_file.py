"""The counters of one process in a file that is mapped into its memory, and the sum over all such files.

A counter is two numbers in the mapping, so counting writes no file, and a process that ends in any way (a signal,
`os._exit`, the end of a pool) loses nothing: the pages are the kernel's. A file is a row of 64-bit words:

    magic, words in use, place of this file among the process's own,
    then for each counter: count, nanoseconds, bytes of the key, the key filled up to whole words
"""

from __future__ import annotations

import mmap
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["SUFFIX", "CounterFile", "Key", "Totals", "read"]

Key = tuple[str, ...]
Totals = dict[Key, tuple[int, int]]

_MAGIC = 0x3130545241504843
_WORD = 8
_BYTES = 1 << 16
_HEADER_WORDS = 3
_COUNTER_WORDS = 3
SUFFIX = ".counters"
_SEPARATOR = "\0"


class CounterFile:
    """One file of counters, written by one process."""

    def __init__(self, folder: str | Path, place: int) -> None:
        """Create the file; `place` counts the files that this process filled before. Raises OSError."""
        path = os.path.join(folder, f"{os.getpid()}-{os.urandom(4).hex()}{SUFFIX}")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            # Reserved now: a page that finds no room on the disk later would end the program with SIGBUS.
            os.posix_fallocate(descriptor, 0, _BYTES)
            self._words = memoryview(mmap.mmap(descriptor, _BYTES)).cast("Q")
        finally:
            os.close(descriptor)
        self._used = _HEADER_WORDS
        self._words[1], self._words[2] = self._used, place
        self._words[0] = _MAGIC

    def new_counter(self, key: Key) -> int | None:
        """Return the place of a new counter, None where the file is full."""
        text = _SEPARATOR.join(key).encode("utf-8", "surrogateescape")[: _BYTES // 4]
        at, words = self._used, -(-len(text) // _WORD)
        end = at + _COUNTER_WORDS + words
        if end > len(self._words):
            return None
        self._words[at + 2] = len(text)
        padded = text.ljust(words * _WORD, b"\0")
        self._words[at + _COUNTER_WORDS : end] = memoryview(padded).cast("Q")
        # Readers in other processes look no further than this, so it comes last.
        self._words[1] = self._used = end
        return at

    def add(self, at: int, nanoseconds: int) -> None:
        """Count once more at a counter's place."""
        self._words[at] += 1
        self._words[at + 1] += nanoseconds


def read(folder: str | Path) -> tuple[Totals, int]:
    """Return the sums over all files of a folder, and how many processes wrote there."""
    totals: Totals = {}
    processes = 0
    for name in sorted(os.listdir(folder)):
        if not name.endswith(SUFFIX):
            continue
        with open(os.path.join(folder, name), "rb") as file:
            content = file.read()
        words = memoryview(content[: len(content) // _WORD * _WORD]).cast("Q")
        if len(words) < _HEADER_WORDS or words[0] != _MAGIC:
            continue  # its process ended before the file was whole: it holds no counts
        processes += words[2] == 0
        for key, count, nanoseconds in _counters(words):
            before = totals.get(key, (0, 0))
            totals[key] = (before[0] + count, before[1] + nanoseconds)
    return totals, processes


def _counters(words: memoryview[int]) -> Iterator[tuple[Key, int, int]]:
    at, used = _HEADER_WORDS, min(words[1], len(words))
    while at + _COUNTER_WORDS <= used:
        count, nanoseconds, length = words[at : at + _COUNTER_WORDS]
        at += _COUNTER_WORDS
        end = at + -(-length // _WORD)
        if end > used:
            return  # not written by us
        text, at = words[at:end].tobytes()[:length], end
        yield tuple(text.decode("utf-8", "surrogateescape").split(_SEPARATOR)), count, nanoseconds
