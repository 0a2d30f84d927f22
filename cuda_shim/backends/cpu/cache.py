"""The user's private cache folder: where it is, whether it may be trusted, what its notes say.

It holds libraries that this process will load, so a folder that belongs to somebody else, or that others can
write, is refused. Everything in it can be made again: clearing it costs time and nothing else. What changes the
cache is in `cache_files`; nothing here is imported that the first HIP call can do without.

    runtime/   the built libamdhip64 and libhiprtc, one folder for each source, machine and compiler
    kernels/   compiled kernels, written by libhiprtc
    zig/       zig's own cache, where zig is the compiler
    *.note     answers that take a process to get (compiler versions, device counts)
"""

from __future__ import annotations

import os
import stat

from cuda_shim import settings
from cuda_shim.errors import BackendNotFound

__all__ = ["NOTE_SUFFIX", "check", "read_note", "root", "steps", "trusted"]

NOTE_SUFFIX = ".note"


def root() -> str:
    """The cache folder: CUDA_SHIM_CACHE_DIR, else cuda-shim in the user's cache folder (XDG_CACHE_HOME or
    ~/.cache). The C++ runtime finds it by the same rule. It need not exist yet."""
    chosen = settings.text("cache_dir")
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    base = os.environ.get("XDG_CACHE_HOME", "")
    # A relative XDG path is to be ignored, says its specification.
    folder = base if os.path.isabs(base) else os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(folder, "cuda-shim")


def check(folder: str) -> None:
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


def trusted(folder: str) -> bool:
    """Whether `folder`, below the cache root, exists and may be loaded from. Raises when it is refused."""
    for step in steps(folder):
        check(step)
    return os.path.isdir(folder)


def steps(folder: str) -> list[str]:
    """The cache root, and every folder on the way from there to `folder`, which is the last."""
    found = [root()]
    below = os.path.relpath(folder, found[0])
    for part in [] if below == os.curdir else below.split(os.sep):
        found.append(os.path.join(found[-1], part))
    return found


def read_note(name: str) -> list[tuple[str, str]]:
    """The remembered (key, answer) pairs of a note; none when the cache is not there or not to be trusted."""
    try:
        if not trusted(root()):
            return []
        path = os.path.join(root(), name + NOTE_SUFFIX)
        with open(path, encoding="utf-8", errors="surrogateescape") as note:
            lines = note.read().splitlines()
    except (OSError, BackendNotFound):
        return []
    pairs = (line.partition("\t") for line in lines)
    return [(key, answer) for key, tab, answer in pairs if tab]


def _refused(folder: str, reason: str, advice: str = "") -> BackendNotFound:
    advice = advice or "set CUDA_SHIM_CACHE_DIR to a folder of your own"
    return BackendNotFound(f"cache folder {folder} {reason}, so nothing is loaded from it: {advice}")
