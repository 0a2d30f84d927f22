"""Textures of every kind of memory and their returned descriptors, through the runtime; channel formats, arrays."""

from typing import Any

from _device import runtime_device
from _show import call, fields, show
from cuda.bindings import runtime

runtime_device()
kinds, channels = runtime.cudaResourceType, runtime.cudaChannelFormatKind
pointer = runtime.cudaMalloc(65536)[1]
floats = call(runtime.cudaCreateChannelDesc, 32, 0, 0, 0, channels.cudaChannelFormatKindFloat)
fields("floats", floats, "x", "y", "z", "w", "f", values=True)
pixels = call(runtime.cudaCreateChannelDesc, 8, 8, 8, 8, channels.cudaChannelFormatKindUnsigned)
fields("pixels", pixels, "x", "y", "z", "w", "f", values=True)
call(runtime.cudaCreateChannelDesc, -1, 0, 0, 0, channels.cudaChannelFormatKindSigned, note="negative")
call(runtime.cudaCreateChannelDesc, 32.7, 0, 0, 0, channels.cudaChannelFormatKindFloat, note="float")
call(runtime.cudaCreateChannelDesc, "32", 0, 0, 0, channels.cudaChannelFormatKindFloat, note="str")
call(runtime.cudaCreateChannelDesc, 32, 0, 0, 0, None, note="None")
array = call(runtime.cudaMallocArray, floats, 8, 4, 0)
volume = call(runtime.cudaMalloc3DArray, floats, runtime.make_cudaExtent(8, 4, 2), 0)
mipmaps = call(runtime.cudaMallocMipmappedArray, floats, runtime.make_cudaExtent(8, 8, 0), 3, 0)
for name, one in (("array", array), ("volume", volume)):
    format_, extent, flags = call(runtime.cudaArrayGetInfo, one, note=name) or (None, None, None)
    fields(name, extent, "width", "height", "depth", values=True)
    fields(name, format_, "x", "f", values=True)
    show(f"{name} flags", flags)
got = call(runtime.cudaGetChannelDesc, array)
fields("got", got, "x", "y", "f", values=True)
level = call(runtime.cudaGetMipmappedArrayLevel, mipmaps, 2)
fields("level", runtime.cudaArrayGetInfo(level)[2], "width", "height", values=True)
call(runtime.cudaGetMipmappedArrayLevel, mipmaps, 3, note="beyond the last")


def resource(name: str) -> Any:
    made = runtime.cudaResourceDesc()
    made.resType = getattr(kinds, f"cudaResourceType{name}")
    return made


sampling = runtime.cudaTextureDesc()
sampling.readMode = runtime.cudaTextureReadMode.cudaReadModeElementType
sampling.addressMode = [runtime.cudaTextureAddressMode.cudaAddressModeClamp] * 3
sampling.borderColor = [1.0, 2.0, 3.0, 4.0]
told = ("addressMode", "filterMode", "readMode", "sRGB", "normalizedCoords", "mipmapFilterMode")
of_array = resource("Array")
of_array.res.array.array = array
texture = call(runtime.cudaCreateTextureObject, of_array, sampling, None, note="array")
got = call(runtime.cudaGetTextureObjectResourceDesc, texture, note="array")
fields("array", got, "resType", values=True)
show("the array", lambda: int(got.res.array.array) == int(array))
got = call(runtime.cudaGetTextureObjectTextureDesc, texture, note="array")
fields("array", got, *told, values=True)
call(runtime.cudaDestroyTextureObject, texture)
of_mipmaps = resource("MipmappedArray")
of_mipmaps.res.mipmap.mipmap = mipmaps
sampling.normalizedCoords = 1  # as mipmaps need
texture = call(runtime.cudaCreateTextureObject, of_mipmaps, sampling, None, note="mipmaps")
got = call(runtime.cudaGetTextureObjectResourceDesc, texture, note="mipmaps")
show("the mipmaps", lambda: int(got.res.mipmap.mipmap) == int(mipmaps))
sampling.normalizedCoords = 0
of_memory = resource("Linear")
linear = of_memory.res.linear
linear.devPtr, linear.desc, linear.sizeInBytes = pointer, floats, 512
texture = call(runtime.cudaCreateTextureObject, of_memory, sampling, None, note="linear")
got = call(runtime.cudaGetTextureObjectResourceDesc, texture, note="linear")
fields("linear", got, "res.linear.desc.x", "res.linear.desc.f", "res.linear.sizeInBytes", values=True)
show("the memory", lambda: got.res.linear.devPtr == pointer)
of_rows = resource("Pitch2D")
rows = of_rows.res.pitch2D
rows.devPtr, rows.desc, rows.width, rows.height, rows.pitchInBytes = pointer, pixels, 16, 8, 512
texture = call(runtime.cudaCreateTextureObject, of_rows, sampling, None, note="rows")
got = call(runtime.cudaGetTextureObjectResourceDesc, texture, note="rows")
members = ("desc.w", "desc.f", "width", "height", "pitchInBytes")
fields("rows", got, *(f"res.pitch2D.{member}" for member in members), values=True)
call(runtime.cudaCreateTextureObject, of_array, None, None, note="no sampling")
call(runtime.cudaCreateTextureObject, None, sampling, None, note="None")
call(runtime.cudaCreateSurfaceObject, of_memory, note="linear")
call(runtime.cudaDestroySurfaceObject, 0, note="null")
call(runtime.cudaDestroyTextureObject, 0, note="null")
call(runtime.cudaDeviceGetTexture1DLinearMaxWidth, floats, 0)
call(runtime.cudaDeviceGetTexture1DLinearMaxWidth, floats, 99, note="no such device")
call(runtime.cudaFreeArray, array)
call(runtime.cudaFreeMipmappedArray, mipmaps)
