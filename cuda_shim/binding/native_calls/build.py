"""The compiled library of calls: shipped, from the cache, or compiled now.

    <cache>/calls/<sources>-<machine>/<compiler>/calls.so

Python's headers are not needed, and every Python of the versions that are served can use it. Released wheels have it in
`prebuilt/<machine>/`.
"""

from __future__ import annotations

import os
import zlib

from cuda_shim.backends import compilers
from cuda_shim.cache.checksums import is_whole
from cuda_shim.cache.folder import cache_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from cuda_shim.cache.folder import Cache
    from cuda_shim.settings import Settings

__all__ = ["LIBRARY", "build_entry", "ensure_library", "find_library"]

LIBRARY = "calls.so"
_HERE = os.path.dirname(os.path.abspath(__file__))
_SOURCES = os.path.join(_HERE, "native")
_COMPILE = ("-x", "c", "-std=c11", "-O2", "-g0", "-fPIC", "-fvisibility=hidden", "-shared", "-Wall", "-Wextra")
_MAX_ENTRIES = 4


def ensure_library(settings: Settings) -> str:
    """Return the library's path, compiled if there is none yet.

    Raises BackendNotFound: no compiler, a failed compilation, a cache that cannot be used.
    """
    library = find_library(settings)
    if library is None:
        compiler, cache = compilers.find_builder(settings), cache_of(settings)
        entry = _entry(compiler, cache)
        _build(entry, compiler, cache)
        library = os.path.join(entry, LIBRARY)
    return library


def find_library(settings: Settings) -> str | None:
    """Return the path of a library that is ready to load, None where it has to be compiled. Raises BackendNotFound."""
    prebuilt = os.path.join(_HERE, "prebuilt", os.uname().machine, LIBRARY)
    if os.path.isfile(prebuilt):
        return prebuilt
    cache = cache_of(settings)
    entry = _entry(compilers.find_builder(settings), cache)
    return os.path.join(entry, LIBRARY) if cache.trusts(entry) and is_whole(entry) else None


def _entry(compiler: compilers.Compiler, cache: Cache) -> str:
    shelf = f"{_sources_identity()}-{os.uname().machine}"
    check = zlib.crc32(compiler.identity.encode("utf-8", "surrogateescape"))
    return cache.path("calls", shelf, f"{compiler.kind}-{check:08x}")


def _sources_identity() -> str:
    check = zlib.crc32(" ".join(_COMPILE).encode())
    for name in sorted(os.listdir(_SOURCES)):
        with open(os.path.join(_SOURCES, name), "rb") as source:
            check = zlib.crc32(source.read(), check)
    return f"{check:08x}"


def _build(entry: str, compiler: compilers.Compiler, cache: Cache) -> None:
    from pathlib import Path

    from cuda_shim.cache import artifacts, entries

    entries.make(cache, os.path.dirname(entry))
    with entries.lock(cache, entry, "waiting for another process that compiles the library of calls …"):
        if not is_whole(entry):
            build_entry(Path(entry), compiler, cache)
            artifacts.remove_old(cache, "calls", Path(entry), LIBRARY, _MAX_ENTRIES)


def build_entry(entry: Path, compiler: compilers.Compiler, cache: Cache) -> None:
    """Compile the library into a folder that is not there yet.

    Raises BackendNotFound: a failed compilation, a folder that cannot be written.
    """
    from cuda_shim.cache import artifacts

    with artifacts.draft(entry, cache) as work:
        arguments = (*_COMPILE, os.path.join(_SOURCES, "call.c"), "-o", str(work / LIBRARY))
        compilers.build(compiler, cache, arguments, "the library of calls")
