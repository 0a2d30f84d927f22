"""Rectangles copied through the runtime."""

import numpy
from _device import runtime_device
from _show import call, show
from cuda.bindings import runtime

runtime_device()
way = runtime.cudaMemcpyKind
source = numpy.arange(32, dtype=numpy.uint8).reshape(4, 8)
target = numpy.zeros((4, 8), dtype=numpy.uint8)
device, pitch = runtime.cudaMallocPitch(8, 4)[1:]
call(runtime.cudaMemcpy2D, device, pitch, source, 8, 8, 4, way.cudaMemcpyHostToDevice)
call(runtime.cudaMemcpy2D, target, 8, device + 1, pitch, 3, 4, way.cudaMemcpyDeviceToHost, note="back")
show("part", target.tolist())
stream = runtime.cudaStreamCreate()[1]
call(runtime.cudaMemcpy2DAsync, target, 8, device, pitch, 8, 4, way.cudaMemcpyDeviceToHost, stream)
call(runtime.cudaStreamSynchronize, stream)
show("whole", bool((target == source).all()))
call(runtime.cudaMemcpy2D, device, 4, source, 8, 8, 4, way.cudaMemcpyHostToDevice, note="pitch too small")
call(runtime.cudaMemcpy2D, device, pitch, source, 8, 8, 4, 99, note="no such kind")
call(runtime.cudaMemcpy2D, device, pitch, source, 8, 0, 4, way.cudaMemcpyHostToDevice, note="no width")
call(runtime.cudaMemset2D, device, pitch, 5, 4, 2)
call(runtime.cudaMemset2DAsync, device, pitch, 6, 2, 1, stream)
call(runtime.cudaStreamSynchronize, stream)
call(runtime.cudaMemcpy2D, target, 8, device, pitch, 8, 4, way.cudaMemcpyDeviceToHost, note="set")
show("set", target.tolist())
call(runtime.cudaMemset2D, device, 4, 5, 8, 2, note="pitch too small")
