"""Textures and surfaces as arguments of a launch, and the result of a texture fetch by CUDA's rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

WRAP, CLAMP, MIRROR, BORDER = range(4)


@dataclass(frozen=True)
class Texture:
    """A texture object over an array.

    Attributes:
        texels: slices, rows, columns and channels, as many of the first as the image has dimensions; of a mipmapped
            array a tuple of levels.
        layered, cubemap: the slices are layers (of one row each where the layers have one dimension), or faces.
        memory: plain memory for tex1Dfetch in place of an array.
        address: the address mode of each dimension, or of all.
        linear: interpolated between texels.
        normalized: coordinates run from 0 to 1.
        as_float: integers are read as numbers from 0 or -1 to 1.
        border: the colour outside, where the address mode is BORDER.
        srgb: bytes are converted from sRGB.
        gather: the array is made for tex2Dgather.
        linear_levels: interpolated between the levels of a mipmapped array.
        bias: is added to a level.
    """

    texels: Any
    layered: bool = False
    cubemap: bool = False
    memory: bool = False
    address: int | tuple[int, int, int] = CLAMP
    linear: bool = False
    normalized: bool = False
    as_float: bool = False
    border: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    srgb: bool = False
    gather: bool = False
    linear_levels: bool = False
    bias: float = 0.0

    @property
    def levels(self) -> tuple[np.ndarray, ...]:
        """The levels of a mipmapped array, or the one that there is."""
        return self.texels if isinstance(self.texels, tuple) else (self.texels,)

    @property
    def modes(self) -> tuple[int, int, int]:
        return self.address if isinstance(self.address, tuple) else (self.address,) * 3


@dataclass(frozen=True)
class Surface:
    """A surface object over an array, which is a result of the launch; `texels` as in Texture."""

    texels: np.ndarray
    layered: bool = False


def numbers(texture: Texture, texels: np.ndarray) -> np.ndarray:
    """Return the numbers as which texels are read."""
    if not texture.as_float or texels.dtype.kind == "f":
        return texels.astype(np.float64) if texels.dtype.kind == "f" else texels
    found = np.maximum(texels / np.float64(np.iinfo(texels.dtype).max), -1)
    if texture.srgb:
        linear = np.where(found <= 0.04045, found / 12.92, ((found + 0.055) / 1.055) ** 2.4)
        found = np.concatenate([linear[..., :3], found[..., 3:]], axis=-1)
    return found


def _axis(
    x: np.ndarray, extent: int, mode: int, texture: Texture, linear: bool
) -> tuple[list[tuple[np.ndarray, np.ndarray]], np.ndarray]:
    """The texels around each coordinate, a flag for each that is outside, and the second one's weight in 1/256."""
    x = np.asarray(x, np.float32).astype(np.float64)
    if texture.normalized:
        if mode == WRAP:
            x = x - np.floor(x)
        elif mode == MIRROR:
            x = np.where(np.floor(x) % 2 == 0, x - np.floor(x), 1 - (x - np.floor(x)))
        x = x * extent
    elif mode != BORDER:
        mode = CLAMP
    place = np.floor((x - 0.5) * 256 + 0.5) if linear else np.floor(x) * 256
    texels = []
    for index in (place // 256, place // 256 + 1)[: 2 if linear else 1]:
        outside = (mode == BORDER) & ((index < 0) | (index >= extent))
        texels.append(((index % extent if mode == WRAP else np.clip(index, 0, extent - 1)).astype(int), outside))
    return texels, place % 256


def fetch(texture: Texture, *coordinates: np.ndarray, slices: np.ndarray | None = None, level: int = 0) -> np.ndarray:
    """A fetch by one, two or three coordinates (x first) out of a layer or a face of each: an array of channels each."""
    texels = numbers(texture, texture.levels[level])
    dimensions = len(coordinates)
    if slices is not None and dimensions == 1:
        texels = texels[:, 0]
    extents = texels.shape[-2 - dimensions + 1 : -1][::-1]
    axes = [
        _axis(x, extent, mode, texture, texture.linear)
        for x, extent, mode in zip(coordinates, extents, texture.modes, strict=False)
    ]
    total: Any = 0
    for corner in range(2**dimensions if texture.linear else 1):
        chosen = [corner >> axis & 1 for axis in range(dimensions)]
        index = [axes[axis][0][side][0] for axis, side in enumerate(chosen)][::-1]
        outside = np.any([axes[axis][0][side][1] for axis, side in enumerate(chosen)], axis=0)
        place = tuple(index) if slices is None else (slices, *index)
        found = texels[place]
        found = np.where(outside[:, None], np.array(texture.border[: texels.shape[-1]]), found)
        total = total + found * _weight([weight for _, weight in axes], chosen)[:, None] if texture.linear else found
    return np.asarray(total)


def _weight(weights: list[np.ndarray], chosen: list[int]) -> np.ndarray:
    """A corner's part of 1. For two dimensions the product has 8 bits too, and the others are the rest."""
    if len(weights) == 2:
        a, b = weights
        both = np.floor(a * b / 256 + 0.5)
        parts = {(0, 0): 256 - a - b + both, (1, 0): a - both, (0, 1): b - both, (1, 1): both}
        return np.asarray(parts[chosen[0], chosen[1]] / 256)
    return np.asarray(
        np.prod(
            [(weight if side else 256 - weight) / 256 for weight, side in zip(weights, chosen, strict=True)], axis=0
        )
    )


def floats(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Texels from -1 to 1."""
    return rng.uniform(-1, 1, shape).astype(np.float32)


def off_the_edges(values: np.ndarray) -> np.ndarray:
    """Coordinates that no rounding takes across the edge of a texel: they differ from one by 1/64 at least."""
    values = np.floor(np.asarray(values) * 64) / 64
    return np.where(values % 1 == 0, values + 1 / 64, values).astype(np.float32)
