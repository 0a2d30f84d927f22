"""Memory that a stream freed and gets again while it is busy."""

import ctypes

from _device import good, runtime_device
from _show import call, show
from cuda.bindings import driver, runtime

runtime_device()
stream, other = good(runtime.cudaStreamCreate()), good(runtime.cudaStreamCreate())
word = int(good(runtime.cudaMallocHost(4096)))
ctypes.memset(word, 0, 4)
good((*driver.cuStreamWaitValue32(stream, word, 1, driver.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_GEQ), None))
SIZE = 1 << 20
first = int(good(runtime.cudaMallocAsync(SIZE, stream)))
call(runtime.cudaFreeAsync, first, stream)
elsewhere = int(good(runtime.cudaMallocAsync(SIZE, other)))
show("another stream has it", elsewhere == first)
again = int(good(runtime.cudaMallocAsync(SIZE, stream)))
show("the same stream has it again", again == first)
call(runtime.cudaFreeAsync, again, stream)
smaller = int(good(runtime.cudaMallocAsync(SIZE // 2, stream)))
show("for less", smaller == first)
more = int(good(runtime.cudaMallocAsync(SIZE, stream)))
show("while it is in use", more == first)
ctypes.memset(word, 1, 4)
call(runtime.cudaStreamSynchronize, stream)
for pointer in (smaller, more, elsewhere):
    call(runtime.cudaFreeAsync, pointer, other)
call(runtime.cudaFreeAsync, more, other, note="twice")
call(runtime.cudaDeviceSynchronize)
