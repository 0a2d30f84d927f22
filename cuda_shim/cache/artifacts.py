"""Entries of the cache that are built: folders, each of which appears when it is complete; old ones are removed.

    <cache>/<part>/<sources>-<machine>/<compiler>/

An entry that exists is whole, even if its build was killed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from cuda_shim.cache import checksums
from cuda_shim.cache.entries import cannot_write
from cuda_shim.cache.folder import Cache

__all__ = ["draft", "last_used", "remove_old"]

_OLD_DRAFT_SECONDS = 86_400


@contextlib.contextmanager
def draft(entry: Path, cache: Cache) -> Iterator[Path]:
    """Give a new folder, which becomes `entry` when the block ends without an error. The caller holds the entry's lock.

    Leftovers of a killed build, and an entry that is not whole any more, are removed first.

    Raises:
        BackendNotFound: the folder cannot be written.
    """
    prefix = f".{entry.name}."
    try:
        for leftover in entry.parent.glob(f"{prefix}*"):
            if leftover.is_dir():
                shutil.rmtree(leftover, ignore_errors=True)
        if entry.exists():
            shutil.rmtree(entry)
        work = Path(tempfile.mkdtemp(prefix=prefix, dir=entry.parent))
    except OSError as error:
        raise cannot_write(cache, error) from None
    try:
        yield work
        checksums.write(str(work))
        os.rename(work, entry)
    except OSError as error:
        raise cannot_write(cache, error) from None
    finally:
        shutil.rmtree(work, ignore_errors=True)  # gone already when all went well


def remove_old(cache: Cache, part: str, newest: Path, library: str, keep: int) -> None:
    """Bound a part of the cache while sources change often; a process keeps the libraries that it has opened.

    Args:
        cache: the cache.
        part: the folder of its entries.
        newest: the entry that was built now.
        library: the file that a whole entry has.
        keep: the number of older ones that may stay.
    """
    folder = Path(cache.path(part))
    entries = [path for path in folder.glob("*/*") if (path / library).is_file() and path != newest]
    entries.sort(key=last_used, reverse=True)
    # The next build of an entry removes the drafts of a killed build; a compiler that outlived it may have written on,
    # and an entry that no process builds again keeps its drafts: those are removed by age.
    oldest = time.time() - _OLD_DRAFT_SECONDS
    dead = [path for path in folder.glob("*/.*") if path.is_dir() and last_used(path) < oldest]
    for path in [*entries[keep:], *dead]:
        shutil.rmtree(path, ignore_errors=True)  # a later build removes files that cannot be removed now
        with contextlib.suppress(FileNotFoundError):  # another process removed the folder
            if not any(other.is_dir() for other in path.parent.iterdir()):
                shutil.rmtree(path.parent, ignore_errors=True)


def last_used(path: Path) -> float:
    """Return when an entry was last written or marked as used, in seconds since 1970; 0 where it is not there any more.

    Processes that share the cache remove old entries while others sort them.
    """
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
