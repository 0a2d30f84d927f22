"""A count that moves on stderr while the libraries are built; only where a person watches a terminal."""

from __future__ import annotations

import contextlib
import sys

__all__ = ["Progress"]


class Progress:
    """Counts steps up to a total on one line of the terminal, and takes the line away at the end."""

    def __init__(self, total: int, prefix: str = "") -> None:
        self._total = total
        self._prefix = prefix
        self._count = 0
        self._shown = _is_watched()

    def step(self, count: int) -> None:
        """Add to the count of finished steps."""
        self._count += count
        self._write(f"\r{self._prefix}{self._count} of {self._total} files compiled ")

    def end(self) -> None:
        """Take the line away."""
        self._write("\r\033[K")

    def _write(self, text: str) -> None:
        if self._shown and sys.stderr is not None:
            # A closed stderr must not stop the build: the line is a courtesy.
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.write(text)
                sys.stderr.flush()


def _is_watched() -> bool:
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except (OSError, ValueError):
        return False
