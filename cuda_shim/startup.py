"""Activation from the environment when the interpreter starts: the gate, and nothing else.

``cuda_shim.pth`` (and ``cuda_shim.start`` from Python 3.15 on) call :func:`activate` at every start of the
interpreter, in programs that have nothing to do with CUDA.  So this module imports nothing that the
interpreter has not loaded by then, never raises, and with ``CUDA_SHIM`` set only arms a finder: the session
begins when the program first imports ``cuda``.

Annotations are quoted because ``from __future__ import annotations`` would load one more module.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.machinery import ModuleSpec
    from importlib.metadata import Distribution, DistributionFinder
    from types import ModuleType

__all__ = ["Armed", "activate", "armed"]

_OFF = ("", "0")


class Armed:
    """Finder that begins the session at the first lookup of ``cuda`` and then steps aside."""

    def __init__(self, mode: str) -> None:
        self.mode = mode

    def find_spec(
        self, fullname: str, path: "Iterable[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        """Begin the session for ``cuda`` and its children, None for every other name."""
        if fullname != "cuda" and not fullname.startswith("cuda."):
            return None
        finder = self.begin()
        return None if finder is None else finder.find_spec(fullname, path, target)

    def find_distributions(self, context: "DistributionFinder.Context") -> "Iterable[Distribution]":
        """Begin the session when the metadata of one of NVIDIA's packages is asked for by name."""
        name = context.name
        if name is None or name[:4].lower() != "cuda":
            return ()
        finder = self.begin()
        return () if finder is None else finder.find_distributions(context)

    def invalidate_caches(self) -> None:
        """Nothing is cached."""

    def begin(self) -> "Finder | None":
        """Enable the session as the environment says, and return its finder.

        When that fails the reason is not lost: with ``CUDA_SHIM=require`` it is raised, each time ``cuda``
        is imported; otherwise it is told once on stderr and the import goes on without us.
        """
        try:
            from .session import begin_from_environment

            finder = begin_from_environment()
        except Exception as error:
            if self.mode == "require":
                raise
            disarm()
            if sys.stderr is not None:
                print(f"cuda_shim: not active: {error}", file=sys.stderr)
            return None
        return finder


if TYPE_CHECKING:
    from .hook.finder import Finder


def activate() -> None:
    """Arm the shim if ``CUDA_SHIM`` asks for it; called from the start-up files, never raises.

    May be called more than once: PEP 829 does not remove duplicates.
    """
    mode = os.environ.get("CUDA_SHIM", "").strip().lower()
    if mode not in _OFF and armed() is None and "cuda_shim.session" not in sys.modules:
        sys.meta_path.insert(0, Armed(mode))
        report = os.environ.get("CUDA_SHIM_REPORT", "").strip()
        if report not in _OFF:
            _adopt_report(report)


def _adopt_report(destination: str) -> None:
    """Make this process the one that reports, before it starts children that would take it on themselves."""
    try:
        from .usage import recorder

        recorder.adopt(destination)
    except Exception as error:  # noqa: BLE001  nothing of ours may stop a program that is starting
        if sys.stderr is not None:
            print(f"cuda_shim: usage is not recorded: {error}", file=sys.stderr)


def armed() -> "Armed | None":
    """Return the armed finder, None when there is none."""
    for finder in sys.meta_path:
        if isinstance(finder, Armed):
            return finder
    return None


def disarm() -> None:
    """Take the armed finder away."""
    finder = armed()
    if finder is not None:
        sys.meta_path.remove(finder)
