"""The built libamdhip64 and libhiprtc: shipped ones, cached ones, or built now with the machine's compiler.

An entry of the cache is one folder, named after everything that its contents depend on and moved into place when it
is complete: a folder that exists is whole, whatever was killed while it was made.

    <cache>/runtime/<sources>-<machine>-<C library>/<compiler>/lib/{libamdhip64,libhiprtc}.so
    <cache>/runtime/<sources>-<machine>-<C library>/<compiler>/checksums
"""

from __future__ import annotations

import os

from cuda_shim.backends.cpu import compilers, sources
from cuda_shim.cache.folder import Cache, cache_of
from cuda_shim.cache.sums import is_whole
from cuda_shim.errors import BackendNotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.settings import Settings

__all__ = ["ensure_libraries", "find_libraries"]

# Part of every entry's name: raise it when the way of building changes.
_RECIPE = 5
# Entries of older sources or compilers that are kept beside the newest.
_KEPT_ENTRIES = 12
_NOTE = "sources"


def ensure_libraries(chosen: Settings) -> str:
    """Return the folder that holds lib/libamdhip64.so and lib/libhiprtc.so, building them if there are none yet.

    However many processes start at once, one builds and the others wait for it. Raises BackendNotFound: no
    compiler, a failed compilation with the compiler's words, or a cache that cannot be used.
    """
    ready = find_libraries(chosen)
    if ready is not None:
        return ready
    from pathlib import Path

    from cuda_shim.backends.cpu import compile as compilation
    from cuda_shim.cache import built, entries

    compiler = compilers.find_builder(chosen)
    cache = cache_of(chosen)
    entry = _entry(compiler, cache)
    entries.make(cache, os.path.dirname(entry))
    with entries.lock(cache, entry, "waiting for another process that builds the CPU-hosted HIP runtime …"):
        if not is_whole(entry):
            compilation.build_entry(entry, compiler, cache)
            built.remove_old(cache, "runtime", Path(entry), f"lib/{next(iter(sources.LIBRARIES))}", _KEPT_ENTRIES)
    return entry


def find_libraries(chosen: Settings) -> str | None:
    """Return the folder of libraries that are ready to load, or None when they have to be built first."""
    shipped = _prebuilt()
    if is_complete(shipped):
        return shipped
    cache = cache_of(chosen)
    if not cache.root:
        return None
    try:
        compiler = compilers.find_builder(chosen)
    except BackendNotFound:
        if chosen.cxx:
            raise  # the compiler was asked for, so nothing that another one built will do
        # Without a compiler the libraries still work: only compiling a kernel will need one.
        return _any_complete(cache, _shelf(cache))
    entry = _entry(compiler, cache)
    return entry if cache.trusts(os.path.join(entry, "lib")) and is_whole(entry) else None


def is_complete(folder: str) -> bool:
    """Return whether both libraries are there."""
    return all(os.path.isfile(os.path.join(folder, "lib", name)) for name in sources.LIBRARIES)


def _prebuilt() -> str:
    """Return where a released wheel holds its libraries for this machine."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "prebuilt", os.uname().machine)


def _shelf(cache: Cache) -> str:
    """Return the cache folder of all entries for these sources and this machine."""
    machine = os.uname().machine
    return cache.path("runtime", f"{_sources_identity(cache)}.{_RECIPE}-{machine}-{_c_library()}")


def _entry(compiler: compilers.Compiler, cache: Cache) -> str:
    import zlib  # nobody else on the way to the first call needs it, and shipped libraries do not

    check = zlib.crc32(compiler.identity.encode("utf-8", "surrogateescape"))
    return os.path.join(_shelf(cache), f"{compiler.kind}-{compiler.version}-{check:08x}")


def _c_library() -> str:
    # A home folder may be shared by machines whose C libraries differ, and a newer one's symbols are missing
    # in an older one.
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "libc").replace(" ", "")
    except (ValueError, OSError):
        return "libc"


def _sources_identity(cache: Cache) -> str:
    folder = sources.runtime_folder()
    try:
        with open(os.path.join(folder, sources.STAMP), encoding="ascii") as stamp:
            return stamp.read().strip()
    except FileNotFoundError:
        return _looked_at_identity(folder, cache)


def _looked_at_identity(folder: str, cache: Cache) -> str:
    # In a checkout: file times say whether the sources may have changed, their contents whether they did.
    seen = sources.signature(folder)
    remembered = dict(cache.read_note(_NOTE)).get(seen)
    if remembered is None:
        remembered = sources.content_identity(folder)
        from cuda_shim.cache import entries

        entries.write_note(cache, _NOTE, [(seen, remembered)], keep=8)
    return remembered


def _any_complete(cache: Cache, shelf: str) -> str | None:
    if not cache.trusts(shelf):
        return None
    for entry in sorted(os.path.join(shelf, name) for name in os.listdir(shelf)):
        if cache.trusts(os.path.join(entry, "lib")) and is_whole(entry):
            return entry
    return None
