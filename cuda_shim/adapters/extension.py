"""Functions that a library may have: those of later releases of HIP, and those of the CPU backend's library alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda_shim.binding.functions import Binding
from cuda_shim.errors import UnsupportedAPI

__all__ = ["extension"]


def extension(binding: Binding, name: str, *argtypes: Any) -> Callable[..., int] | None:
    """Look up a function that the library may have; None where it has not."""
    try:
        return binding.native(name, *argtypes)
    except UnsupportedAPI:
        return None
