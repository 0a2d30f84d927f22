"""The tables: the HIP counterpart of each CUDA name, its types, and the layouts that have it."""

from cuda_shim.mapping.layouts import C_MODULES, LAYOUTS, LEGACY_MODULES, modules

__all__ = ["C_MODULES", "LAYOUTS", "LEGACY_MODULES", "modules"]
