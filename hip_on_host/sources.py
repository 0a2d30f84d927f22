"""The sources that the libraries are built from, and a short identity of them.

The build of a wheel loads this file alone, to write the stamp.
"""

from __future__ import annotations

import os

# Paths are text: importing pathlib takes longer than all of the first HIP call's work in Python.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "LIBRARIES",
    "STAMP",
    "content_identity",
    "device_folder",
    "home",
    "identity_in_wheel",
    "is_excluded_from_unity",
    "is_optimized",
    "library_sources",
    "part",
    "signature",
    "source_folder",
]

# Written into a wheel by its build: the identity of the sources beside it, so that an installed copy need not
# look at them. A source checkout has none, and is looked at.
STAMP = "sources.id"

_SUFFIXES = (".cpp", ".h", ".inc", ".hpp")
# Folders whose *.cpp make each library.
LIBRARIES = {"libamdhip64.so": ("hip", "engine", "common"), "libhiprtc.so": ("kernel_compiler", "common")}
# Compiled with -O2, not -O1: the runtime's own code that takes a program's time, since it runs kernels and loops over
# their memory. The rest calls into it: optimising it too takes a third longer to build and makes no launch faster.
_OPTIMIZED = ("engine", "common", "hip/memory/fill.cpp")
# Left out of unity batches: files that must not see the headers of others.
_EXCLUDED_FROM_UNITY = ("hip/not_supported.cpp",)


def home() -> str:
    """Return the folder of this package."""
    return os.path.dirname(os.path.abspath(__file__))


def source_folder() -> str:
    """Return the folder of the C++ sources."""
    return os.path.join(home(), "src")


def device_folder() -> str:
    """Return the folder of the headers that kernels include."""
    return os.path.join(home(), "device")


def identity_in_wheel() -> str:
    """Return the identity that the build of the wheel wrote; "" in a source checkout."""
    try:
        with open(os.path.join(source_folder(), STAMP), encoding="ascii") as stamp:
            return stamp.read().strip()
    except FileNotFoundError:
        return ""


def library_sources(folder: str) -> dict[str, list[Path]]:
    """Return the translation units of each library, sorted."""
    from pathlib import Path

    return {
        library: sorted(path for part in parts for path in Path(folder, part).rglob("*.cpp"))
        for library, parts in LIBRARIES.items()
    }


def part(unit: Path) -> str:
    """Return the folder of the sources that a unit is in: hip, engine, common, kernel_compiler."""
    return unit.relative_to(source_folder()).parts[0]


def is_optimized(unit: Path) -> bool:
    """Return whether a unit is compiled with -O2."""
    return part(unit) in _OPTIMIZED or unit.relative_to(source_folder()).as_posix() in _OPTIMIZED


def is_excluded_from_unity(unit: Path) -> bool:
    """Return whether a unit has to be compiled by itself, in no unity batch."""
    return unit.relative_to(source_folder()).as_posix() in _EXCLUDED_FROM_UNITY


def signature(folder: str) -> str:
    """Return path, size and time of every source that a library is built from: changes when any of them may have."""
    lines = []
    for path, status in _walk(folder):
        lines.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return " ".join([folder, *sorted(lines)])


def _walk(folder: str) -> list[tuple[str, os.stat_result]]:
    files = []
    pending = [folder]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                relative = os.path.relpath(entry.path, folder)
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif entry.name.endswith(_SUFFIXES):
                    files.append((relative, entry.stat()))
    return files


def content_identity(folder: str) -> str:
    """Return sixteen hexadecimal digits that identify the contents of the sources, independent of their folder."""
    import hashlib

    digest = hashlib.sha256()
    for path, status in sorted(_walk(folder)):
        digest.update(f"{path}\0{status.st_size}\0".encode("utf-8", "surrogateescape"))
        with open(os.path.join(folder, path), "rb") as source:
            digest.update(source.read())
    return digest.hexdigest()[:16]
