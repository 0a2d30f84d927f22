"""The kernels in the cache of the CPU backend, and how each is run: read without loading any of them."""

from __future__ import annotations

import struct
from pathlib import Path

from cuda_shim.backends import host
from cuda_shim.cache.artifacts import last_used
from cuda_shim.cache.folder import Cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.backends.host import Kernel

__all__ = ["cached_kernels"]


def cached_kernels(cache: Cache) -> list[Kernel]:
    """Return the kernels of all cached modules, the latest used first; modules that cannot be read are left out.

    Raises BackendNotFound when the cache is refused.
    """
    folder = Path(cache.path("kernels"))
    if not cache.trusts(str(folder)):
        return []
    modules = sorted(folder.glob("*.so"), key=last_used, reverse=True)
    return [kernel for module in modules for kernel in _read_if_possible(module)]


def _read_if_possible(path: Path) -> list[Kernel]:
    try:
        return host.read_module(path.read_bytes())
    except (OSError, ValueError, struct.error):
        return []
