"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os

__all__ = ["atomic_write"]


def atomic_write(path: str, text: str, mode: int = 0o666) -> None:
    """Write a text under another name, with these permissions, then rename the file to `path`. Raises OSError."""
    # In a folder that others can write, a predictable name may be a link of theirs: the file must be new.
    draft = f"{path}.{os.getpid()}-{os.urandom(8).hex()}"
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        with open(file, "w", encoding="utf-8", errors="surrogateescape") as opened:
            opened.write(text)
        os.replace(draft, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise
