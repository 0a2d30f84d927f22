"""Arrays made, described and copied through the runtime."""

import numpy
from _device import runtime_device
from _show import call, fields, show
from cuda.bindings import runtime

runtime_device()
way = runtime.cudaMemcpyKind
channel = call(runtime.cudaCreateChannelDesc, 32, 0, 0, 0, runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat)
fields("channel", channel, "x", "y", "z", "w", values=True)
fields("channel", channel, "f")
array = call(runtime.cudaMallocArray, channel, 8, 4, 0)
got, extent, flags = call(runtime.cudaArrayGetInfo, array)
fields("info", got, "x", "f")
fields("info", extent, "width", "height", "depth", values=True)
show("flags", flags)
call(runtime.cudaGetChannelDesc, array)
source = numpy.arange(32, dtype=numpy.float32).reshape(4, 8)
target = numpy.zeros_like(source)
call(runtime.cudaMemcpy2DToArray, array, 0, 0, source, 32, 32, 4, way.cudaMemcpyHostToDevice)
call(runtime.cudaMemcpy2DFromArray, target, 32, array, 4, 1, 12, 2, way.cudaMemcpyDeviceToHost)
show("part", target[:2, :4].tolist())
stream = runtime.cudaStreamCreate()[1]
call(runtime.cudaMemcpy2DToArrayAsync, array, 0, 0, source, 32, 32, 4, way.cudaMemcpyHostToDevice, stream)
call(runtime.cudaMemcpy2DFromArrayAsync, target, 32, array, 0, 0, 32, 4, way.cudaMemcpyDeviceToHost, stream)
call(runtime.cudaStreamSynchronize, stream)
show("whole", bool((source == target).all()))
call(runtime.cudaMemcpyToArray, array, 0, 0, source, 32, way.cudaMemcpyHostToDevice)
call(runtime.cudaMemcpyFromArray, target, array, 0, 0, 32, way.cudaMemcpyDeviceToHost)
other = runtime.cudaMallocArray(channel, 8, 4, 0)[1]
call(runtime.cudaMemcpy2DArrayToArray, other, 0, 0, array, 0, 0, 32, 4, way.cudaMemcpyDeviceToDevice)
call(runtime.cudaMemcpy2DToArray, array, 0, 0, source, 32, 64, 4, way.cudaMemcpyHostToDevice, note="too wide")
call(runtime.cudaFreeArray, other)
call(runtime.cudaFreeArray, array)
call(runtime.cudaFreeArray, None, note="None")
deep = call(runtime.cudaMalloc3DArray, channel, runtime.make_cudaExtent(4, 3, 2), 0)
copy = runtime.cudaMemcpy3DParms()
solid = numpy.arange(24, dtype=numpy.float32)
copy.srcPtr = runtime.make_cudaPitchedPtr(solid.ctypes.data, 16, 4, 3)
copy.dstArray = deep
copy.extent = runtime.make_cudaExtent(4, 3, 2)
copy.kind = way.cudaMemcpyHostToDevice
call(runtime.cudaMemcpy3D, copy, note="into an array")
call(runtime.cudaFreeArray, deep, note="deep")
channel.x = 7
call(runtime.cudaMallocArray, channel, 8, 4, 0, note="bad channel")
call(runtime.cudaMallocArray, None, 8, 4, 0, note="None")
