"""Import errors for the modules that NVIDIA ships and cuda_shim does not serve, and for files that hide ``cuda``.

Python's own messages, "No module named" or "(unknown location)", are true and do not help the user. A program that only
asks whether a module is there (``importlib.util.find_spec``) gets Python's own answer: that it is not.
"""

from __future__ import annotations

import sys

from cuda_shim.hook.wheel_modules import LET_THROUGH, REFUSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator
    from importlib.machinery import ModuleSpec
    from types import FrameType

__all__ = ["IMPORT_SYSTEM", "NOT_SERVED", "PASSED_THROUGH", "refuse", "refuse_hidden"]

#: The file of the frames that Python leaves out of the tracebacks of ImportErrors.
IMPORT_SYSTEM = "<frozen importlib._bootstrap>"

_LINKER = (
    "NVIDIA's linker gives machine code of NVIDIA's GPUs, which nothing here can run; link with cuLinkCreate, as "
    "packages do that find no nvJitLink"
)
_NVVM = (
    "it is NVIDIA's compiler of NVVM IR, which needs no driver and works where it is installed: pip install "
    "cuda-bindings nvidia-nvvm; CUDA C++ is compiled through nvrtc"
)

#: The modules of NVIDIA's that need no driver: where cuda-bindings is installed they are its own. Its linker is not
#: among them: it gives machine code of NVIDIA's GPUs, and programs that find no linker use cuLinkCreate.
PASSED_THROUGH = LET_THROUGH.union(
    f"cuda.bindings.{name}"
    for name in ("_internal", "_internal._fast_enum", "_internal.nvvm", "_internal.utils", "cynvvm", "nvvm")
)

#: The modules that are not served, each with the reason and the remedy.
NOT_SERVED = {
    **REFUSED,
    "cuda.bindings.nvjitlink": _LINKER,
    "cuda.bindings.nvvm": _NVVM,
    "cuda.core": "it is a package of its own, which works on cuda_shim; pip install cuda-core",
}


def refuse(fullname: str, path: Iterable[str] | None, own_finder: object) -> None:
    """Raise the ImportError for a module that is not served, where it is being imported and no other finder has it.

    A module of cuda-bindings is refused where another finder has it too: it would open NVIDIA's driver beside HIP.
    ``from package import module`` overlooks a ModuleNotFoundError of that name, hence the plain ImportError there.
    """
    __tracebackhide__ = True  # by pytest and IPython
    callers = {frame.f_code.co_name for frame in _importing()}
    if "_find_and_load_unlocked" not in callers:
        return
    if not fullname.startswith("cuda.bindings.") and _is_elsewhere(fullname, path, own_finder):
        return
    error_class = ImportError if "_handle_fromlist" in callers else ModuleNotFoundError
    raise error_class(f"cuda_shim does not serve {fullname}: {NOT_SERVED[fullname]}", name=fullname)


def refuse_hidden(file: str, modules: Container[object]) -> None:
    """Raise the ImportError for a served module whose package a file of the user's hides.

    Only where ``cuda`` is imported for the sake of such a module: a program may have a ``cuda.py`` and use it.
    """
    for frame in _importing():
        name = frame.f_locals.get("name")
        if frame.f_code.co_name == "_find_and_load_unlocked" and name in modules and name != "cuda":
            raise ModuleNotFoundError(
                f"No module named {name!r}; 'cuda' is not a package: {file} hides it; rename that file", name=name
            )


def _importing() -> Iterator[FrameType]:
    """Yield the frames of the import system that led here, innermost first."""
    theirs = sys.modules["_frozen_importlib"].__dict__  # not by the file: finders of ours have the same file name
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals is not theirs:
        frame = frame.f_back
    while frame is not None and frame.f_globals is theirs:
        yield frame
        frame = frame.f_back


def _is_elsewhere(fullname: str, path: Iterable[str] | None, own_finder: object) -> bool:
    """Return whether another finder has the module."""
    others = [finder for finder in sys.meta_path if finder is not own_finder and not hasattr(finder, "begin_session")]
    return any(_find_spec(finder, fullname, path) is not None for finder in others)


def _find_spec(finder: object, fullname: str, path: Iterable[str] | None) -> ModuleSpec | None:
    find = getattr(finder, "find_spec", None)
    spec: ModuleSpec | None = None if find is None else find(fullname, path, None)
    return spec
