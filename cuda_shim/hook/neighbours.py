"""Modules of others that are changed while a session lasts: ctypes and Cython's compiler.

`ctypes.CDLL("libcuda.so.1")`, `ctypes.util.find_library("cuda")` and `cimport cuda.bindings.cydriver` are answered
then. None of these modules is imported for it: one that is not imported yet is changed when it is. Once the library
is loaded, C code that opens one of NVIDIA's names finds it too, by the name that is in the file.
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

    class Answers(Protocol):
        """The session's answers to the changed modules."""

        def library_file(self, name: str) -> str | None:
            """Return the path of the file that is opened for a library's name or path, None to leave that alone."""

        def declarations(self) -> str | None:
            """Return the folder of the declarations for Cython, None for none."""
else:
    AnyLoader = object  # nothing of it is used, and it would cost an import at start-up

__all__ = ["CHANGED", "answer_with", "find_changed", "stop"]

_LIBRARIES = ("libcuda", "libcudart", "libnvrtc")
_SHORT = {"cuda": "libcuda.so.1", "cudart": "libcudart.so", "nvrtc": "libnvrtc.so"}

_answers: Answers | None = None
_undo: list[tuple[Any, str, Any]] = []


def answer_with(answers: Answers) -> None:
    """Change the modules, so that they use these answers from now on."""
    global _answers
    _answers = answers
    for name in CHANGED:
        module = sys.modules.get(name)
        if module is not None:
            _change(module)


def stop() -> None:
    """Leave the modules as they were."""
    global _answers
    _answers = None
    while _undo:
        holder, name, original = _undo.pop()
        setattr(holder, name, original)


def find_changed(fullname: str, path: Iterable[str] | None) -> ModuleSpec | None:
    """Return the spec of a module that is to be changed when it is loaded."""
    spec = PathFinder.find_spec(fullname, None if path is None else list(path))
    if spec is not None and spec.loader is not None:
        spec.loader = _Changing(spec.loader)
    return spec


class _Changing(AnyLoader):
    """Loads a module by the module's own loader, puts that loader back, and changes the module."""

    def __init__(self, loader: AnyLoader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """As the module's own loader."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module with its own loader in place."""
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        if _answers is not None:
            _change(module)


def _change(module: ModuleType) -> None:
    holder, name, changed = _CHANGES[module.__name__]
    held = getattr(module, holder) if holder else module
    original = getattr(held, name)
    if not any(entry[0] is held and entry[1] == name for entry in _undo):
        _undo.append((held, name, original))
        setattr(held, name, changed(original))


def _opening(original: Callable[..., int]) -> Callable[..., int]:
    def _dlopen(name: Any, *mode: int) -> int:
        found = _answered(name) if isinstance(name, (str, bytes)) else None
        return original(found or name, *mode)

    return _dlopen


def _finding(original: Callable[[str], str | None]) -> Callable[[str], str | None]:
    def find_library(name: str) -> str | None:
        path = _answered(_SHORT.get(name, ""))
        return original(name) if path is None else os.path.basename(path)

    find_library.__doc__ = original.__doc__
    return find_library


def _declaring(original: Callable[..., None]) -> Callable[..., None]:
    def initialize(self: Any, *arguments: Any, **named: Any) -> None:
        original(self, *arguments, **named)
        folder = None if _answers is None else _answers.declarations()
        if folder is not None:
            self.include_directories = [*self.include_directories, folder]

    return initialize


# By module: the class of the changed function, "" for the module itself, the function's name, and the maker of the new
# function.
_CHANGES: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "Cython.Compiler.Main": ("Context", "__init__", _declaring),
    "ctypes": ("", "_dlopen", _opening),
    "ctypes.util": ("", "find_library", _finding),
}

#: The modules that are changed.
CHANGED = frozenset(_CHANGES)


def _answered(name: str | bytes) -> str | None:
    spelled = os.fsdecode(name)
    stem, dot, version = os.path.basename(spelled).partition(".so")
    if _answers is None or stem not in _LIBRARIES or not dot or version.strip(".0123456789"):
        return None
    return _answers.library_file(spelled)
