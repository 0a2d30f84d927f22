"""The modules that a session replaces in ``sys.modules``, and their restoration.

Only names that the finder serves are touched.  Other children of ``cuda`` (``cuda.core``,
``cuda.pathfinder``) are never purged: importing an extension module twice is not safe.
"""

from __future__ import annotations

import sys
from types import ModuleType

from cuda_shim.errors import AlreadyImported
from cuda_shim.hook.finder import ROOT, Finder

__all__ = ["Replaced", "loaded_elsewhere", "refusal"]

#: A module of NVIDIA's that its .pth file imports at every start; it holds ``cuda`` and uses nothing of it. That of
#: cuda-bindings 12.9.0 imports ``cuda.bindings`` too.
_REDIRECTOR = "_cuda_bindings_redirector"

#: Names of the types of functions: Python's, C's, Cython's.
_FUNCTIONS = ("function", "builtin_function_or_method", "cython_function_or_method")


class Replaced:
    """The modules and parent attributes that stood under the served names when a session began."""

    def __init__(self, finder: Finder) -> None:
        """Take the served names out of ``sys.modules`` and out of ``cuda``, and keep their objects."""
        self._finder = finder
        self._modules = {name: sys.modules.pop(name) for name in finder.modules if name != ROOT and name in sys.modules}
        root = sys.modules.get(ROOT)
        self._attributes = {} if root is None else {
            child: root.__dict__[child] for child in self._children() if child in root.__dict__
        }  # fmt: skip
        for child in self._attributes:
            delattr(root, child)

    def restore(self) -> None:
        """Remove the modules that the finder served and put the original modules and attributes back."""
        for name in self._finder.modules:
            if name != ROOT and self._finder.owns(sys.modules.get(name)):
                del sys.modules[name]
        root = sys.modules.get(ROOT)
        if root is not None:
            self._restore_attributes(root)
            if self._finder.owns(root):
                del sys.modules[ROOT]
        sys.modules.update(self._modules)

    def _restore_attributes(self, root: ModuleType) -> None:
        for child in self._children():
            if self._finder.owns(root.__dict__.get(child)):
                delattr(root, child)
        for child, value in self._attributes.items():
            setattr(root, child, value)

    def _children(self) -> list[str]:
        """Return the served names that are attributes of ``cuda`` itself."""
        return [name[len(ROOT) + 1 :] for name in self._finder.modules if name.count(".") == 1]


def loaded_elsewhere(finder: Finder) -> list[str]:
    """Return the served names that another package has loaded already.

    The start-up file of cuda-bindings 12.9.0 loads ``cuda.bindings`` for nobody: that alone does not count.
    """
    names = [name for name in finder.modules if name != ROOT and name in sys.modules]
    if names == ["cuda.bindings"] and _REDIRECTOR in sys.modules and not _importers(names):
        return []
    return names


def refusal(names: list[str]) -> AlreadyImported:
    """Return the error for modules imported too early, with the modules that imported them."""
    importers = sorted(_importers(names))
    by = f" by {', '.join(importers)}" if importers else ""
    return AlreadyImported(
        f"{', '.join(names)} imported before the shim was enabled{by}; enable it first "
        "(CUDA_SHIM=1, or python -m cuda_shim run), or pass force=True to replace them where they are "
        "imported next",
        tuple(names),
        tuple(importers),
    )


def _importers(names: list[str]) -> set[str]:
    """Return the loaded modules that hold one of these modules, or a name taken from one.

    ``import cuda.bindings.driver`` leaves only ``cuda`` in the importer, as ``import cuda.core`` does, so
    modules that hold no more than that are named only when no other module is found.
    """
    identities = {id(sys.modules[name]) for name in names}
    root = sys.modules.get(ROOT)
    holders, of_root = set(), set()
    for name, module in list(sys.modules.items()):
        if name in (ROOT, _REDIRECTOR) or name.startswith("cuda.") or not isinstance(module, ModuleType):
            continue
        values = list(vars(module).values())
        if any(id(value) in identities or _home(value) in names for value in values):
            holders.add(name)
        elif root is not None and any(value is root for value in values):
            of_root.add(name)
    return holders or of_root


def _home(value: object) -> object:
    """Return the ``__module__`` of a class, a function, or an object's class.

    It is read past any ``__getattribute__`` of the program's own: a look at every object of every module must not
    run its code.
    """
    if type(value).__name__ in _FUNCTIONS:
        return getattr(value, "__module__", None)
    return type.__getattribute__(value if isinstance(value, type) else type(value), "__module__")
