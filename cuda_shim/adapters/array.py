"""Arrays: the description of a channel format, which CUDA makes without a status of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda_shim.binding.arguments import require
from cuda_shim.binding.functions import Binding

__all__ = ["channel_format"]


def channel_format(binding: Binding) -> Callable[..., tuple[Any, ...]]:
    """cudaCreateChannelDesc: bits of each of four channels and their kind, in one struct."""
    cls = binding.class_of("cudaChannelFormatDesc")

    def make(x: Any, y: Any, z: Any, w: Any, f: Any) -> tuple[Any, ...]:
        require(f=f)
        made = cls()
        for name, value in zip("xyzwf", (x, y, z, w, f), strict=True):
            setattr(made, name, value)
        return binding.outcome.success, made

    return make
