"""The folder where Cython finds the declarations of CUDA's C interface: written once into the cache per layout."""

from __future__ import annotations

import os
from pathlib import Path

from cuda_shim import layouts, settings
from cuda_shim.c_level.build import sources_identity
from cuda_shim.cache import artifacts, entries
from cuda_shim.cache.checksums import is_whole
from cuda_shim.cache.folder import cache_of

__all__ = ["declarations_folder", "get_include"]

_ONE_OF_THEM = os.path.join("cuda", "bindings", "cydriver.pxd")
_MAX_ENTRIES = 8


def get_include() -> str:
    """Return the folder for Cython's `include_path`, with `cuda/bindings/cydriver.pxd` and its siblings in it.

    They declare the CUDA that is served: the setting `cuda`, else the installed one, else the newest. C and C++
    compilers need nothing of it, and no headers of CUDA or ROCm either. While the shim is enabled, Cython finds the
    folder by itself.

    Raises:
        BackendNotFound: the cache folder cannot be written.
    """
    return declarations_folder(layouts.served_layout(settings.current()).name)


def declarations_folder(layout: str) -> str:
    """Return the folder of a layout's declarations, written if it is not there yet. Raises as `get_include`."""
    cache = cache_of(settings.current())
    folder = cache.path("c_level", f"declarations-{sources_identity()}", layout)
    if cache.trusts(folder) and is_whole(folder):
        return folder
    from cuda_shim.c_level.declarations import write_declarations

    entries.make(cache, os.path.dirname(folder))
    with entries.lock(cache, folder, "waiting for another process that writes the declarations for Cython …"):
        if not is_whole(folder):
            with artifacts.draft(Path(folder), cache) as draft:
                write_declarations(draft, layout)
            artifacts.remove_old(cache, "c_level", Path(folder), _ONE_OF_THEM, _MAX_ENTRIES)
    return folder
