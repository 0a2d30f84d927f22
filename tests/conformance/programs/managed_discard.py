"""Managed memory whose contents a program discards, with and without a prefetch of the memory."""

from _device import context, good
from _show import call
from cuda.bindings import driver, runtime

context()
size = 1 << 21
stream = good(driver.cuStreamCreate(1))
pointer = good(driver.cuMemAllocManaged(2 * size, 1))
second = driver.CUdeviceptr(int(pointer) + size)
plain = good(driver.cuMemAlloc(size))
null = driver.CUdeviceptr(0)
location = driver.CUmemLocation()
location.type, location.id = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE, 0
call(driver.cuMemDiscardBatchAsync, [pointer, second], [size, size], 2, 0, stream)
call(driver.cuMemDiscardBatchAsync, [pointer], [size], 1, 0, 0, note="stream 0")
call(driver.cuMemDiscardBatchAsync, [pointer], [size], 1, 1, stream, note="flags")
call(driver.cuMemDiscardBatchAsync, [plain], [size], 1, 0, stream, note="not managed")
call(driver.cuMemDiscardBatchAsync, [], [], 0, 0, stream, note="none")
call(driver.cuMemDiscardBatchAsync, [null], [size], 1, 0, stream, note="null")
call(driver.cuMemDiscardBatchAsync, [pointer], [0], 1, 0, stream, note="no bytes")
call(driver.cuMemDiscardAndPrefetchBatchAsync, [pointer], [size], 1, [location], [0], 1, 0, stream)
call(driver.cuMemDiscardAndPrefetchBatchAsync, [pointer], [size], 1, [location], [1], 1, 0, stream, note="from one")
call(driver.cuMemDiscardAndPrefetchBatchAsync, [plain], [size], 1, [location], [0], 1, 0, stream, note="not managed")
call(driver.cuStreamSynchronize, stream)
call(driver.cuMemsetD8, pointer, 1, 16)
call(runtime.cudaMemDiscardBatchAsync, [int(pointer)], [size], 1, 0, stream)
call(runtime.cudaMemDiscardBatchAsync, [int(plain)], [size], 1, 0, stream, note="not managed")
