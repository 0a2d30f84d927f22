"""The CUDA layouts and the modules that exist in each.

They are literals, so that the import hook can read them without a table, YAML or HIP being loaded. A *layout* is the
interface of one release line of cuda-bindings to a program: the names that exist, their signatures, tuple shapes and
struct fields. The facts about a layout that are in no table are here, once.
"""

from __future__ import annotations

from cuda_shim.frozen_record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "C_MODULES",
    "LAYOUTS",
    "LEGACY_C_MODULES",
    "LEGACY_MODULES",
    "NVIDIAS_OWN_MODULES",
    "CudaLayout",
    "layout",
    "modules",
]

LEGACY_MODULES = {"cuda.cuda": "driver", "cuda.cudart": "runtime", "cuda.nvrtc": "nvrtc"}

LEGACY_C_MODULES = {"cuda.ccuda": "driver", "cuda.ccudart": "runtime", "cuda.cnvrtc": "nvrtc"}

NVIDIAS_OWN_MODULES = {
    "cuda.bindings._internal.nvjitlink": "nvjitlink",
    "cuda.bindings._internal.nvvm": "nvvm",
    "cuda.bindings.nvjitlink": "nvjitlink",
    "cuda.bindings.nvvm": "nvvm",
}
"""Modules of NVIDIA's compilers, which are NVIDIA's own where they are installed."""

C_MODULES = {
    "cuda.bindings.cydriver": "driver",
    "cuda.bindings.cynvjitlink": "nvjitlink",
    "cuda.bindings.cynvrtc": "nvrtc",
    "cuda.bindings.cynvvm": "nvvm",
    "cuda.bindings.cyruntime": "runtime",
    **NVIDIAS_OWN_MODULES,
    **LEGACY_C_MODULES,
}
"""The modules whose functions are C's, for compiled packages (see `c_level/`), each with its table."""

_BINDINGS: dict[str, str | None] = {
    "cuda.bindings": None,
    "cuda.bindings.driver": "driver",
    "cuda.bindings.nvrtc": "nvrtc",
    "cuda.bindings.runtime": "runtime",
}
_UTILS = {"cuda.bindings.utils": "utils"}
_V2: dict[str, str | None] = {"cuda.bindings._v2": None, "cuda.bindings._v2.nvrtc": "nvrtc_v2"}


class CudaLayout(Record):
    """One layout.

    `bindings` is the cuda-bindings release that it reproduces. `reported` is the CUDA version, as (major, minor),
    that calls report: the first of the line, so that no feature gate opens for later additions. `architectures` are
    the ones that nvrtcGetSupportedArchs lists, `standards` the C++ standards that its NVRTC was the first to have, and
    `standard` the one that programs are in by default.
    `ptx` is the version of PTX that its NVRTC writes, (major, minor), the newest that modules may have.

    The flags describe CUDA Python's behaviour: `int_enums`, enums derive from `enum.IntEnum`; `zeros_on_failure`,
    outputs of a failed call are zeros and not None; `handles_by_identity`, handles compare by identity;
    `options_once`, NVRTC refuses an option that is given twice; `later_pointer_attributes`, pointer attributes that
    came with CUDA 12 have types; `has_utils` and `has_newer_utils`, the helpers that `cuda.bindings.utils` has;
    `has_v2`, there is a package `cuda.bindings._v2`, whose functions raise exceptions.
    `list_words` are the words for tuple and list in errors.
    """

    name: str
    bindings: str
    reported: tuple[int, int]
    ptx: tuple[int, int]
    architectures: tuple[int, ...]
    standards: tuple[str, ...]
    standard: str = "c++17"
    int_enums: bool = False
    zeros_on_failure: bool = False
    handles_by_identity: bool = False
    options_once: bool = False
    later_pointer_attributes: bool = True
    has_utils: bool = True
    has_newer_utils: bool = False
    has_v2: bool = False
    list_words: tuple[str, str] = ("tuple", "list")


_LAYOUTS = {
    "11.8": CudaLayout(
        "11.8", "11.8.7", (11, 8), (7, 8),
        (35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90),
        ("c++03", "c++11", "c++14", "c++17"), standard="c++14",
        int_enums=True, zeros_on_failure=True, handles_by_identity=True, options_once=True,
        later_pointer_attributes=False, has_utils=False, list_words=("Tuple", "List"),
    ),
    "12.9": CudaLayout(
        "12.9", "12.9.10", (12, 9), (8, 8),
        (50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103, 120, 121),
        ("c++20",),
    ),
    "13.5": CudaLayout(
        "13.5", "13.5.0", (13, 0), (9, 5),
        (75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121),
        ("c++23",), has_newer_utils=True, has_v2=True,
    ),
}  # fmt: skip

LAYOUTS = tuple(_LAYOUTS)


def layout(name: str) -> CudaLayout:
    """Return the layout of that name. Raises KeyError where there is none."""
    return _LAYOUTS[name]


def modules(cuda: str) -> Mapping[str, str | None]:
    """Return the full names of the proxied modules of layout `cuda`, each with its table (None: a package).

    The legacy modules are there in every layout: programs still import them.
    """
    tables = {**_BINDINGS, **LEGACY_MODULES}
    if layout(cuda).has_utils:
        tables.update(_UTILS)
    if layout(cuda).has_v2:
        tables.update(_V2)
    return tables
