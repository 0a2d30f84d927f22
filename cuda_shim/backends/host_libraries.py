"""The CPU backend's libamdhip64 and libhiprtc: shipped ones, cached ones, or built now with the machine's compiler.

An entry of the cache is one folder, named after everything that its contents depend on and moved into place when it
is complete: a folder that exists is whole, even if a process was killed while it built one.

    <cache>/runtime/<sources>-<machine>-<C library>/<compiler>/lib/{libamdhip64,libhiprtc}.so
    <cache>/runtime/<sources>-<machine>-<C library>/<compiler>/checksums
"""

from __future__ import annotations

import os
import shlex

from cuda_shim.backends import compilers, host
from cuda_shim.cache.checksums import is_whole
from cuda_shim.cache.folder import Cache, cache_of
from cuda_shim.errors import BackendNotFound
from cuda_shim.log import log_command
from cuda_shim.notices import notify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cuda_shim.settings import Settings

__all__ = ["build_entry", "ensure_libraries", "find_libraries", "is_complete"]

# Part of every entry's name: raise it when the way of building changes.
_RECIPE = 5
# Entries of older sources or compilers that are kept beside the newest.
_MAX_ENTRIES = 12
_NOTE = "sources"
_SHOWN_LINES = 40


def ensure_libraries(chosen: Settings) -> str:
    """Return the folder that holds lib/libamdhip64.so and lib/libhiprtc.so, building them if there are none yet.

    However many processes start at once, one builds and the others wait for it. Raises BackendNotFound: no
    compiler, a failed compilation with the compiler's words, or a cache that cannot be used.
    """
    ready = find_libraries(chosen)
    if ready is not None:
        return ready
    from pathlib import Path

    from cuda_shim.cache import artifacts, entries

    compiler = compilers.find_builder(chosen)
    cache = cache_of(chosen)
    entry = _entry(compiler, cache)
    entries.make(cache, os.path.dirname(entry))
    with entries.lock(cache, entry, "waiting for another process that builds the CPU-hosted HIP runtime …"):
        if not is_whole(entry):
            build_entry(Path(entry), compiler, cache)
            artifacts.remove_old(cache, "runtime", Path(entry), f"lib/{host.LIBRARIES[0]}", _MAX_ENTRIES)
    return entry


def build_entry(entry: Path, compiler: compilers.Compiler, cache: Cache) -> None:
    """Build both libraries into `entry`, which appears complete or not at all. The caller holds its lock.

    Raises BackendNotFound with the compiler's own words when it fails.
    """
    from cuda_shim.cache.artifacts import draft

    seconds = max(5, round(host.expected_seconds(compiler.kind) / 5) * 5)
    name = f"{compiler.kind} {compiler.version}"
    notify(f"building the CPU-hosted HIP runtime with {name} (once, about {seconds} s) …")
    with draft(entry, cache) as work:
        variables = compilers.zig_environment(compiler.kind, cache)
        host.build(
            work,
            compiler.command,
            compiler.kind,
            variables,
            log_command,
            lambda *failed: _explain(compiler, cache, *failed),
        )


def _explain(compiler: compilers.Compiler, cache: Cache, command: Sequence[str], output: str) -> BackendNotFound:
    if not command:
        return BackendNotFound(output)
    advice = "set CUDA_SHIM_CXX to another compiler, such as clang++ 17 or later"
    if "No space left on device" in output or "File too large" in output:
        advice = f"free some space below {cache.root}, or set {cache.setting} to a folder elsewhere"
    lines = output.splitlines()
    shown = lines[:_SHOWN_LINES]
    if len(lines) > _SHOWN_LINES:
        shown.append(f"… {len(lines) - _SHOWN_LINES} more lines")
    return BackendNotFound(
        "\n".join(
            [
                f"backend cpu: {compiler} could not build the HIP runtime: {advice}",
                f"  {shlex.join(command)}",
                *(f"  {line}" for line in shown),
            ]
        )
    )


def find_libraries(chosen: Settings) -> str | None:
    """Return the folder of libraries that are ready to load, or None when they have to be built first."""
    shipped = host.shipped()
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
    return all(os.path.isfile(os.path.join(folder, "lib", name)) for name in host.LIBRARIES)


def _shelf(cache: Cache) -> str:
    """Return the cache folder of all entries for these sources and this machine."""
    machine = os.uname().machine
    return cache.path("runtime", f"{_sources_identity(cache)}.{_RECIPE}-{machine}-{_c_library()}")


def _entry(compiler: compilers.Compiler, cache: Cache) -> str:
    import zlib  # no other code on the way to the first call needs it, nor do shipped libraries

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
    return host.identity_in_wheel() or _looked_at_identity(cache)


def _looked_at_identity(cache: Cache) -> str:
    # In a checkout, changed file times mean that the sources may have changed; their contents decide.
    seen = host.sources_signature()
    remembered = dict(cache.read_note(_NOTE)).get(seen)
    if remembered is None:
        remembered = host.sources_identity()
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
