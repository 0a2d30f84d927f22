"""The compiled library of a layout: shipped, from the cache, or written and compiled now.

    <cache>/c_level/<sources>-<machine>/<layout>-<hip-python>-<compiler>/
        libcuda_shim_c.so         every function of the driver, the runtime and NVRTC
        libcuda.so.1 …            libraries by NVIDIA's names, whose functions jump to that one's
        libcuda.so …              the same for linkers: a program linked with it needs libcuda.so.1
        include/cuda.h …          declarations of their functions, for C and C++
        by_short_name/libcuda.so  empty ones whose soname is the short name, for C code that opens them by it

As with the CPU runtime, an entry is one folder that appears when it is complete. Released wheels have entries for their
machine in `prebuilt/<machine>/<layout>-<hip-python>/`; with another hip-python the library is built.
"""

from __future__ import annotations

import os
import shutil
import zlib
from pathlib import Path

from cuda_shim.backends import compilers, generation, hip_python
from cuda_shim.cache import artifacts, entries
from cuda_shim.cache.checksums import is_whole
from cuda_shim.cache.folder import cache_of
from cuda_shim.mapping import store
from cuda_shim.notices import notify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.cache.folder import Cache
    from cuda_shim.settings import Settings

__all__ = [
    "BY_SHORT_NAME",
    "COMPILE",
    "INCLUDE",
    "LIBRARY",
    "RECIPE",
    "build_entry",
    "ensure_library",
    "file_names",
    "find_library",
    "layout_of",
    "shipped_name",
    "sonames",
    "sources_identity",
]

