"""Names that mean something by their form: switches of hallucination, and modules of CUDA Python before 13."""

from __future__ import annotations

from cuda_shim.mapping.layouts import LEGACY_MODULES

__all__ = ["is_legacy", "switched_enum"]

_PREFIX, _SUFFIX = "HIP_PYTHON_", "_HALLUCINATE"


def switched_enum(name: str) -> str | None:
    """The enum that a module attribute `HIP_PYTHON_<Enum>_HALLUCINATE` is about, None for any other name."""
    if name.startswith(_PREFIX) and name.endswith(_SUFFIX):
        return name[len(_PREFIX) : -len(_SUFFIX)] or None
    return None


def is_legacy(module: str) -> bool:
    """Whether a module is one of `cuda.cuda`, `cuda.cudart` and `cuda.nvrtc`."""
    return module in LEGACY_MODULES
