"""Textures through the runtime."""

import numpy
from _device import runtime_device
from _show import call, fields, show
from cuda.bindings import runtime

runtime_device()
channel = runtime.cudaCreateChannelDesc(32, 0, 0, 0, runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat)[1]
array = runtime.cudaMallocArray(channel, 4, 4, 0)[1]
resource = runtime.cudaResourceDesc()
resource.resType = runtime.cudaResourceType.cudaResourceTypeArray
resource.res.array.array = array
wanted = runtime.cudaTextureDesc()
mode = runtime.cudaTextureAddressMode
wanted.addressMode = [mode.cudaAddressModeClamp, mode.cudaAddressModeMirror, mode.cudaAddressModeBorder]
wanted.filterMode = runtime.cudaTextureFilterMode.cudaFilterModeLinear
wanted.readMode = runtime.cudaTextureReadMode.cudaReadModeElementType
wanted.normalizedCoords = 1
fields("wanted", wanted, "addressMode", "filterMode", "readMode", "normalizedCoords", "borderColor")
texture = call(runtime.cudaCreateTextureObject, resource, wanted, None)
got = call(runtime.cudaGetTextureObjectTextureDesc, texture)
fields("texture", got, "addressMode", "filterMode", "readMode", "normalizedCoords", values=True)
got = call(runtime.cudaGetTextureObjectResourceDesc, texture)
fields("resource", got, "resType", "res.array.array")
call(runtime.cudaGetTextureObjectResourceViewDesc, texture)
call(runtime.cudaDestroyTextureObject, texture)
pointer = runtime.cudaMalloc(64)[1]
linear = runtime.cudaResourceDesc()
linear.resType = runtime.cudaResourceType.cudaResourceTypeLinear
linear.res.linear.devPtr = pointer
linear.res.linear.desc = channel
linear.res.linear.sizeInBytes = 64
fields("linear", linear, "res.linear.devPtr", "res.linear.sizeInBytes", "res.linear.desc.x", values=False)
call(runtime.cudaCreateTextureObject, linear, runtime.cudaTextureDesc(), None, note="linear")
call(runtime.cudaCreateTextureObject, runtime.cudaResourceDesc(), wanted, None, note="empty")
call(runtime.cudaCreateTextureObject, None, None, None, note="None")
call(runtime.cudaDestroyTextureObject, 0, note="null")
show("numpy address", lambda: setattr(linear.res.linear, "devPtr", numpy.uint64(16)))
