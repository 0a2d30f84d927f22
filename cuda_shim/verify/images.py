"""Textures and surfaces of a launch, made through the driver."""

from __future__ import annotations

import ctypes
from typing import Any

from cuda_shim.verify.calls import checked
from cuda_shim.verify.launches import Array, Surface, Texture

__all__ = ["Image"]

_LAYERED, _SURFACE, _CUBEMAP, _GATHER = 1, 2, 4, 8
_AS_INTEGER, _NORMALIZED, _SRGB = 1, 2, 16
_FORMATS = {
    "u1": "UNSIGNED_INT8", "u2": "UNSIGNED_INT16", "u4": "UNSIGNED_INT32", "i1": "SIGNED_INT8", "i2": "SIGNED_INT16",
    "i4": "SIGNED_INT32", "f2": "HALF", "f4": "FLOAT",
}  # fmt: skip


class Image:
    """A texture or surface object, and the array or memory behind it.

    Raises calls.Failed where a call of the driver fails.
    """

    def __init__(self, driver: Any, described: Texture | Surface) -> None:
        self._driver = driver
        self._described = described
        self._array = self._levels = self._memory = None
        self._resource = driver.CUDA_RESOURCE_DESC()
        if isinstance(described, Surface):
            self._make_array(described.texels, _SURFACE | (_LAYERED if described.layered else 0))
            self.handle = checked(driver.cuSurfObjectCreate, self._resource)
            return
        if described.memory:
            self._make_memory(described.levels[0])
        elif described.mipmapped:
            self._make_levels(described.levels)
        else:
            flags = _LAYERED * described.layered | _CUBEMAP * described.cubemap | _GATHER * described.gather
            self._make_array(described.levels[0], flags)
        self.handle = checked(driver.cuTexObjectCreate, self._resource, self._settings(described), None)

    def contents(self) -> bytes:
        """Return a surface's texels."""
        if not isinstance(self._described, Surface):
            raise TypeError("only a surface has contents that a kernel writes")
        texels = self._described.texels
        buffer = ctypes.create_string_buffer(len(texels.data))
        copy = self._copy_of(texels)
        copy.dstMemoryType, copy.dstHost = self._driver.CUmemorytype.CU_MEMORYTYPE_HOST, ctypes.addressof(buffer)
        copy.dstPitch = copy.WidthInBytes
        copy.srcMemoryType, copy.srcArray = self._driver.CUmemorytype.CU_MEMORYTYPE_ARRAY, self._array
        copy.dstHeight = copy.Height
        checked(self._driver.cuMemcpy3D, copy)
        return buffer.raw

    def close(self) -> None:
        """Destroy the object and its memory."""
        driver = self._driver
        is_surface = isinstance(self._described, Surface)
        checked(driver.cuSurfObjectDestroy if is_surface else driver.cuTexObjectDestroy, self.handle)
        if self._memory is not None:
            checked(driver.cuMemFree, self._memory)
        elif self._levels is not None:
            checked(driver.cuMipmappedArrayDestroy, self._levels)
        else:
            checked(driver.cuArrayDestroy, self._array)

    def _make_array(self, texels: Array, flags: int) -> None:
        self._array = checked(self._driver.cuArray3DCreate, self._shape_of(texels, flags))
        self._upload(self._array, texels)
        self._resource.resType = self._driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
        self._resource.res.array.hArray = self._array

    def _make_levels(self, levels: tuple[Array, ...]) -> None:
        driver = self._driver
        self._levels = checked(driver.cuMipmappedArrayCreate, self._shape_of(levels[0], 0), len(levels))
        for number, texels in enumerate(levels):
            self._upload(checked(driver.cuMipmappedArrayGetLevel, self._levels, number), texels)
        self._resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_MIPMAPPED_ARRAY
        self._resource.res.mipmap.hMipmappedArray = self._levels

    def _make_memory(self, texels: Array) -> None:
        driver = self._driver
        self._memory = checked(driver.cuMemAlloc, len(texels.data))
        checked(driver.cuMemcpyHtoD, self._memory, texels.data, len(texels.data))
        linear = self._resource.res.linear
        self._resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_LINEAR
        linear.devPtr, linear.sizeInBytes = self._memory, len(texels.data)
        linear.format, linear.numChannels = self._format(texels), texels.shape[-1]

    def _settings(self, texture: Texture) -> Any:
        driver = self._driver
        settings = driver.CUDA_TEXTURE_DESC()
        settings.addressMode = [driver.CUaddress_mode(mode) for mode in texture.modes]
        settings.filterMode = driver.CUfilter_mode(int(texture.linear))
        settings.flags = (
            (0 if texture.as_float else _AS_INTEGER) | _NORMALIZED * texture.normalized | _SRGB * texture.srgb
        )
        settings.borderColor = list(texture.border)
        settings.mipmapFilterMode = driver.CUfilter_mode(int(texture.linear_levels))
        settings.mipmapLevelBias, settings.maxMipmapLevelClamp = texture.bias, float(len(texture.levels))
        return settings

    def _format(self, texels: Array) -> Any:
        return getattr(self._driver.CUarray_format, f"CU_AD_FORMAT_{_FORMATS[texels.type[1:]]}")

    def _shape_of(self, texels: Array, flags: int) -> Any:
        """Return an array's shape. Layers of one row each are layers of one-dimensional images, without a height."""
        shape = self._driver.CUDA_ARRAY3D_DESCRIPTOR()
        width, height, depth = (*texels.shape[:-1][::-1], 0, 0)[:3]
        shape.Width, shape.Height, shape.Depth = width, 0 if flags & _LAYERED and height == 1 else height, depth
        shape.NumChannels, shape.Format, shape.Flags = texels.shape[-1], self._format(texels), flags
        return shape

    def _copy_of(self, texels: Array) -> Any:
        """Return a copy of all texels, without its ends."""
        *slices, width, channels = texels.shape
        copy = self._driver.CUDA_MEMCPY3D()
        copy.WidthInBytes = width * channels * int(texels.type[2:])
        copy.Height, copy.Depth = (slices[-1] if slices else 1), (slices[-2] if len(slices) > 1 else 1)
        return copy

    def _upload(self, array: Any, texels: Array) -> None:
        buffer = ctypes.create_string_buffer(texels.data, len(texels.data))
        copy = self._copy_of(texels)
        copy.srcMemoryType, copy.srcHost = self._driver.CUmemorytype.CU_MEMORYTYPE_HOST, ctypes.addressof(buffer)
        copy.srcPitch = copy.WidthInBytes
        copy.dstMemoryType, copy.dstArray = self._driver.CUmemorytype.CU_MEMORYTYPE_ARRAY, array
        copy.srcHeight = copy.Height
        checked(self._driver.cuMemcpy3D, copy)
