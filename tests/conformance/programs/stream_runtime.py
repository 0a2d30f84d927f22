"""Streams through the runtime."""

from _device import runtime_device
from _show import call, show
from cuda.bindings import driver, runtime

runtime_device()
stream = call(runtime.cudaStreamCreate)
show("a driver stream", isinstance(stream, driver.CUstream))
call(runtime.cudaStreamGetFlags, stream, values=True)
call(runtime.cudaStreamGetPriority, stream, values=True)
call(runtime.cudaStreamGetId, stream)
call(runtime.cudaStreamGetDevice, stream, values=True)
call(runtime.cudaStreamQuery, stream)
call(runtime.cudaStreamSynchronize, stream)
call(runtime.cudaStreamIsCapturing, stream)
call(runtime.cudaStreamDestroy, stream)
other = call(runtime.cudaStreamCreateWithFlags, runtime.cudaStreamNonBlocking)
call(runtime.cudaStreamGetFlags, other, note="non-blocking", values=True)
call(driver.cuStreamSynchronize, other, note="by the driver")
call(runtime.cudaStreamDestroy, int(other), note="by number")
call(runtime.cudaStreamCreateWithFlags, 77, note="bad flags")
low, high = call(runtime.cudaDeviceGetStreamPriorityRange)
show("range", low >= high)
first = call(runtime.cudaStreamCreateWithPriority, runtime.cudaStreamNonBlocking, high)
show("priority", runtime.cudaStreamGetPriority(first)[1] == high)
call(runtime.cudaStreamDestroy, first)
call(runtime.cudaStreamSynchronize, 0, note="default")
call(runtime.cudaStreamSynchronize, runtime.cudaStreamLegacy, note="legacy")
call(runtime.cudaStreamSynchronize, runtime.cudaStreamPerThread, note="per thread")
call(runtime.cudaStreamQuery, None, note="None")
call(runtime.cudaStreamDestroy, 0, note="null")
call(runtime.cudaStreamSynchronize, "stream", note="str")
show("repr", repr(runtime.cudaStream_t(5)))
