"""The compiled library of calls: from the cache, or compiled now.

    <cache>/calls/<source and compiler>-<machine>/calls.so

Python's headers are not needed, and every Python of the versions that are served can use it.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from pathlib import Path

from cuda_shim.backends.cpu import compilers
from cuda_shim.cache import entries
from cuda_shim.cache.folder import cache_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.cache.folder import Cache
    from cuda_shim.settings import Settings

__all__ = ["ensure_library"]

_SOURCE = Path(__file__).with_name("call.c")
_COMPILE = ("-x", "c", "-std=c11", "-O2", "-g0", "-fPIC", "-fvisibility=hidden", "-shared", "-Wall", "-Wextra")


def ensure_library(chosen: Settings) -> str:
    """Return the library's path, compiled if there is none yet.

    Raises BackendNotFound: no compiler, a failed compilation, a cache that cannot be used.
    """
    compiler, cache = compilers.find_builder(chosen), cache_of(chosen)
    made_of = _SOURCE.read_bytes() + " ".join((compiler.identity, *_COMPILE)).encode("utf-8", "surrogateescape")
    entry = cache.path("calls", f"{zlib.crc32(made_of):08x}-{os.uname().machine}")
    library = os.path.join(entry, "calls.so")
    if not (os.path.isfile(library) and cache.trusts(entry)):
        entries.make(cache, entry)
        _compile(compiler, cache, library)
    return library


def _compile(compiler: compilers.Compiler, cache: Cache, library: str) -> None:
    # Whoever is first, or last, puts the same file there.
    with tempfile.TemporaryDirectory(prefix=".draft-", dir=os.path.dirname(library)) as folder:
        draft = os.path.join(folder, "calls.so")
        compilers.build(compiler, cache, (*_COMPILE, str(_SOURCE), "-o", draft), "the library of calls")
        os.replace(draft, library)
