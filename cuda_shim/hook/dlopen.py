"""What ctypes opens under the names of NVIDIA's libraries: the C interface of the shim.

`ctypes.CDLL("libcuda.so.1")` and `ctypes.util.find_library("cuda")` are answered while a session lasts. Nothing is
loaded before somebody asks, and ctypes itself is not either: where it is not there yet, it is changed as it comes.
Once the library is loaded, C code that opens one of these names finds it too, by the name that is in the file.
"""

from __future__ import annotations

import os
import re
import sys
from importlib.machinery import PathFinder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from importlib.abc import Loader as AnyLoader
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

    Answer = Callable[[str], str | None]
    """Takes the name of a library; the path of the file that is to be opened for it, None to leave it alone."""
else:
    AnyLoader = object  # nothing of it is used, and it would cost an import at start-up

__all__ = ["CHANGED", "answer_with", "answered", "find_changed", "stop"]

#: The modules that are changed, each with the name in it.
CHANGED = {"ctypes": "_dlopen", "ctypes.util": "find_library"}

_LIBRARY = re.compile(r"lib(cuda|cudart|nvrtc)\.so(\.[\d.]+)?")
_SHORT = {"cuda": "libcuda.so.1", "cudart": "libcudart.so", "nvrtc": "libnvrtc.so"}

_answer: Answer | None = None
_originals: dict[str, Any] = {}


def answer_with(answer: Answer) -> None:
    """Have the names of NVIDIA's libraries answered from now on."""
    global _answer
    _answer = answer
    for name in CHANGED:
        module = sys.modules.get(name)
        if module is not None:
            _change(module)


def stop() -> None:
    """Leave ctypes as it was."""
    global _answer
    _answer = None
    for name, original in list(_originals.items()):
        setattr(sys.modules[name], CHANGED[name], original)
        del _originals[name]


def find_changed(fullname: str, path: Iterable[str] | None) -> ModuleSpec | None:
    """The spec of a module that is to be changed when it is loaded."""
    spec = PathFinder.find_spec(fullname, None if path is None else list(path))
    if spec is not None and spec.loader is not None:
        spec.loader = _Changing(spec.loader)
    return spec


class _Changing(AnyLoader):
    """Loads a module as its own loader does, which it gives back, and changes it."""

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
        if _answer is not None:
            _change(module)


def _change(module: ModuleType) -> None:
    name = CHANGED[module.__name__]
    current = getattr(module, name)
    if module.__name__ not in _originals:
        _originals[module.__name__] = current
        setattr(module, name, (_opening if name == "_dlopen" else _finding)(current))


def _opening(original: Callable[..., int]) -> Callable[..., int]:
    def _dlopen(name: Any, *mode: int) -> int:
        found = answered(name) if isinstance(name, (str, bytes)) else None
        return original(found or name, *mode)

    return _dlopen


def _finding(original: Callable[[str], str | None]) -> Callable[[str], str | None]:
    def find_library(name: str) -> str | None:
        path = answered(_SHORT.get(name, ""))
        return original(name) if path is None else os.path.basename(path)

    find_library.__doc__ = original.__doc__
    return find_library


def answered(name: str | bytes) -> str | None:
    """The path of the file that stands for a library's name, None for every other name."""
    spelled = os.fsdecode(name)
    if _answer is None or not _LIBRARY.fullmatch(spelled):
        return None
    return _answer(spelled)
