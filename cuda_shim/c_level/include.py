"""Where Cython finds the declarations of CUDA's C interface: written once into the cache, for each layout."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from cuda_shim import layouts, settings
from cuda_shim.c_level.build import sources_identity
from cuda_shim.cache import entries
from cuda_shim.cache.folder import cache_of

__all__ = ["declarations_folder", "get_include"]


def get_include() -> str:
    """Return the folder for Cython's `include_path`, with `cuda/bindings/cydriver.pxd` and its siblings in it.

    They declare the CUDA that is served: the setting `cuda`, else what is installed, else the newest. C and C++
    compilers need nothing of it, and no headers of CUDA or ROCm either. While the shim is enabled, Cython finds the
    folder by itself.

    Raises:
        BackendNotFound: the cache folder cannot be written.
    """
    return declarations_folder(layouts.served(settings.current()).name)


def declarations_folder(layout: str) -> str:
    """Return the folder of a layout's declarations, written if it is not there yet. Raises as `get_include`."""
    cache = cache_of(settings.current())
    folder = cache.path("c_level", f"declarations-{sources_identity()}", layout)
    if os.path.isdir(folder) and cache.trusts(folder):
        return folder
    from cuda_shim.c_level.declarations import write_declarations

    entries.make(cache, os.path.dirname(folder))
    try:
        draft = tempfile.mkdtemp(prefix=".", dir=os.path.dirname(folder))
        try:
            write_declarations(Path(draft), layout)
            os.rename(draft, folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except FileExistsError:
        pass  # another process was faster
    except OSError as error:
        if not os.path.isdir(folder):
            raise entries.cannot_write(cache, error) from None
    return folder
