"""Textures of every kind of memory and their returned descriptors, through the driver."""

from typing import Any

from _device import context
from _show import call, fields, show
from cuda.bindings import driver

context()
kinds, formats = driver.CUresourcetype, driver.CUarray_format
modes, filters = driver.CUaddress_mode, driver.CUfilter_mode
described = driver.CUDA_ARRAY3D_DESCRIPTOR()
described.Width, described.Height, described.Depth = 8, 8, 0
described.Format, described.NumChannels = formats.CU_AD_FORMAT_FLOAT, 1
array = call(driver.cuArray3DCreate, described)
mipmaps = call(driver.cuMipmappedArrayCreate, described, 3)
pointer = driver.cuMemAlloc(65536)[1]


def resource(name: str) -> Any:
    made = driver.CUDA_RESOURCE_DESC()
    made.resType = getattr(kinds, f"CU_RESOURCE_TYPE_{name}")
    return made


sampling = driver.CUDA_TEXTURE_DESC()
sampling.addressMode = [
    modes.CU_TR_ADDRESS_MODE_CLAMP, modes.CU_TR_ADDRESS_MODE_BORDER, modes.CU_TR_ADDRESS_MODE_CLAMP
]  # fmt: skip
sampling.filterMode = filters.CU_TR_FILTER_MODE_LINEAR
sampling.mipmapFilterMode = filters.CU_TR_FILTER_MODE_LINEAR
sampling.mipmapLevelBias, sampling.minMipmapLevelClamp, sampling.maxMipmapLevelClamp = 0.5, 0.0, 2.0
sampling.maxAnisotropy = 2
sampling.flags = driver.CU_TRSF_NORMALIZED_COORDINATES  # as mipmaps need
sampling.borderColor = [1.0, 2.0, 3.0, 4.0]
told = ("addressMode", "filterMode", "mipmapFilterMode", "mipmapLevelBias", "maxMipmapLevelClamp")

of_array = resource("ARRAY")
of_array.res.array.hArray = array
texture = call(driver.cuTexObjectCreate, of_array, sampling, None, note="array")
got = call(driver.cuTexObjectGetResourceDesc, texture, note="array")
fields("array", got, "resType", "flags", values=True)
show("the array", lambda: got.res.array.hArray == array)
got = call(driver.cuTexObjectGetTextureDesc, texture, note="array")
fields("array", got, *told, "maxAnisotropy", "flags", values=True)
call(driver.cuTexObjectGetResourceViewDesc, texture, note="without a view")
call(driver.cuTexObjectDestroy, texture)

of_mipmaps = resource("MIPMAPPED_ARRAY")
of_mipmaps.res.mipmap.hMipmappedArray = mipmaps
texture = call(driver.cuTexObjectCreate, of_mipmaps, sampling, None, note="mipmaps")
got = call(driver.cuTexObjectGetResourceDesc, texture, note="mipmaps")
fields("mipmaps", got, "resType", values=True)
show("the mipmaps", lambda: got.res.mipmap.hMipmappedArray == mipmaps)
got = call(driver.cuTexObjectGetTextureDesc, texture, note="mipmaps")
fields("mipmaps", got, *told, values=True)

plain = driver.CUDA_TEXTURE_DESC()
of_memory = resource("LINEAR")
linear = of_memory.res.linear
linear.devPtr, linear.format, linear.numChannels, linear.sizeInBytes = pointer, formats.CU_AD_FORMAT_FLOAT, 2, 512
texture = call(driver.cuTexObjectCreate, of_memory, plain, None, note="linear")
got = call(driver.cuTexObjectGetResourceDesc, texture, note="linear")
fields("linear", got, "res.linear.format", "res.linear.numChannels", "res.linear.sizeInBytes", values=True)
show("the memory", lambda: int(got.res.linear.devPtr) == int(pointer))

of_rows = resource("PITCH2D")
rows = of_rows.res.pitch2D
rows.devPtr, rows.format, rows.numChannels = pointer, formats.CU_AD_FORMAT_UNSIGNED_INT8, 4
rows.width, rows.height, rows.pitchInBytes = 16, 8, 512
texture = call(driver.cuTexObjectCreate, of_rows, plain, None, note="rows")
got = call(driver.cuTexObjectGetResourceDesc, texture, note="rows")
members = ("format", "numChannels", "width", "height", "pitchInBytes")
fields("rows", got, *(f"res.pitch2D.{member}" for member in members), values=True)

view = driver.CUDA_RESOURCE_VIEW_DESC()
view.format = driver.CUresourceViewFormat.CU_RES_VIEW_FORMAT_FLOAT_1X32
view.width, view.height = 8, 8
texture = call(driver.cuTexObjectCreate, of_array, sampling, view, note="with a view")
got = call(driver.cuTexObjectGetResourceViewDesc, texture)
fields("view", got, "format", "width", "height", "depth", "firstMipmapLevel", "lastLayer", values=True)

linear.numChannels = 3
call(driver.cuTexObjectCreate, of_memory, plain, None, note="three channels")
rows.pitchInBytes = 1
call(driver.cuTexObjectCreate, of_rows, plain, None, note="narrow rows")
call(driver.cuTexObjectCreate, resource("LINEAR"), plain, None, note="no memory")
call(driver.cuTexObjectCreate, resource("MIPMAPPED_ARRAY"), plain, None, note="no mipmaps")
call(driver.cuTexObjectCreate, of_array, None, None, note="no sampling")
call(driver.cuTexObjectCreate, 5, plain, None, note="int")
call(driver.cuTexObjectGetResourceDesc, 0, note="null")
call(driver.cuTexObjectGetTextureDesc, 0, note="null")
call(driver.cuSurfObjectCreate, of_memory, note="linear")
call(driver.cuSurfObjectDestroy, 0, note="null")
