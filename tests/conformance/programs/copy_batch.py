"""Batches of copies."""

import numpy
from _device import context
from _show import call, show
from cuda.bindings import driver, runtime

context()
stream = driver.cuStreamCreate(0)[1]
source = numpy.arange(8, dtype=numpy.int32)
target = numpy.zeros_like(source)
first = driver.cuMemAlloc(32)[1]
second = driver.cuMemAlloc(32)[1]
driver.cuMemcpyHtoD(first, source, 32)
attributes = driver.CUmemcpyAttributes()
attributes.srcAccessOrder = driver.CUmemcpySrcAccessOrder.CU_MEMCPY_SRC_ACCESS_ORDER_STREAM
half = driver.CUdeviceptr(int(second) + 16)
call(driver.cuMemcpyBatchAsync, [second, half], [first, first], [16, 16], 2, [attributes], [0], 1, stream)
call(driver.cuStreamSynchronize, stream)
driver.cuMemcpyDtoH(target, second, 32)
show("moved", target.tolist())
call(driver.cuMemcpyBatchAsync, [second], [first], [16], 1, [attributes], [0], 1, 0, note="default stream")
call(driver.cuMemcpyBatchAsync, [second], [first], [16], 2, [attributes], [0], 1, stream, note="lists too short")
call(driver.cuMemcpyBatchAsync, [], [], [], 0, [attributes], [0], 1, stream, note="nothing")
order = runtime.cudaMemcpyAttributes()
order.srcAccessOrder = runtime.cudaMemcpySrcAccessOrder.cudaMemcpySrcAccessOrderStream
call(runtime.cudaMemcpyBatchAsync, [int(second)], [int(first)], [16], 1, [order], [0], 1, stream)
call(runtime.cudaStreamSynchronize, stream)
