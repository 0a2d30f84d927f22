"""Copies of linear memory through the runtime, in every direction."""

import numpy
from _device import runtime_device
from _show import call, show
from cuda.bindings import runtime

runtime_device()
way = runtime.cudaMemcpyKind
source = numpy.arange(16, dtype=numpy.int32)
target = numpy.zeros_like(source)
first = runtime.cudaMalloc(64)[1]
second = runtime.cudaMalloc(64)[1]
call(runtime.cudaMemcpy, first, source, 64, way.cudaMemcpyHostToDevice)
call(runtime.cudaMemcpy, second, first, 64, way.cudaMemcpyDeviceToDevice, note="on the device")
call(runtime.cudaMemcpy, target, second, 64, way.cudaMemcpyDeviceToHost, note="back")
show("equal", target.tolist())
call(runtime.cudaMemcpy, target, source, 64, way.cudaMemcpyHostToHost, note="host to host")
call(runtime.cudaMemcpy, target.ctypes.data, second + 4, 8, way.cudaMemcpyDefault, note="default")
show("default", target[:2].tolist())
call(runtime.cudaMemcpy, first, source, 64, 1, note="int kind")
call(runtime.cudaMemcpy, first, source, 64, 77, note="no such kind")
call(runtime.cudaMemcpy, first, source, 64, None, note="kind None")
call(runtime.cudaMemcpy, 0, source, 64, way.cudaMemcpyHostToDevice, note="null")
call(runtime.cudaMemcpy, first, source, 0, way.cudaMemcpyHostToDevice, note="nothing")
call(runtime.cudaMemcpy, first, source, 1 << 40, way.cudaMemcpyDeviceToDevice, note="too much")
call(runtime.cudaGetLastError)
stream = runtime.cudaStreamCreate()[1]
call(runtime.cudaMemcpyAsync, first, source, 64, way.cudaMemcpyHostToDevice, stream)
call(runtime.cudaMemcpyAsync, target, first, 64, way.cudaMemcpyDeviceToHost, stream, note="back")
call(runtime.cudaStreamSynchronize, stream)
show("equal again", target.tolist())
call(runtime.cudaMemcpyAsync, first, source, 64, way.cudaMemcpyHostToDevice, 0, note="default stream")
call(runtime.cudaMemcpy, first, source, 64, note="too few")
call(runtime.cudaMemcpy, dst=first, src=source, count=64, kind=way.cudaMemcpyHostToDevice, note="keywords")
call(runtime.cudaMemcpy, first, source[::2], 32, way.cudaMemcpyHostToDevice, note="strided")
call(runtime.cudaMemcpy, first, "text", 4, way.cudaMemcpyHostToDevice, note="str")
