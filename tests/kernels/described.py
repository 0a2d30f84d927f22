"""The corpus's launches as the package describes them, in plain bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_shim.verify.launches import Argument, Array, Launch, Surface, Texture

__all__ = ["array", "launch", "type_of"]


def type_of(dtype: np.dtype[Any]) -> str:
    """The package's spelling of an element type; structures are their bytes."""
    return f"|V{dtype.itemsize}" if dtype.kind == "V" else dtype.str


def array(values: np.ndarray) -> Array:
    """An array with its bytes."""
    return Array(type_of(values.dtype), values.shape, np.ascontiguousarray(values).tobytes())


def launch(run: Any, kernel: str, cooperative: bool) -> Launch:
    """A run of the corpus as a launch of a kernel: the name expression, or its lowered name in PTX."""
    arguments = tuple(map(_argument, run.args))
    variables = {name: value.tobytes() for name, value in run.globals.items()}
    return Launch(kernel, arguments, _three(run.grid), _three(run.block), run.shared, cooperative, variables)


def _argument(value: Any) -> Argument:
    # By their attributes: the corpus's modules have two names, one of programs that run by themselves.
    if isinstance(value, np.ndarray):
        return array(value)
    if hasattr(value, "levels"):
        return Texture(
            tuple(map(array, value.levels)), isinstance(value.texels, tuple), bool(value.layered), bool(value.cubemap),
            bool(value.gather), bool(value.memory), tuple(map(int, value.modes)), bool(value.linear),
            bool(value.normalized), bool(value.as_float), bool(value.srgb), bool(value.linear_levels),
            float(value.bias), tuple(map(float, value.border)),
        )  # fmt: skip
    if hasattr(value, "texels"):
        return Surface(array(value.texels), bool(value.layered))
    return value if isinstance(value, bytes) else value.tobytes()


def _three(sizes: Any) -> tuple[int, int, int]:
    x, y, z = (*((sizes,) if isinstance(sizes, int) else sizes), 1, 1)[:3]
    return x, y, z
