"""What the libraries are built from, and a short identity of it.

This file imports nothing of cuda_shim: the build of a wheel loads it alone, to write the stamp.
"""

from __future__ import annotations

import os

# Paths are text here and in `cache` and `build`: pathlib takes longer to import than all that the first HIP call
# does in this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["STAMP", "content_identity", "is_alone", "is_hot", "library_sources", "part", "runtime_folder"]

# Written into a wheel by its build: the identity of the sources beside it, so that an installed copy need not
# look at them. A source checkout has none, and is looked at.
STAMP = "sources.id"

_SUFFIXES = (".cpp", ".h", ".inc", ".hpp")
# Folders whose *.cpp make each library, and those whose files only kernels include.
LIBRARIES = {"libamdhip64.so": ("hip", "engine", "common"), "libhiprtc.so": ("hiprtc", "common")}
_KERNEL_ONLY = ("device",)
# Where the runtime's own code takes a program's time: what runs kernels, and what loops over their memory. The rest
# calls into these; optimising it fully takes a third longer to build and makes no launch faster.
_HOT = ("engine", "common", "hip/fill.cpp")
# What must not see the headers of others.
_ALONE = ("hip/not_supported.cpp",)


def runtime_folder() -> str:
    """Return the folder of the C++ sources, beside this file."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "runtime")


def library_sources(folder: str) -> dict[str, list[Path]]:
    """Return the translation units of each library, sorted."""
    from pathlib import Path

    return {
        library: sorted(path for part in parts for path in Path(folder, part).rglob("*.cpp"))
        for library, parts in LIBRARIES.items()
    }


def part(unit: Path) -> str:
    """Return the folder of the runtime that a unit is in: hip, engine, common, hiprtc."""
    return unit.relative_to(runtime_folder()).parts[0]


def is_hot(unit: Path) -> bool:
    """Return whether a unit is to be optimised fully."""
    return part(unit) in _HOT or unit.relative_to(runtime_folder()).as_posix() in _HOT


def is_alone(unit: Path) -> bool:
    """Return whether a unit has to be compiled by itself."""
    return unit.relative_to(runtime_folder()).as_posix() in _ALONE


def signature(folder: str) -> str:
    """Return path, size and time of every source that a library is built from: changes when any of them may have."""
    lines = []
    for path, status in _walk(folder):
        lines.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return " ".join([folder, *sorted(lines)])


def _walk(folder: str) -> list[tuple[str, os.stat_result]]:
    found = []
    pending = [folder]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                relative = os.path.relpath(entry.path, folder)
                if entry.is_dir(follow_symlinks=False):
                    if relative not in _KERNEL_ONLY:
                        pending.append(entry.path)
                elif entry.name.endswith(_SUFFIXES):
                    found.append((relative, entry.stat()))
    return found


def content_identity(folder: str) -> str:
    """Return sixteen hexadecimal digits that say what the sources contain, wherever they lie."""
    import hashlib

    digest = hashlib.sha256()
    for path, status in sorted(_walk(folder)):
        digest.update(f"{path}\0{status.st_size}\0".encode("utf-8", "surrogateescape"))
        with open(os.path.join(folder, path), "rb") as source:
            digest.update(source.read())
    return digest.hexdigest()[:16]
