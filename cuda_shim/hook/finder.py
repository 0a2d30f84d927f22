"""The finder that answers for the names under ``cuda`` and for ``PyGPU``, by exact name, before any other finder.

It sits first in ``sys.meta_path``, so a name it serves is served even where NVIDIA's packages are
installed; every other name, ``cuda.core`` and ``cuda.pathfinder`` included, goes on to the next finder.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

from cuda_shim.hook.not_served import IMPORT_SYSTEM, NOT_SERVED, PASSED_THROUGH, refuse, refuse_hidden
from cuda_shim.hook.patched_modules import PATCHED, find_patched
from cuda_shim.hook.proxy import ORIGIN, Loader
from cuda_shim.hook.wheel_modules import V2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from importlib.abc import Loader as AnyLoader
    from importlib.metadata import Distribution, DistributionFinder

    from cuda_shim.hook.patched_modules import LibraryResolver
    from cuda_shim.hook.proxy import Binder
else:
    AnyLoader = object  # as in proxy: nothing of it is used, and it would cost an import at start-up

__all__ = ["Finder", "RootLoader", "shadowing_file"]

ROOT = "cuda"
_IN_BINDINGS = "cuda.bindings.driver".count(".")
_UTILS = "cuda.bindings.utils"


class RootLoader(AnyLoader):
    """Loader of ``cuda`` itself, where nothing installed provides one.

    The package is empty: its children are found by :class:`Finder`.  Up to CUDA 12 it has a version.
    """

    def __init__(self, version: str) -> None:
        self._version = version

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the import system make a plain module."""

    def exec_module(self, module: ModuleType) -> None:
        """CUDA 13 took ``cuda.__version__`` away."""
        if not self._version.startswith("13."):
            module.__dict__["__version__"] = self._version

    def is_package(self, fullname: str) -> bool:
        """``cuda`` is a package."""
        return True

    def get_code(self, fullname: str) -> None:
        """There is no code object."""

    def get_source(self, fullname: str) -> None:
        """There is no source file."""


class Finder:
    """Meta path finder for one session.

    Args:
        modules: full names of the modules served; None for a package, else the name of its table.
        open_module: gives the binder of a module, on its first use.
        version: the emulated version of cuda-bindings.
        resolver: finds libraries and declarations for the patched modules (see `patched_modules`).
        report_shadowed: called once with the path of a user's ``cuda.py``, which hides the whole package.
    """

    def __init__(
        self, modules: Mapping[str, str | None], open_module: Callable[[str], Binder], version: str,
        report_shadowed: Callable[[str], None], resolver: LibraryResolver | None = None,
    ) -> None:  # fmt: skip
        self.modules = modules
        self.version = version
        self.resolver = resolver
        self._open_module = open_module
        self._report_shadowed: Callable[[str], None] | None = report_shadowed
        # Kept on the instance: at interpreter shutdown module globals may be gone while imports still run.
        self._find_on_path = PathFinder.find_spec
        self._root_spec: ModuleSpec | None = None

    def find_spec(
        self,
        fullname: str,
        path: Iterable[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return the spec of a served module, None for every other name."""
        try:
            return self._find(fullname, path)
        except ImportError as error:
            raise error.with_traceback(None)  # noqa: B904  it is the error itself

    # Python leaves its import system out of the tracebacks of ImportErrors, by the name of its file: this too, then.
    find_spec.__code__ = find_spec.__code__.replace(co_filename=IMPORT_SYSTEM)

    def _find(self, fullname: str, path: Iterable[str] | None) -> ModuleSpec | None:
        if fullname == ROOT:
            return self._find_root()
        if fullname in PATCHED:
            return find_patched(fullname, path)
        if fullname in PASSED_THROUGH:
            spec = self._find_nvidias(fullname, path)
            if spec is not None:
                return spec
        if fullname not in self.modules:
            if fullname in NOT_SERVED:
                refuse(fullname, path, self)
            return None
        if self.modules[fullname] is not None:
            package = fullname == _UTILS  # as NVIDIA's is: the import of a part of it reaches this finder
            return ModuleSpec(fullname, Loader(self._open_module), origin=ORIGIN + fullname, is_package=package)
        loader = Loader(self._open_module, self.version, self._children(fullname))
        return ModuleSpec(fullname, loader, origin=ORIGIN + fullname, is_package=True)

    def find_distributions(self, context: DistributionFinder.Context) -> Iterable[Distribution]:
        """Answer ``importlib.metadata.version("cuda-bindings")`` where no real one is installed."""
        from cuda_shim.hook.metadata import find_distributions

        return find_distributions(context, self.version)

    def invalidate_caches(self) -> None:
        """Do nothing, since nothing is cached: the table of names is fixed for a session."""

    def owns(self, module: ModuleType | None) -> bool:
        """Return whether a module is one that this finder served, ``cuda`` itself included."""
        spec = getattr(module, "__spec__", None)
        if spec is None:
            return False
        if spec is self._root_spec:
            return True
        loader = spec.loader
        return isinstance(loader, Loader) and loader.opens_with(self._open_module)

    def _find_root(self) -> ModuleSpec | None:
        """Leave ``cuda`` to an installed package; make an empty package where none is installed."""
        installed = self._find_on_path(ROOT, None)
        if installed is None:
            spec = ModuleSpec(ROOT, RootLoader(self.version), origin=ORIGIN + ROOT, is_package=True)
            self._root_spec = spec
            return spec
        if installed.submodule_search_locations is None:
            refuse_hidden(installed.origin or ROOT, self.modules)
            if self._report_shadowed is not None:
                report, self._report_shadowed = self._report_shadowed, None
                report(installed.origin or ROOT)
        return None

    def _find_nvidias(self, fullname: str, path: Iterable[str] | None) -> ModuleSpec | None:
        """Return a module of an installed cuda-bindings that needs no driver, None where there is none."""
        if fullname.startswith(V2) and V2 not in self.modules:
            return None  # it is compiled against functions that the served CUDA does not have
        if fullname.count(".") > _IN_BINDINGS:
            return self._find_on_path(fullname, list(path or []))  # its package was found before
        root = self._find_on_path(ROOT, None)
        folders = [] if root is None else root.submodule_search_locations or []
        return self._find_on_path(fullname, [f"{folder}/bindings" for folder in folders])

    def _children(self, package: str) -> frozenset[str]:
        prefix = package + "."
        return frozenset(name[len(prefix) :] for name in self.modules if name.startswith(prefix))


def shadowing_file(path: list[str] | None = None) -> str | None:
    """Return the user's ``cuda.py`` that hides the package ``cuda``, None if there is none."""
    spec = PathFinder.find_spec(ROOT, sys.path if path is None else path)
    if spec is None or spec.submodule_search_locations is not None:
        return None
    return spec.origin
