"""The user's private cache folder: where it is, whether it may be trusted, what lies in it.

It holds libraries that this process will load, so a folder that belongs to somebody else, or that others can
write, is refused. Everything in it can be made again: clearing it costs time and nothing else.

    runtime/   the built libamdhip64 and libhiprtc, one folder for each source, machine and compiler
    kernels/   compiled kernels, written by libhiprtc
    zig/       zig's own cache, where zig is the compiler
    *.note     answers that take a process to get (compiler versions, device counts)
"""
from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from cuda_shim import backends, settings
from cuda_shim.errors import BackendNotFound
from cuda_shim.record import Record

__all__ = ["CacheInfo", "clear", "info", "root"]

_FOLDERS = ("runtime", "kernels", "zig")
_NOTE_SUFFIX = ".note"
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


def root() -> Path:
    """The cache folder: CUDA_SHIM_CACHE_DIR, else cuda-shim in the user's cache folder (XDG_CACHE_HOME or
    ~/.cache). The C++ runtime finds it by the same rule. It need not exist yet."""
    chosen = settings.text("cache_dir")
    if chosen:
        return Path(os.path.abspath(os.path.expanduser(chosen)))
    base = os.environ.get("XDG_CACHE_HOME", "")
    # A relative XDG path is to be ignored, says its specification.
    folder = base if os.path.isabs(base) else os.path.join(os.path.expanduser("~"), ".cache")
    return Path(folder, "cuda-shim")


def check(folder: Path) -> None:
    """Raise BackendNotFound when an existing `folder` is not the user's own or others can write to it."""
    try:
        link, found = os.lstat(folder), os.stat(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _refused(folder, f"cannot be looked at ({error.strerror})") from None
    user = os.geteuid()
    if not stat.S_ISDIR(found.st_mode):
        raise _refused(folder, "is not a folder")
    if found.st_uid != user or link.st_uid not in (user, 0):
        raise _refused(folder, f"belongs to another user (uid {found.st_uid})")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _refused(folder, "can be written by others", f"run: chmod 700 {folder}")


def make(folder: Path) -> None:
    """Create `folder` below the cache root, private, with every folder between; raises BackendNotFound."""
    top = root()
    steps = [top, *(top / part for part in _between(top, folder))]
    try:
        os.makedirs(top.parent, exist_ok=True)
        for step in steps:
            with contextlib.suppress(FileExistsError):
                os.mkdir(step, _PRIVATE)
            check(step)
    except OSError as error:
        raise cannot_write(error) from None


def trusted(folder: Path) -> bool:
    """Whether `folder`, below the cache root, exists and may be loaded from. Raises when it is refused."""
    top = root()
    for step in (top, *(top / part for part in _between(top, folder))):
        check(step)
    return folder.is_dir()


def _between(top: Path, folder: Path) -> list[Path]:
    parts = folder.relative_to(top).parts
    return [Path(*parts[: index + 1]) for index in range(len(parts))]


def cannot_write(error: OSError) -> BackendNotFound:
    """The one line for a cache that cannot be written: read-only, full, or out of quota."""
    advice = "free some space there, or set" if error.errno in _FULL else "set"
    return BackendNotFound(
        f"cannot write the cache folder {root()} ({error.strerror or error}): "
        f"{advice} CUDA_SHIM_CACHE_DIR to a folder of yours that can be written"
    )


def _refused(folder: Path, reason: str, advice: str = "") -> BackendNotFound:
    advice = advice or "set CUDA_SHIM_CACHE_DIR to a folder of your own"
    return BackendNotFound(f"cache folder {folder} {reason}, so nothing is loaded from it: {advice}")


@contextlib.contextmanager
def lock(entry: Path, waiting: str) -> Iterator[None]:
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


def read_note(name: str) -> list[tuple[str, str]]:
    """The remembered (key, answer) pairs of a note; none when the cache is not there or not to be trusted."""
    try:
        if not trusted(root()):
            return []
        text = (root() / f"{name}{_NOTE_SUFFIX}").read_text(encoding="utf-8", errors="surrogateescape")
    except (OSError, BackendNotFound):
        return []
    pairs = (line.partition("\t") for line in text.splitlines())
    return [(key, answer) for key, tab, answer in pairs if tab]


def write_note(name: str, pairs: Iterable[tuple[str, str]], keep: int = 32) -> None:
    """Remember pairs, newest last, at most `keep`.

    A note only saves time, so one that cannot be written is left out without an error.
    """
    merged = dict(read_note(name))
    for key, answer in pairs:
        merged.pop(key, None)
        merged[key] = answer
    lines = [f"{key}\t{answer}\n" for key, answer in list(merged.items())[-keep:] if "\n" not in key + answer]
    path = root() / f"{name}{_NOTE_SUFFIX}"
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        make(root())
        draft.touch(mode=0o600)
        draft.write_text("".join(lines), encoding="utf-8", errors="surrogateescape")
        os.replace(draft, path)
    except (OSError, BackendNotFound):
        with contextlib.suppress(OSError):
            draft.unlink()


def info() -> CacheInfo:
    """What the cache holds; a refused folder raises BackendNotFound."""
    top = root()
    parts: dict[str, tuple[int, int]] = {}
    if trusted(top):
        parts = {name: _measure(top / name) for name in _FOLDERS}
        notes = [path.stat().st_size for path in top.glob(f"*{_NOTE_SUFFIX}")]
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
        for note in held.folder.glob(f"*{_NOTE_SUFFIX}"):
            note.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(error) from None
    return held.total_bytes
