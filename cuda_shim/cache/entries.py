"""Functions that change the cache, measure it and clear it: folders, the lock of an entry, notes."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from cuda_shim.atomic_write import atomic_write
from cuda_shim.cache.folder import NOTE_SUFFIX, Cache
from cuda_shim.errors import BackendNotFound
from cuda_shim.frozen_record import Record
from cuda_shim.notices import notify

__all__ = ["CacheInfo", "cannot_write", "clear", "info", "lock", "make", "try_writing", "write_note"]

_FOLDERS = ("runtime", "kernels", "headers", "zig", "c_level", "calls")
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


def make(cache: Cache, folder: str) -> None:
    """Create `folder` below the cache root, private, with every folder between; raises BackendNotFound."""
    steps = cache.steps(folder)
    cache.check_ancestors()
    try:
        os.makedirs(os.path.dirname(steps[0]), exist_ok=True)
        for step in steps:
            with contextlib.suppress(FileExistsError):
                os.mkdir(step, _PRIVATE)
            cache.check(step)
    except OSError as error:
        raise cannot_write(cache, error) from None


def cannot_write(cache: Cache, error: OSError) -> BackendNotFound:
    """Return the one line for a cache that cannot be written: read-only, full, or out of quota."""
    advice = "free some space there, or set" if error.errno in _FULL else "set"
    return BackendNotFound(
        f"cannot write the cache folder {cache.root} ({error.strerror or error}): "
        f"{advice} {cache.setting} to a folder of yours that can be written"
    )


def try_writing(cache: Cache) -> None:
    """Write a file in the cache and remove it; raises BackendNotFound where that fails, with any contents."""
    make(cache, cache.path())
    draft = Path(cache.path(f".written-{os.getpid()}"))
    try:
        draft.write_bytes(b"written")
        draft.unlink()
    except OSError as error:
        raise cannot_write(cache, error) from None


@contextlib.contextmanager
def lock(cache: Cache, entry: str, waiting: str) -> Iterator[None]:
    """Hold the lock of a cache entry across processes; notifies with `waiting` once when another holds it.

    The kernel drops the lock of a process that dies, however it died.
    """
    from filelock import FileLock, Timeout  # 40 ms, and only needed when something is to be built

    path = FileLock(f"{entry}.lock", mode=0o600)
    try:
        try:
            path.acquire(timeout=2)
        except Timeout:
            notify(waiting)
            path.acquire()
    except OSError as error:
        raise cannot_write(cache, error) from None
    try:
        yield
    finally:
        path.release()


def write_note(cache: Cache, name: str, pairs: Iterable[tuple[str, str]], keep: int = 32) -> None:
    """Remember pairs, newest last, at most `keep`.

    A note only saves time, so one that cannot be written is left out without an error.
    """
    merged = dict(cache.read_note(name))
    for key, answer in pairs:
        merged.pop(key, None)
        merged[key] = answer
    lines = [f"{key}\t{answer}\n" for key, answer in list(merged.items())[-keep:] if "\n" not in key + answer]
    if not cache.root:
        return
    with contextlib.suppress(OSError, BackendNotFound):
        make(cache, cache.root)
        atomic_write(cache.path(name + NOTE_SUFFIX), "".join(lines), mode=0o600)


def info(cache: Cache) -> CacheInfo:
    """Return the contents of the cache; a folder that is refused, or not known, raises BackendNotFound."""
    top = Path(cache.path())
    parts: dict[str, tuple[int, int]] = {}
    if cache.trusts(cache.root):
        parts = {name: _measure(top / name) for name in _FOLDERS}
        notes = [path.stat().st_size for path in top.glob(f"*{NOTE_SUFFIX}")]
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


def clear(cache: Cache) -> int:
    """Remove the files that cuda_shim put into the cache, and nothing else there; returns the bytes freed.

    Programs that run keep the libraries that they have loaded.
    """
    import shutil

    contents = info(cache)
    try:
        for name in _FOLDERS:
            if (contents.folder / name).exists():
                # Renamed first: another process sees a whole folder or none, never one that is half gone.
                aside = contents.folder / f".cleared-{name}-{os.getpid()}"
                os.rename(contents.folder / name, aside)
                shutil.rmtree(aside, ignore_errors=True)
        for note in contents.folder.glob(f"*{NOTE_SUFFIX}"):
            note.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(cache, error) from None
    return contents.total_bytes
