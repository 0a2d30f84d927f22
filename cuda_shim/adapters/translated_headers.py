"""Options that lead hiprtc to the files that a program includes, and to translations of those that hold inline PTX."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from cuda_shim import settings
from cuda_shim.cache import artifacts, checksums
from cuda_shim.cache.entries import lock, make
from cuda_shim.cache.folder import Cache, cache_of
from cuda_shim.errors import BackendNotFound
from cuda_shim.translate.headers_on_disk import Overlay, overlay_of
from cuda_shim.translate.options import Translation
from cuda_shim.translate.program_files import ProgramFile, definitions
from cuda_shim.translate.program_texts import ProgramTexts

__all__ = ["options_for"]

# The header that translations of inline PTX use.
_OWN = b"cuda_shim/ptx_threads.h"
_PART = "headers"
_MAX_ENTRIES = 64
_IN_USE_SECONDS = 600  # no compile of a program takes longer


def options_for(program: ProgramTexts, options: Translation) -> list[bytes]:
    """Return hiprtc's options: those that a program is compiled with, and those that its includes need.

    On the CPU runtime, headers on disk that the texts reach are translated where they hold inline PTX. The cache keeps
    the translations by their contents: the same headers have the same folder in every process, which hiprtc's own cache
    of kernels relies on, and translating a library's headers takes longer than compiling a kernel.
    """
    paths = {file: _path_of(file, options) for file in program.files}
    if options.on_gpu:
        return [*definitions(program.files, paths.__getitem__), *options.options]
    first = [
        place for index, place in enumerate(options.options) if options.options[index - 1 : index] == [b"-include"]
    ]
    pre_included = {name: _path_of(ProgramFile(b"", name, True, b""), options) for name in first}
    included = [path for path in (*paths.values(), *pre_included.values()) if path is not None]
    overlay = overlay_of(program.texts, included, options.include_paths, program.names)
    if overlay is None:
        return [*definitions(program.files, paths.__getitem__), *options.options]
    folder = _overlay_folder(overlay)

    def translated(path: bytes | None) -> bytes | None:
        place = overlay.place_of(path) if path is not None else None
        return path if place is None else os.path.join(folder, place)

    searched = [b"-I" + os.path.join(folder, name) for name in overlay.searched]
    if any(os.path.exists(os.path.join(folder, name, _OWN)) for name in overlay.searched):
        searched += [b"-include", _OWN]
    redirected = {name: path for name, path in pre_included.items() if path != translated(path)}
    return [
        *searched,
        *definitions(program.files, lambda file: translated(paths[file])),
        *(translated(redirected[option]) or option if option in redirected else option for option in options.options),
    ]


def _path_of(file: ProgramFile, options: Translation) -> bytes | None:
    """Return the absolute path of a name, None where hiprtc finds it by the name, or there is no such file."""
    path = file.found_beside(not options.no_source_include)
    if path is None and not file.is_plain:
        candidates = (os.path.join(os.getcwdb(), folder, file.name) for folder in options.include_paths)
        path = next(filter(os.path.isfile, candidates), None)
    return path


def _overlay_folder(overlay: Overlay) -> bytes:
    """Return the folder of a translation, which is made where it is missing or damaged."""
    cache = cache_of(settings.current())
    try:
        folder = cache.path(_PART, overlay.digest)
        if cache.trusts(cache.path(_PART)) and checksums.is_whole(folder):
            with contextlib.suppress(OSError):  # a cache that cannot be written is not tidied either
                os.utime(folder)  # it is in use: other processes remove older ones
            return os.fsencode(folder)
        make(cache, cache.path(_PART))
        with lock(cache, folder, "waiting for another process that translates the same headers …"):
            if not checksums.is_whole(folder):
                with artifacts.draft(Path(folder), cache) as work:
                    _write(overlay.texts(os.fsencode(folder)), os.fsencode(work))
                _remove_old(cache)
    except BackendNotFound:
        folder = os.path.join(_own_folder(os.getpid()), overlay.digest)
        if not os.path.isdir(folder):
            _write(overlay.texts(os.fsencode(folder)), os.fsencode(folder))
    return os.fsencode(folder)


def _write(texts: Mapping[bytes, bytes], folder: bytes) -> None:
    for place, text in texts.items():
        path = os.path.join(folder, place)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb") as file:
            file.write(text)


def _remove_old(cache: Cache) -> None:
    """Bound the translations while headers change often: the newest stay, and those that a compiler may be reading."""
    entries = [path for path in Path(cache.path(_PART)).iterdir() if path.is_dir() and not path.name.startswith(".")]
    entries.sort(key=artifacts.last_used, reverse=True)
    oldest = time.time() - _IN_USE_SECONDS
    for path in entries[_MAX_ENTRIES:]:
        if artifacts.last_used(path) < oldest:
            shutil.rmtree(path, ignore_errors=True)
            path.with_name(path.name + ".lock").unlink(missing_ok=True)


@functools.cache
def _own_folder(process: int) -> str:
    """Return a folder of this process, where the cache cannot be written; it is removed when the process ends."""
    folder = tempfile.mkdtemp(prefix="cuda_shim-headers-")

    def remove() -> None:
        if os.getpid() == process:  # a forked child runs its parent's exit functions too
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
