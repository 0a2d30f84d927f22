"""Folders in which nothing may be written while a program runs: the kernel reports each change of a file in them (inotify)."""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

from cuda_shim import settings
from cuda_shim.cache.folder import cache_of
from tests.interpreters import PACKAGE_ROOT

__all__ = ["OUTSIDE", "Surroundings", "changes_in", "trees"]

#: The program's own header, which a compile has to translate: the assembler of another GPU is in it.
OUTSIDE = b'#pragma once\n__device__ int mine() { int r; asm("mov.u32 %0, 7;" : "=r"(r)); return r; }\n'
#: Folders of the system; those that others may write into at any time are left out, as are the folders in them.
SYSTEM = ("/", "/etc", "/usr", "/usr/lib", "/usr/include", "/usr/local", "/opt", "/home", "/var", "/srv")
#: Python writes these itself, and so may other programs that run from the same source.
IGNORED = ("__pycache__", ".git", "prebuilt", "_tables")

_CHANGES = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800  # all but reading
_OVERFLOW, _NONBLOCKING, _CLOSED_BY_EXEC = 0x4000, 0x800, 0x80000
_HEADER = struct.Struct("iIII")


def trees(*roots: Path) -> Iterator[Path]:
    """Yield folders with all folders in them."""
    for root in roots:
        for folder, inner, _ in os.walk(root):
            inner[:] = [name for name in inner if name not in IGNORED]
            yield Path(folder)


@contextlib.contextmanager
def changes_in(folders: Iterable[Path]) -> Iterator[set[str]]:
    """Watch folders, without the folders in them. Yields a set that has the changed paths in the end."""
    libc = ctypes.CDLL(None, use_errno=True)
    queue = libc.inotify_init1(_NONBLOCKING | _CLOSED_BY_EXEC)
    if queue < 0:
        raise OSError(ctypes.get_errno(), "inotify_init1")
    changed: set[str] = set()
    try:
        names = {}
        for folder in folders:
            number = libc.inotify_add_watch(queue, os.fsencode(folder), _CHANGES)
            if number < 0:
                raise OSError(ctypes.get_errno(), "inotify_add_watch", str(folder))
            names[number] = folder
        yield changed
        for number, mask, name in _events(queue):
            if mask & _OVERFLOW:
                changed.add("more than the kernel keeps")
            elif not name.startswith(IGNORED):
                changed.add(str(names[number] / name))
    finally:
        os.close(queue)


def _events(queue: int) -> Iterator[tuple[int, int, str]]:
    with contextlib.suppress(BlockingIOError):
        while content := os.read(queue, 1 << 16):
            at = 0
            while at < len(content):
                number, mask, _, length = _HEADER.unpack_from(content, at)
                at += _HEADER.size
                yield number, mask, os.fsdecode(content[at : at + length].rstrip(b"\0"))
                at += length


class Surroundings:
    """The folders of one program: where it may write, and where it may not.

    It runs in `work`, prints into `report`, has `temporary` for its temporary files and the user's cache. Its `home`,
    the sources in `outside`, the package and the system's folders are watched.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work, self.report, self.temporary = folder / "work", folder / "report", folder / "temporary"
        self.home, self.outside = folder / "home", folder / "outside"
        for each in (self.work, self.report, self.temporary, self.home, self.outside):
            each.mkdir()
        (self.outside / "mine.h").write_bytes(OUTSIDE)

    def environment(self) -> dict[str, str]:
        """Return the environment variables that name these folders to the program."""
        cache = cache_of(settings.current()).root
        return {"HOME": str(self.home), "TMPDIR": str(self.temporary), "CUDA_SHIM_CACHE_DIR": cache}

    @contextlib.contextmanager
    def watched(self) -> Iterator[set[str]]:
        """Watch; yield a set that in the end has the paths that were written without permission, or left over."""
        own = [self.folder, *trees(self.home, self.outside, PACKAGE_ROOT / "cuda_shim", PACKAGE_ROOT / "tables")]
        with changes_in([*own, *(Path(name) for name in SYSTEM if Path(name).is_dir())]) as changed:
            yield changed
        if (self.outside / "mine.h").read_bytes() != OUTSIDE:
            changed.add(f"the contents of {self.outside}/mine.h")
