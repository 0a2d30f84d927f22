"""Messages to the person at the terminal, beside the program's own output."""

from __future__ import annotations

import sys

__all__ = ["notify"]


def notify(text: str) -> None:
    """Write one line on stderr; nothing where the program has none."""
    if sys.stderr is None:
        return
    try:
        print(f"cuda_shim: {text}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        # A closed or full stderr must not stop the program: the line is a courtesy.
        return
