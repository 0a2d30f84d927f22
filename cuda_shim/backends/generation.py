"""The installed hip-python, 10.0 (`rocm.bindings`) or 7.2.2 (`hip`): its own choice of libraries, and ours.

hip-python opens libamdhip64 and libhiprtc at the first call and keeps the answer.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable
from types import ModuleType

from cuda_shim.errors import BackendNotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "default_library",
    "import_modules",
    "imported_before",
    "installed",
    "installed_version",
    "library_in_use",
    "not_installed",
    "point_to",
]

# The packages of each generation's modules, in the order of preference. In 10.0 `hip` is an alias package in which
# `import hip.hip` fails, so the real name comes first.
_PACKAGES = ((10, "rocm.bindings"), (7, "hip"))
_PATHS = "rocm.bindings.util.paths"
_DISTRIBUTIONS = ("hip-python", "rocm-bindings-hip")


_search: Callable[..., bytes] | None = None


def imported_before() -> bool:
    """Return whether the program has imported hip-python already."""
    return any(f"{package}.hip" in sys.modules for _, package in _PACKAGES)


def import_modules() -> tuple[ModuleType, ModuleType, int]:
    """hip-python's modules `hip` and `hiprtc`, and its generation; opens no library.

    Raises BackendNotFound when hip-python is not installed or does not import.
    """
    failures: list[str] = []
    for generation, package in _PACKAGES:
        try:
            hip = importlib.import_module(f"{package}.hip")
            hiprtc = importlib.import_module(f"{package}.hiprtc")
        except ModuleNotFoundError as missing:
            # `hip.hip` inside another package named hip, or no such package at all.
            if missing.name not in (package.split(".")[0], package, f"{package}.hip", f"{package}.hiprtc"):
                failures.append(f"{package}: {missing}")
        except ImportError as broken:
            failures.append(f"{package}: {broken}")
        else:
            return hip, hiprtc, generation
    if failures:
        reasons = "; ".join(failures)
        if "one interpreter per process" in reasons:
            raise BackendNotFound(f"hip-python does not import ({reasons}): call CUDA in the main interpreter")
        raise BackendNotFound(f"hip-python does not import ({reasons}): pip install --force-reinstall hip-python")
    raise not_installed()


def not_installed() -> BackendNotFound:
    """Return the error of an interpreter without hip-python, whose wheels no free-threaded Python takes."""
    if "t" in getattr(sys, "abiflags", ""):
        version = ".".join(map(str, sys.version_info[:2]))
        reason = "hip-python is not installed, and has no wheels for free-threaded Python"
        return BackendNotFound(f"{reason}: use Python {version} with the GIL")
    return BackendNotFound("hip-python is not installed: pip install hip-python")


def installed_version() -> str:
    """Return the version of the installed hip-python from its metadata, "" when there is none."""
    from importlib import metadata  # about 10 ms, and only doctor asks

    for name in _DISTRIBUTIONS:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return ""


def installed() -> int | None:
    """Return which hip-python is installed (10 or 7), None where there is none; imports its parent package alone."""
    from importlib.util import find_spec

    for generation, package in _PACKAGES:
        try:
            if find_spec(f"{package}.hip") is not None:
                return generation
        except (ImportError, ValueError):
            continue  # the parent package is missing, or is another one of that name
    return None


def default_library(generation: int, shortname: str) -> str:
    """Return the name that hip-python by itself would pass to dlopen for "amdhip64" or "hiprtc"."""
    if generation == 10:
        return os.fsdecode(_own_search()(shortname))
    return f"lib{shortname}.so"


def point_to(generation: int, libamdhip64: str, libhiprtc: str) -> None:
    """Make hip-python open these libraries and no others."""
    chosen = {"amdhip64": os.fsencode(libamdhip64), "hiprtc": os.fsencode(libhiprtc)}
    if generation == 10:
        _replace_search(chosen)
    else:
        # The Cython modules read this global at their first call.
        for module, library in (("hip.chip", "amdhip64"), ("hip.chiprtc", "hiprtc")):
            vars(importlib.import_module(module))["DLL"] = chosen[library]


def _replace_search(chosen: dict[str, bytes]) -> None:
    # hip-python imports this function by name at its first call, so giving its module another one is enough;
    # ROCM_PATH would not be, since installed rocm_sdk wheels win over it.
    def get_library_path(shortname: str, bundled_location: Path | None = None) -> bytes:
        path = chosen.get(shortname)
        return path if path is not None else _own_search()(shortname, bundled_location)

    paths = sys.modules.get(_PATHS)
    if paths is None:
        paths = sys.modules[_PATHS] = _Paths(_PATHS)
    else:
        _own_search()  # kept before it is replaced
    vars(paths)["get_library_path"] = get_library_path


class _Paths(ModuleType):
    """Stands for hip-python 10's module that searches libraries, until code needs more of it than our answer.

    The module itself imports pathlib, typing and more to search: half the time of hip-python's first call.
    """

    @functools.cached_property
    def itself(self) -> ModuleType:
        """The real module."""
        from importlib.machinery import PathFinder
        from importlib.util import module_from_spec

        package = importlib.import_module(_PATHS.rpartition(".")[0])
        spec = PathFinder.find_spec(_PATHS, package.__path__)
        if spec is None or spec.loader is None:
            raise BackendNotFound(f"hip-python has no {_PATHS}: pip install --force-reinstall hip-python")
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def __getattr__(self, name: str) -> object:
        return getattr(self.itself, name)


def _own_search() -> Callable[..., bytes]:
    """hip-python 10's own `get_library_path`, also after it was replaced."""
    global _search
    if _search is None:
        paths = importlib.import_module(_PATHS)
        own = paths.itself if isinstance(paths, _Paths) else paths
        _search = own.get_library_path
    return _search


def library_in_use(generation: int) -> str | None:
    """Return the libamdhip64 that hip-python opened before cuda_shim was asked, or None.

    hip-python does not report it, so this looks whether the library that its own search leads to is mapped into
    the process. A copy that another package brought (PyTorch does) does not count.
    """
    own_search = default_library(generation, "amdhip64")
    mapped = _mapped_files("libamdhip64.so")
    if os.path.isabs(own_search):
        return own_search if os.path.realpath(own_search) in mapped else None
    return mapped[0] if mapped else None


def _mapped_files(prefix: str) -> list[str]:
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            paths = [line.split(maxsplit=5)[5].rstrip("\n") for line in maps if f"/{prefix}" in line]
    except OSError:
        return []  # no /proc (a sandbox): then nothing can be known, and the ordinary choice is made
    return [path for path in dict.fromkeys(paths) if os.path.basename(path).startswith(prefix)]
