"""Streams that write and wait for values in memory."""

import numpy
from _device import context
from _show import call, show
from cuda.bindings import driver

context()
stream = driver.cuStreamCreate(0)[1]
pointer = driver.cuMemAlloc(64)[1]
driver.cuMemsetD8(pointer, 0, 64)
target = numpy.zeros(4, dtype=numpy.uint32)
call(driver.cuStreamWriteValue32, stream, pointer, 7, 0)
call(driver.cuStreamWriteValue64, stream, int(pointer) + 8, 9, 0)
call(
    driver.cuStreamWaitValue32,
    stream,
    pointer,
    driver.cuuint32_t(7),
    driver.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_EQ,
)
call(driver.cuStreamWaitValue64, stream, int(pointer) + 8, 5, driver.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_GEQ)
call(driver.cuStreamSynchronize, stream)
driver.cuMemcpyDtoH(target, pointer, 16)
show("written", target.tolist())
call(driver.cuStreamWriteValue32, stream, int(pointer) + 1, 7, 0, note="unaligned")
call(driver.cuStreamWriteValue32, stream, 0, 7, 0, note="null")
call(driver.cuStreamWriteValue32, stream, pointer, 7, 77, note="bad flags")
operation = driver.CUstreamBatchMemOpParams()
operation.operation = driver.CUstreamBatchMemOpType.CU_STREAM_MEM_OP_WRITE_VALUE_32
operation.writeValue.operation = driver.CUstreamBatchMemOpType.CU_STREAM_MEM_OP_WRITE_VALUE_32
operation.writeValue.address = pointer
operation.writeValue.value = 21
call(driver.cuStreamBatchMemOp, stream, 1, [operation], 0)
call(driver.cuStreamSynchronize, stream, note="batch")
driver.cuMemcpyDtoH(target, pointer, 16)
show("written by a batch", target.tolist())
call(driver.cuStreamBatchMemOp, stream, 2, [operation], 0, note="list too short")
