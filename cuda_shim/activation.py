"""The finder that waits for the names ``cuda`` and ``PyGPU`` and then begins a session by the function it was given.

It is put in place while the interpreter starts, in programs that may have nothing to do with CUDA, so this module
imports only modules that the interpreter has loaded by then. Annotations are quoted because ``from __future__ import
annotations`` would load one more module.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from importlib.machinery import ModuleSpec
    from importlib.metadata import Distribution, DistributionFinder
    from types import ModuleType

    from cuda_shim.hook.finder import Finder

__all__ = ["PATCHED", "ActivationFinder", "installed_finder", "uninstall"]

#: A copy of `hook.patched_modules.PATCHED`: importing that would slow every program that starts.
PATCHED = ("ctypes", "ctypes.util", "Cython.Compiler.Main", "cupy_backends", "rmm", "warp")


class ActivationFinder:
    """Finder that begins the session at the first lookup of ``cuda`` or ``PyGPU`` and then steps aside.

    Attributes:
        mode: the value of ``CUDA_SHIM``, in small letters.
        begin_session: begins the session that the environment asks for, and returns its finder.
    """

    def __init__(self, mode: str, begin_session: "Callable[[], Finder]") -> None:
        self.mode = mode
        self.begin_session = begin_session
        self.is_resolver = False

    def find_spec(
        self, fullname: str, path: "Iterable[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        """Begin the session for ``cuda`` and its children and ``PyGPU``, None for every other name."""
        try:
            return self._find(fullname, path)
        except ImportError as error:
            raise error.with_traceback(None)  # noqa: B904  it is the error itself

    # Python leaves frames of this file name out of the tracebacks of ImportErrors, as in `hook.finder`.
    find_spec.__code__ = find_spec.__code__.replace(co_filename="<frozen importlib._bootstrap>")

    def _find(self, fullname: str, path: "Iterable[str] | None") -> "ModuleSpec | None":
        if fullname in PATCHED:
            return self.find_patched(fullname, path)
        if fullname not in ("cuda", "PyGPU") and not fullname.startswith("cuda."):
            return None
        finder = self.begin()
        return None if finder is None else finder.find_spec(fullname, path)

    def find_patched(self, fullname: str, path: "Iterable[str] | None") -> "ModuleSpec | None":
        """Have the session begin when such a module looks for a library, before ``cuda`` is ever imported."""
        from cuda_shim.hook import patched_modules

        if not self.is_resolver:
            self.is_resolver = True
            patched_modules.install(self)
        return patched_modules.find_patched(fullname, path)

    def library_file(self, name: str) -> "str | None":
        """Begin the session, whose resolver is installed then, and ask that."""
        finder = self.begin()
        return None if finder is None or finder.resolver is None else finder.resolver.library_file(name)

    def declarations(self) -> "str | None":
        """Begin the session, whose resolver is installed then, and ask that."""
        finder = self.begin()
        return None if finder is None or finder.resolver is None else finder.resolver.declarations()

    def find_distributions(self, context: "DistributionFinder.Context") -> "Iterable[Distribution]":
        """Begin the session when the metadata of one of NVIDIA's packages is asked for by name."""
        name = context.name
        if name is None or name[:4].lower() != "cuda":
            return ()
        finder = self.begin()
        return () if finder is None else finder.find_distributions(context)

    def invalidate_caches(self) -> None:
        """Do nothing: nothing is cached."""

    def begin(self) -> "Finder | None":
        """Enable the session that the environment asks for, and return its finder.

        When that fails the reason is not lost: with ``CUDA_SHIM=require`` it is raised, each time ``cuda``
        is imported; otherwise it is reported once on stderr and the import continues without us.
        """
        try:
            finder = self.begin_session()
        except Exception as error:
            if self.mode == "require":
                raise
            uninstall()
            if sys.stderr is not None:
                print(f"cuda_shim: not active: {error}", file=sys.stderr)
            return None
        return finder


def installed_finder() -> "ActivationFinder | None":
    """Return the finder on ``sys.meta_path``, None when there is none."""
    for finder in sys.meta_path:
        if isinstance(finder, ActivationFinder):
            return finder
    return None


def uninstall() -> None:
    """Take the finder off ``sys.meta_path``."""
    finder = installed_finder()
    if finder is not None:
        sys.meta_path.remove(finder)
