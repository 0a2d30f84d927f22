"""From rows to Python objects that behave as cuda-python's: enums, handles, structs, functions.

The import hook calls `open_module` for the contents of a module, once.

Modules that every program needs before its first HIP call do not import `typing`, which takes longer than the rest of
this package: its names are imported below `TYPE_CHECKING`.
"""

from __future__ import annotations

from functools import cache

from cuda_shim.mapping.layouts import LEGACY_MODULES, modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.catalogue import Catalogue
    from cuda_shim.binding.module import ModuleBinder, UtilsBinder
    from cuda_shim.binding.nvrtc_v2 import NvrtcV2Binder

__all__ = ["open_module"]


def open_module(
    fullname: str, cuda: str, bindings_cuda: str | None = None
) -> ModuleBinder | UtilsBinder | NvrtcV2Binder:
    """Return the contents of the proxied module `fullname` in layout `cuda`, as a ModuleBinder.

    `bindings_cuda` is the layout that `cuda.bindings` speaks, where it may differ: a legacy module of
    another layout has classes of its own, of the same name. Raises KeyError for a module that is not served.
    """
    from cuda_shim.binding.module import ModuleBinder, UtilsBinder

    api = modules(cuda)[fullname]
    if api is None:
        raise KeyError(fullname)
    if api == "utils":
        from cuda_shim.binding import utils

        return UtilsBinder(utils.contents(cuda))
    if api == "nvrtc_v2":
        from cuda_shim.binding.nvrtc_v2 import NvrtcV2Binder

        return NvrtcV2Binder(objects_of(cuda))
    legacy_alone = fullname in LEGACY_MODULES and bindings_cuda not in (None, cuda)
    apis = ("driver", "runtime") if fullname == "cuda.cuda" else (api,)
    objects = _legacy_objects(cuda, bindings_cuda) if legacy_alone and bindings_cuda else objects_of(cuda)
    return ModuleBinder(objects, apis)


@cache
def objects_of(cuda: str) -> Catalogue:
    """Return the objects of a layout, as `cuda.bindings` has them."""
    from cuda_shim.binding.catalogue import Catalogue

    return Catalogue(cuda, _module_names(cuda, legacy=False))


@cache
def _legacy_objects(cuda: str, beside: str) -> Catalogue:
    """Return the objects of legacy modules that have a layout to themselves.

    They share the classes of layout `beside`, which `cuda.bindings` has, where a class means the same in both.
    """
    from cuda_shim.binding.catalogue import Catalogue

    return Catalogue(cuda, _module_names(cuda, legacy=True), objects_of(beside))


def _module_names(cuda: str, legacy: bool) -> dict[str, str]:
    """Return the name of each API's module."""
    return {api: name for name, api in modules(cuda).items() if api and (name in LEGACY_MODULES) == legacy}
