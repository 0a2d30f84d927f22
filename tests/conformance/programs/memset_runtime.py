"""Memory set through the runtime."""

import numpy
from _device import runtime_device
from _show import call, show
from cuda.bindings import runtime

runtime_device()
target = numpy.zeros(8, dtype=numpy.uint8)
pointer = runtime.cudaMalloc(64)[1]
call(runtime.cudaMemset, pointer, 0x1FF, 8)
runtime.cudaMemcpy(target, pointer, 8, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost)
show("low byte", target.tolist())
call(runtime.cudaMemset, pointer, -2, 4, note="negative")
stream = runtime.cudaStreamCreate()[1]
call(runtime.cudaMemsetAsync, pointer + 4, 5, 4, stream)
call(runtime.cudaStreamSynchronize, stream)
runtime.cudaMemcpy(target, pointer, 8, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost)
show("both", target.tolist())
call(runtime.cudaMemset, 0, 1, 1, note="null")
call(runtime.cudaMemset, 16, 1, 1, note="nonsense")
call(runtime.cudaMemset, pointer, 1, 0, note="nothing")
call(runtime.cudaMemset, pointer, 1, 1 << 40, note="too much")
call(runtime.cudaMemset, pointer, 1 << 31, 1, note="value beyond int")
call(runtime.cudaMemset, pointer, "1", 1, note="str")
call(runtime.cudaMemset, "pointer", 1, 1, note="pointer str")
