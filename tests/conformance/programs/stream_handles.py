"""The streams that every program has, by number, and batches of operations on memory."""

import numpy
from _device import context
from _show import call, fields, show
from cuda.bindings import driver, runtime

context()
made = driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING)[1]
for note, stream in (
    ("None", None),
    ("0", 0),
    ("legacy", driver.CUstream(driver.CU_STREAM_LEGACY)),
    ("per thread", driver.CUstream(driver.CU_STREAM_PER_THREAD)),
    ("legacy by number", 1),
    ("made", made),
):
    call(driver.cuStreamGetPriority, stream, note=note, values=True)
    call(driver.cuStreamGetFlags, stream, note=note, values=True)
    call(driver.cuStreamGetId, stream, note=note)
    call(driver.cuStreamGetCtx, stream, note=note)
    call(driver.cuStreamGetDevice, stream, note=note)
    call(driver.cuStreamQuery, stream, note=note)
    call(driver.cuStreamSynchronize, stream, note=note)
    call(driver.cuStreamIsCapturing, stream, note=note)
    call(runtime.cudaStreamGetDevice, stream, note=note, values=True)
    call(runtime.cudaStreamQuery, stream, note=note)
show("of different numbers", driver.cuStreamGetId(made)[1] != driver.cuStreamGetId(0)[1])
show("legacy is 0", driver.cuStreamGetId(1)[1] == driver.cuStreamGetId(0)[1])
show("in its context", driver.cuStreamGetCtx(made)[1] == driver.cuCtxGetCurrent()[1])
policy = driver.CUstreamAttrID.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY
fields("policy", call(driver.cuStreamGetAttribute, made, policy), "syncPolicy")
call(driver.cuStreamCreate, 7, note="bad flags")
call(driver.cuStreamCreateWithPriority, 1, -100, note="beyond the highest")
call(driver.cuStreamCreateWithPriority, 9, 0, note="bad flags")

kinds, waits = driver.CUstreamBatchMemOpType, driver.CUstreamWaitValue_flags
pointer = driver.cuMemAlloc(64)[1]
driver.cuMemsetD8(pointer, 0, 64)
operations = []
for name, member, offset, value in (
    ("WRITE_VALUE_64", "writeValue", 0, (1 << 63) + 1),
    ("WAIT_VALUE_64", "waitValue", 0, 1 << 63),
    ("WRITE_VALUE_32", "writeValue", 8, 9),
    ("WAIT_VALUE_32", "waitValue", 8, 9),
):
    operation = driver.CUstreamBatchMemOpParams()
    part = getattr(operation, member)
    operation.operation = part.operation = getattr(kinds, f"CU_STREAM_MEM_OP_{name}")
    part.address = int(pointer) + offset
    setattr(part, "value64" if name.endswith("64") else "value", value)
    if member == "waitValue":
        part.flags = waits.CU_STREAM_WAIT_VALUE_GEQ
    operations.append(operation)
call(driver.cuStreamBatchMemOp, made, len(operations), operations, 0)
call(driver.cuStreamSynchronize, made)
words = numpy.zeros(3, dtype=numpy.uint32)
driver.cuMemcpyDtoH(words, pointer, 12)
show("written", words.tolist())
call(driver.cuStreamBatchMemOp, made, 0, [], 0, note="nothing")
call(driver.cuStreamBatchMemOp, made, 1, operations, 7, note="bad flags")
call(driver.cuStreamBatchMemOp, made, 1, [1], 0, note="int")
call(driver.cuStreamWriteValue32, made, pointer, 1 << 32, 0, note="too large")
call(driver.cuStreamWriteValue32, made, pointer, -1, 0, note="negative")
call(driver.cuStreamDestroy, made)
call(driver.cuStreamDestroy, None, note="null")
