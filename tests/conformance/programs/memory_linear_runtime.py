"""Linear memory through the runtime."""

import ctypes

from _device import runtime_device
from _show import call, show
from cuda.bindings import runtime

runtime_device()
pointer = call(runtime.cudaMalloc, 1024)
show("adds", isinstance(pointer + 4, int))
show("as a ctypes pointer", ctypes.c_void_p(pointer).value == pointer)
show("hex", hex(pointer).startswith("0x"))
call(runtime.cudaFree, pointer)
call(runtime.cudaFree, pointer, note="twice")
call(runtime.cudaGetLastError, note="after a failure")
call(runtime.cudaFree, 0, note="null")
call(runtime.cudaFree, None, note="None")
call(runtime.cudaFree, 16, note="nonsense")
call(runtime.cudaMalloc, 0, note="nothing", values=True)
call(runtime.cudaMalloc, 1 << 60, note="too much")
call(runtime.cudaMalloc, -1, note="negative")
call(runtime.cudaMalloc, 16.9, note="float")
call(runtime.cudaMalloc, "16", note="str")
call(runtime.cudaMalloc, None, note="None")
call(runtime.cudaMalloc, size=16, note="keyword")
call(runtime.cudaMalloc, note="no argument")
call(runtime.cudaMemGetInfo)
