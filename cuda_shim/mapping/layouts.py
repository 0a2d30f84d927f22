"""The CUDA layouts and the modules that exist in each: literals, so that the import hook can ask without a
table, YAML or HIP being loaded.

A *layout* is what one release line of cuda-bindings looks like to a program: which names exist, their
signatures, tuple shapes and struct fields.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LAYOUTS", "LEGACY_MODULES", "modules"]

LAYOUTS = ("11.8", "12.9", "13.5")

LEGACY_MODULES = {"cuda.cuda": "driver", "cuda.cudart": "runtime", "cuda.nvrtc": "nvrtc"}

_BINDINGS: dict[str, str | None] = {
    "cuda.bindings": None,
    "cuda.bindings.driver": "driver",
    "cuda.bindings.nvrtc": "nvrtc",
    "cuda.bindings.runtime": "runtime",
}
_UTILS = {"cuda.bindings.utils": "utils"}


def modules(cuda: str) -> Mapping[str, str | None]:
    """The full names of the proxied modules of layout `cuda`, each with its table (None: a package).

    The legacy modules are there in every layout: programs still import them.
    """
    found = {**_BINDINGS, **LEGACY_MODULES}
    if cuda != "11.8":
        found.update(_UTILS)
    return found
