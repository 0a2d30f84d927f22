"""Memory sets that return before they are done."""

import ctypes

import _held
from _device import good, runtime_device
from cuda.bindings import driver, runtime

runtime_device()
_held.prepare()
SIZE = 4096
buffer = ctypes.create_string_buffer(3 * SIZE)
registered = ctypes.addressof(buffer) + 4095 & ~4095
good((*runtime.cudaHostRegister(registered, SIZE, 0), None))
places = {
    "device": good(runtime.cudaMalloc(SIZE)),
    "pinned": good(runtime.cudaMallocHost(SIZE)),
    "registered": registered,
    "managed": good(runtime.cudaMallocManaged(SIZE, runtime.cudaMemAttachGlobal)),
    "in stream order": good(runtime.cudaMallocAsync(SIZE, 0)),
}
stream = good(runtime.cudaStreamCreate())
target = int(places["device"])
good((*runtime.cudaMemset(target, 1, SIZE), None))
good((*runtime.cudaMemsetAsync(target, 1, SIZE, stream), None))
good((*runtime.cudaMemset2D(target, 64, 1, 64, 8), None))
good((*driver.cuMemsetD32(target, 1, 16), None))
good((*runtime.cudaDeviceSynchronize(), None))
for place, pointer in places.items():
    address = int(pointer)
    _held.waits(runtime.cudaMemset, address, 5, SIZE, note=place)
    _held.waits(runtime.cudaMemset2D, address, 64, 5, 64, 8, note=place)
    _held.waits(driver.cuMemsetD32, address, 5, 16, note=place)
    _held.waits(runtime.cudaMemsetAsync, address, 5, SIZE, stream, note=place, stream=stream)
    _held.waits(runtime.cudaMemset, address, 5, 0, note=f"nothing of {place}")
_held.end()
