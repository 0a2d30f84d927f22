"""Kernels as users write them for Numba, and launches that have the results that each must compute.

Each module has kernels of one subject. They are compiled where Numba is; elsewhere, their PTX is kept in
numba_modules.json.gz, and the stand-in for Numba leaves their bodies as they are: launches need numpy alone.
"""

from __future__ import annotations

import importlib
import pkgutil

from tests.ptx.numba_kernels.base import Case, registered

__all__ = ["Case", "cases"]


def cases() -> dict[str, Case]:
    """Return all launches by name, sorted."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return dict(sorted(registered.items()))
