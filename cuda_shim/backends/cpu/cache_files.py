"""What changes the cache, measures it and clears it: folders, the lock of an entry, notes."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from cuda_shim import backends
from cuda_shim.backends.cpu import cache
from cuda_shim.errors import BackendNotFound
from cuda_shim.record import Record

__all__ = ["CacheInfo", "cannot_write", "clear", "info", "lock", "make", "write_note"]

_FOLDERS = ("runtime", "kernels", "zig")
_PRIVATE = 0o700
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class CacheInfo(Record):
    """`folder`, and for each part of it the number of files and their bytes."""

    folder: Path
    parts: dict[str, tuple[int, int]]

    @property
    def total_bytes(self) -> int:
        """Bytes of all parts together."""
        return sum(size for _, size in self.parts.values())


def make(folder: str) -> None:
    """Create `folder` below the cache root, private, with every folder between; raises BackendNotFound."""
    steps = cache.steps(folder)
    try:
        os.makedirs(os.path.dirname(steps[0]), exist_ok=True)
        for step in steps:
            with contextlib.suppress(FileExistsError):
                os.mkdir(step, _PRIVATE)
            cache.check(step)
    except OSError as error:
        raise cannot_write(error) from None


def cannot_write(error: OSError) -> BackendNotFound:
    """The one line for a cache that cannot be written: read-only, full, or out of quota."""
    advice = "free some space there, or set" if error.errno in _FULL else "set"
    return BackendNotFound(
        f"cannot write the cache folder {cache.root()} ({error.strerror or error}): "
        f"{advice} CUDA_SHIM_CACHE_DIR to a folder of yours that can be written"
    )


@contextlib.contextmanager
def lock(entry: str, waiting: str) -> Iterator[None]:
    """Hold the lock of a cache entry across processes; tells `waiting` once when another holds it.

    The kernel drops the lock of a process that dies, whatever killed it.
    """
    from filelock import FileLock, Timeout  # 40 ms, and only needed when something is to be built

    path = FileLock(f"{entry}.lock", mode=0o600)
    try:
        try:
            path.acquire(timeout=2)
        except Timeout:
            backends.tell(waiting)
            path.acquire()
    except OSError as error:
        raise cannot_write(error) from None
    try:
        yield
    finally:
        path.release()


def write_note(name: str, pairs: Iterable[tuple[str, str]], keep: int = 32) -> None:
    """Remember pairs, newest last, at most `keep`.

    A note only saves time, so one that cannot be written is left out without an error.
    """
    merged = dict(cache.read_note(name))
    for key, answer in pairs:
        merged.pop(key, None)
        merged[key] = answer
    lines = [f"{key}\t{answer}\n" for key, answer in list(merged.items())[-keep:] if "\n" not in key + answer]
    path = Path(cache.root(), name + cache.NOTE_SUFFIX)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        make(cache.root())
        draft.touch(mode=0o600)
        draft.write_text("".join(lines), encoding="utf-8", errors="surrogateescape")
        os.replace(draft, path)
    except (OSError, BackendNotFound):
        with contextlib.suppress(OSError):
            draft.unlink()


def info() -> CacheInfo:
    """What the cache holds; a refused folder raises BackendNotFound."""
    top = Path(cache.root())
    parts: dict[str, tuple[int, int]] = {}
    if cache.trusted(str(top)):
        parts = {name: _measure(top / name) for name in _FOLDERS}
        notes = [path.stat().st_size for path in top.glob(f"*{cache.NOTE_SUFFIX}")]
        parts["notes"] = (len(notes), sum(notes))
    return CacheInfo(top, parts)


def _measure(folder: Path) -> tuple[int, int]:
    count = size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # another process may be clearing
                size += os.lstat(os.path.join(place, name)).st_size
                count += 1
    return count, size


def clear() -> int:
    """Remove what cuda_shim put into the cache, and nothing else in that folder; returns the bytes freed.

    Programs that run keep the libraries that they have loaded.
    """
    import shutil

    held = info()
    try:
        for name in _FOLDERS:
            if (held.folder / name).exists():
                # Renamed first: another process sees a whole folder or none, never one that is half gone.
                aside = held.folder / f".cleared-{name}-{os.getpid()}"
                os.rename(held.folder / name, aside)
                shutil.rmtree(aside, ignore_errors=True)
        for note in held.folder.glob(f"*{cache.NOTE_SUFFIX}"):
            note.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(error) from None
    return held.total_bytes
