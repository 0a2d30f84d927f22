"""`import PyGPU`: PybindGPU's interface, on the runtime that cuda_shim serves.

Every name is a row of `tables/pygpu.yaml`; the session hands `open_module` to the import hook.
Device control needs no numpy. Arrays do, so the files that hold them are imported when a name of theirs is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.pygpu.contents import Contents

__all__ = ["MODULES", "open_module"]

#: The modules served from here by their full names, each with its table, as `mapping.modules` gives those of CUDA.
MODULES = {"PyGPU": "pygpu"}


def open_module() -> Contents:
    """Return the contents of `PyGPU`."""
    from cuda_shim.pygpu.contents import Contents

    return Contents()