LIBRARY = "libcuda_shim_c.so"
BY_SHORT_NAME, INCLUDE = "by_short_name", "include"
_MAX_ENTRIES = 8
#: Raise it when the way of building changes.
RECIPE: int | str = 3
#: The compiler's options.
COMPILE: tuple[str, ...] = ("-std=c++17", "-O1", "-g0", "-fPIC", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti")
_HERE = Path(__file__).resolve().parent
# Folders of the package that the text is written from.
_SOURCES = ("c_level", "mapping", "binding", "_tables")
_VERSIONS = {"11.8": ("11.0", "11.2"), "12.9": ("12", "12"), "13.5": ("13", "13")}


def sonames(layout: str) -> dict[str, tuple[str, str]]:
    """Return the file names of NVIDIA's libraries, by table: the one with the version in it, and the short one."""
    runtime, nvrtc = _VERSIONS[layout]
    return {
        "driver": ("libcuda.so.1", "libcuda.so"),
        "runtime": (f"libcudart.so.{runtime}", "libcudart.so"),
        "nvrtc": (f"libnvrtc.so.{nvrtc}", "libnvrtc.so"),
    }


def file_names(layout: str) -> tuple[str, ...]:
    """Return the file names by which programs of a layout open NVIDIA's libraries."""
    return tuple(name for both in sonames(layout).values() for name in both)


def layout_of(folder: str) -> str:
    """Return the layout of the library in a folder."""
    return next(each for each in _VERSIONS if os.path.exists(os.path.join(folder, sonames(each)["runtime"][0])))


def ensure_library(layout: str, chosen: Settings) -> str:
    """Return the folder of the library, built if there is none yet.

    Raises BackendNotFound: no compiler, no hip-python, a failed compilation, a cache that cannot be used.
    """
    ready = find_library(layout, chosen)
    if ready is not None:
        return ready
    cache, entry = cache_of(chosen), _entry(layout, chosen)
    entries.make(cache, os.path.dirname(entry))
    with entries.lock(cache, entry, "waiting for another process that builds CUDA's C interface …"):
        if not is_whole(entry):
            compiler = compilers.find_builder(chosen)
            notify(
                f"building CUDA's C interface {layout} with {compiler.kind} {compiler.version} (once, some seconds) …"
            )
            build_entry(Path(entry), layout, compiler, cache)
            artifacts.remove_old(cache, "c_level", Path(entry), LIBRARY, _MAX_ENTRIES)
    return entry


def find_library(layout: str, chosen: Settings) -> str | None:
    """Return the folder of a library that is ready to load, None where it has to be built. Raises BackendNotFound."""
    shipped = _HERE / "prebuilt" / os.uname().machine / shipped_name(layout)
    if (shipped / LIBRARY).is_file():
        return str(shipped)
    entry = _entry(layout, chosen)
    return entry if cache_of(chosen).trusts(entry) and is_whole(entry) else None


def shipped_name(layout: str) -> str:
    """Return the name of the folder that a wheel has for a layout: the library holds numbers of hip-python's enums.

    Raises BackendNotFound where there is no hip-python.
    """
    return f"{layout}-{_hip_python()}"


def _hip_python() -> str:
    return generation.installed_version() or hip_python.load().version


def _entry(layout: str, chosen: Settings) -> str:
    compiler = compilers.find_builder(chosen)
    check = zlib.crc32(f"{compiler.identity} {_hip_python()}".encode("utf-8", "surrogateescape"))
    shelf = f"{sources_identity()}.{RECIPE}-{os.uname().machine}"
    return cache_of(chosen).path("c_level", shelf, f"{layout}-{compiler.kind}-{check:08x}")


def sources_identity() -> str:
    """Return an identity of the files that the text is written from, by their sizes and times, which is fast."""
    package = _HERE.parent
    folders = [package / name for name in _SOURCES]
    if not (package / "_tables").is_dir():
        folders.append(store.source_folder())
    seen = []
    for folder in folders:
        for path in sorted(folder.rglob("*.*")):
            if path.suffix in (".py", ".yaml", ".h", ".txt"):
                status = path.stat()
                seen.append(f"{path.relative_to(folder)} {status.st_size} {status.st_mtime_ns}")
    return f"{zlib.crc32(chr(10).join(seen).encode('utf-8', 'surrogateescape')):08x}"


def build_entry(entry: Path, layout: str, compiler: compilers.Compiler, cache: Cache) -> None:
    """Write and compile the library of a layout into a folder that is not there yet.

    Raises BackendNotFound: no hip-python, a failed compilation, a folder that cannot be written.
    """
    with artifacts.draft(entry, cache) as work:
        _compile(work, layout, compiler, cache)


def _compile(work: Path, layout: str, compiler: compilers.Compiler, cache: Cache) -> None:
    from cuda_shim.c_level.headers import write_headers
    from cuda_shim.c_level.source import trampolines, written

    def run(*arguments: str) -> None:
        compilers.build(compiler, cache, arguments, "CUDA's C interface", str(work))

    def run_beside(text: str, name: str, soname: str, origin: str) -> None:
        """Compile a library that needs the one of all functions."""
        (work / "beside.c").write_text(text, encoding="utf-8")
        run("-x", "c", "-shared", "-fPIC", "-g0", "beside.c", "-x", "none", "-o", name, f"-Wl,-soname,{soname}",
            "-Wl,--no-as-needed", f"./{LIBRARY}", f"-Wl,-rpath,{origin}")  # fmt: skip

    (work / "functions.cpp").write_text(written(layout), encoding="utf-8")
    run(*COMPILE, "-shared", "functions.cpp", "-o", LIBRARY, f"-Wl,-soname,{LIBRARY}", "-Wl,-Bsymbolic", "-ldl")
    (work / BY_SHORT_NAME).mkdir()
    for table, (name, short) in sonames(layout).items():
        run_beside(trampolines(layout, table), name, name, "$ORIGIN")
        # Linkers look for the short name, and note the soname in it: a program linked with -lcuda needs libcuda.so.1.
        shutil.copy(work / name, work / short)
        run_beside("int cuda_shim_by_soname = 1;\n", f"{BY_SHORT_NAME}/{short}", short, "$ORIGIN/..")
    write_headers(work / INCLUDE, layout)
    for left in work.glob("*.c*"):
        left.unlink()
