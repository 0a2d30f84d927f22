"""Names with a meaning of their own: enums of statuses, switches of hallucination, modules of CUDA Python before 13."""

from __future__ import annotations

from cuda_shim.mapping.layouts import LEGACY_MODULES

__all__ = ["STATUS_ENUMS", "is_legacy", "switched_enum"]

#: The enum that the functions of each table return.
STATUS_ENUMS = {"driver": "CUresult", "runtime": "cudaError_t", "nvrtc": "nvrtcResult"}

_PREFIX, _SUFFIX = "HIP_PYTHON_", "_HALLUCINATE"


def switched_enum(name: str) -> str | None:
    """Return the enum that a module attribute `HIP_PYTHON_<Enum>_HALLUCINATE` names, None for any other attribute."""
    if name.startswith(_PREFIX) and name.endswith(_SUFFIX):
        return name[len(_PREFIX) : -len(_SUFFIX)] or None
    return None


def is_legacy(module: str) -> bool:
    """Return whether a module is one of `cuda.cuda`, `cuda.cudart` and `cuda.nvrtc`."""
    return module in LEGACY_MODULES
