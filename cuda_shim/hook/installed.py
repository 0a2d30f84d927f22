"""Lookup of NVIDIA's distributions that are really installed.

The names of ``*.dist-info`` folders show them: ``importlib.metadata`` gives the same answer after 15 to 25 ms
of imports, and would call our own finder.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["DISTRIBUTIONS", "installed"]

#: Distributions that show which CUDA a program was written for, the more precise one first.
DISTRIBUTIONS = ("cuda-bindings", "cuda-python")

_METADATA_SUFFIXES = (".dist-info", ".egg-info")


def installed(distribution: str, path: Iterable[str] | None = None) -> str | None:
    """Return the version of an installed distribution, or None.

    Args:
        distribution: its name, as on PyPI.
        path: folders to search, ``sys.path`` by default; the first that has it wins, as for an import.
    """
    for folder in sys.path if path is None else path:
        try:
            names = os.listdir(folder or ".")
        except OSError:  # a zip file, or a folder that is gone: import skips those too
            continue
        for name in names:
            version = _version(name, distribution)
            if version:
                return version
    return None


def _version(folder: str, distribution: str) -> str:
    """Return the version in the name of a metadata folder such as ``cuda_bindings-13.5.0.dist-info``."""
    if not folder.startswith("cuda") or not folder.endswith(_METADATA_SUFFIXES):
        return ""
    # Older build tools keep the dash of the name, so it cannot be split at the first one.
    base = folder.rpartition(".")[0].replace("-", "_")
    stem = distribution.replace("-", "_") + "_"
    version = base[len(stem) :].partition("_")[0] if base.startswith(stem) else ""
    return version if version[:1].isdigit() else ""  # else the stem was the start of a longer name
