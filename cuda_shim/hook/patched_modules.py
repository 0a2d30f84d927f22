"""Modules of other packages that are patched or prepared for while a session lasts.

`ctypes.CDLL("libcuda.so.1")`, `ctypes.util.find_library("cuda")` and `cimport cuda.bindings.cydriver` then find our
files. None of these modules is imported for it: one that is not imported yet is patched when it is. Once the library
is loaded, C code that opens one of NVIDIA's names finds it too, by the name that is in the file. Packages with NVIDIA's
runtime linked into them open the driver from C alone: before such a package is imported, the library is loaded.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from importlib.abc import Loader as AnyLoader
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any, Protocol

    class LibraryResolver(Protocol):
        """Finds files for the patched modules."""

        def library_file(self, name: str) -> str | None:
            """Return the path of the file that is opened for a library's name or path, None to leave that alone."""

        def declarations(self) -> str | None:
            """Return the folder of the declarations for Cython, None for none."""
else:
    AnyLoader = object  # nothing of it is used, and it would cost an import at start-up

__all__ = ["OPENING", "PATCHED", "find_patched", "install", "uninstall"]

_LIBRARIES = ("libcuda", "libcudart", "libnvrtc")
_DRIVER = "libcuda.so.1"
_SHORT = {"cuda": _DRIVER, "cudart": "libcudart.so", "nvrtc": "libnvrtc.so"}

_resolver: LibraryResolver | None = None
_originals: list[tuple[Any, str, Any]] = []


def install(resolver: LibraryResolver) -> None:
    """Patch the modules, so that they ask this resolver from now on."""
    global _resolver
    _resolver = resolver
    for name in _PATCHES:
        module = sys.modules.get(name)
        if module is not None:
            _patch(module)


def uninstall() -> None:
    """Restore the modules."""
    global _resolver
    _resolver = None
    while _originals:
        holder, name, original = _originals.pop()
        setattr(holder, name, original)


def find_patched(fullname: str, path: Iterable[str] | None) -> ModuleSpec | None:
    """Return the spec of a module in `PATCHED`, which is patched or prepared for when it is loaded."""
    spec = PathFinder.find_spec(fullname, None if path is None else list(path))
    if spec is not None and spec.loader is not None:
        spec.loader = _PatchingLoader(spec.loader)
    return spec


class _PatchingLoader(AnyLoader):
    """Loads a module by the module's own loader, puts that loader back, and patches the module."""

    def __init__(self, loader: AnyLoader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """As the module's own loader."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module with its own loader in place."""
        if module.__name__ in OPENING:
            _open_driver()
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        if _resolver is not None and module.__name__ in _PATCHES:
            _patch(module)


def _open_driver() -> None:
    """Load the library that stands for the driver, unless the names of libraries are left alone."""
    path = _library_file(_DRIVER)
    if path is not None:
        from ctypes import CDLL

        CDLL(path)


def _patch(module: ModuleType) -> None:
    class_name, name, patch = _PATCHES[module.__name__]
    holder = getattr(module, class_name) if class_name else module
    original = getattr(holder, name)
    if not any(entry[0] is holder and entry[1] == name for entry in _originals):
        _originals.append((holder, name, original))
        setattr(holder, name, patch(original))


def _patched_dlopen(original: Callable[..., int]) -> Callable[..., int]:
    def _dlopen(name: Any, *mode: int) -> int:
        path = _library_file(name) if isinstance(name, (str, bytes)) else None
        return original(path or name, *mode)

    return _dlopen


def _patched_find_library(original: Callable[[str], str | None]) -> Callable[[str], str | None]:
    def find_library(name: str) -> str | None:
        path = _library_file(_SHORT.get(name, ""))
        return original(name) if path is None else os.path.basename(path)

    find_library.__doc__ = original.__doc__
    return find_library


def _patched_initialize(original: Callable[..., None]) -> Callable[..., None]:
    def initialize(self: Any, *arguments: Any, **keywords: Any) -> None:
        original(self, *arguments, **keywords)
        folder = None if _resolver is None else _resolver.declarations()
        if folder is not None:
            self.include_directories = [*self.include_directories, folder]

    return initialize


# By module: the class of the patched function, "" for the module itself, the function's name, and the maker of the
# new function.
_PATCHES: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "Cython.Compiler.Main": ("Context", "__init__", _patched_initialize),
    "ctypes": ("", "_dlopen", _patched_dlopen),
    "ctypes.util": ("", "find_library", _patched_find_library),
}

#: Packages whose C code opens the driver by its name: CuPy, RMM, Warp.
OPENING = frozenset({"cupy_backends", "rmm", "warp"})
#: The modules whose import is of interest.
PATCHED = OPENING | frozenset(_PATCHES)


def _library_file(name: str | bytes) -> str | None:
    spelled = os.fsdecode(name)
    stem, dot, version = os.path.basename(spelled).partition(".so")
    if _resolver is None or stem not in _LIBRARIES or not dot or version.strip(".0123456789"):
        return None
    return _resolver.library_file(spelled)
