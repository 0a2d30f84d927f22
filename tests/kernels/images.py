"""Makes the textures and surfaces that a launch is given, through the driver."""

from __future__ import annotations

from typing import Any

import numpy as np
from calls import checked
from corpus.images import Surface, Texture
from cuda.bindings import driver

_LAYERED, _SURFACE, _CUBEMAP, _GATHER = 1, 2, 4, 8
_AS_INTEGER, _NORMALIZED, _SRGB = 1, 2, 16
_FORMATS = {
    "u1": "UNSIGNED_INT8", "u2": "UNSIGNED_INT16", "u4": "UNSIGNED_INT32", "i1": "SIGNED_INT8", "i2": "SIGNED_INT16",
    "i4": "SIGNED_INT32", "f2": "HALF", "f4": "FLOAT",
}  # fmt: skip


class Image:
    """The array or memory behind a texture or surface object, and the object."""

    def __init__(self, given: Texture | Surface) -> None:
        self._given = given
        self._array = self._levels = self._memory = None
        self._resource = driver.CUDA_RESOURCE_DESC()
        if isinstance(given, Surface):
            self._make_array(given.texels, _SURFACE | (_LAYERED if given.layered else 0))
            self.handle = checked(driver.cuSurfObjectCreate(self._resource))
            return
        if given.memory:
            self._make_memory(given.texels)
        elif isinstance(given.texels, tuple):
            self._make_levels(given.texels)
        else:
            flags = (given.layered and _LAYERED) | (given.cubemap and _CUBEMAP) | (given.gather and _GATHER)
            self._make_array(given.texels, int(flags))
        self.handle = checked(driver.cuTexObjectCreate(self._resource, _settings(given), None))

    def contents(self) -> np.ndarray:
        """A surface's texels."""
        assert isinstance(self._given, Surface)
        found = np.empty_like(self._given.texels)
        copy = _copy_of(found)
        copy.dstMemoryType, copy.dstHost, copy.dstPitch = (
            driver.CUmemorytype.CU_MEMORYTYPE_HOST,
            found.ctypes.data,
            copy.WidthInBytes,
        )
        copy.srcMemoryType, copy.srcArray, copy.dstHeight = (
            driver.CUmemorytype.CU_MEMORYTYPE_ARRAY,
            self._array,
            copy.Height,
        )
        checked(driver.cuMemcpy3D(copy))
        return found

    def close(self) -> None:
        """Destroys the object and what is behind it."""
        checked(
            (driver.cuSurfObjectDestroy if isinstance(self._given, Surface) else driver.cuTexObjectDestroy)(self.handle)
        )
        if self._memory is not None:
            checked(driver.cuMemFree(self._memory))
        elif self._levels is not None:
            checked(driver.cuMipmappedArrayDestroy(self._levels))
        else:
            checked(driver.cuArrayDestroy(self._array))

    def _make_array(self, texels: np.ndarray, flags: int) -> None:
        self._array = checked(driver.cuArray3DCreate(_described(texels, flags)))
        _upload(self._array, texels)
        self._resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
        self._resource.res.array.hArray = self._array

    def _make_levels(self, levels: tuple[np.ndarray, ...]) -> None:
        self._levels = checked(driver.cuMipmappedArrayCreate(_described(levels[0], 0), len(levels)))
        for number, texels in enumerate(levels):
            _upload(checked(driver.cuMipmappedArrayGetLevel(self._levels, number)), texels)
        self._resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_MIPMAPPED_ARRAY
        self._resource.res.mipmap.hMipmappedArray = self._levels

    def _make_memory(self, texels: np.ndarray) -> None:
        self._memory = checked(driver.cuMemAlloc(texels.nbytes))
        checked(driver.cuMemcpyHtoD(self._memory, texels.ctypes.data, texels.nbytes))
        linear = self._resource.res.linear
        self._resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_LINEAR
        linear.devPtr, linear.sizeInBytes = self._memory, texels.nbytes
        linear.format, linear.numChannels = _format(texels), texels.shape[-1]


def _settings(texture: Texture) -> Any:
    settings = driver.CUDA_TEXTURE_DESC()
    settings.addressMode = [driver.CUaddress_mode(mode) for mode in texture.modes]
    settings.filterMode = driver.CUfilter_mode(int(texture.linear))
    settings.flags = (
        (0 if texture.as_float else _AS_INTEGER)
        | (_NORMALIZED if texture.normalized else 0)
        | (_SRGB if texture.srgb else 0)
    )
    settings.borderColor = list(texture.border)
    settings.mipmapFilterMode = driver.CUfilter_mode(int(texture.linear_levels))
    settings.mipmapLevelBias, settings.maxMipmapLevelClamp = texture.bias, float(len(texture.levels))
    return settings


def _format(texels: np.ndarray) -> Any:
    return getattr(driver.CUarray_format, f"CU_AD_FORMAT_{_FORMATS[texels.dtype.str[1:]]}")


def _described(texels: np.ndarray, flags: int) -> Any:
    """An array's shape. Layers of one row each are layers of one-dimensional images, which have no height."""
    described = driver.CUDA_ARRAY3D_DESCRIPTOR()
    width, height, depth = (*texels.shape[:-1][::-1], 0, 0)[:3]
    described.Width, described.Height, described.Depth = width, 0 if flags & _LAYERED and height == 1 else height, depth
    described.NumChannels, described.Format, described.Flags = texels.shape[-1], _format(texels), flags
    return described


def _copy_of(texels: np.ndarray) -> Any:
    """A copy of all texels, without its ends."""
    *slices, width, channels = texels.shape
    copy = driver.CUDA_MEMCPY3D()
    copy.WidthInBytes = width * channels * texels.itemsize
    copy.Height, copy.Depth = (slices[-1] if slices else 1), (slices[-2] if len(slices) > 1 else 1)
    return copy


def _upload(array: Any, texels: np.ndarray) -> None:
    held = np.ascontiguousarray(texels)
    copy = _copy_of(held)
    copy.srcMemoryType, copy.srcHost, copy.srcPitch = (
        driver.CUmemorytype.CU_MEMORYTYPE_HOST,
        held.ctypes.data,
        copy.WidthInBytes,
    )
    copy.dstMemoryType, copy.dstArray, copy.srcHeight = driver.CUmemorytype.CU_MEMORYTYPE_ARRAY, array, copy.Height
    checked(driver.cuMemcpy3D(copy))
