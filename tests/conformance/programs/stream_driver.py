"""Streams through the driver."""

from _device import context
from _show import call, kind, show
from cuda.bindings import driver

context()
flags = driver.CUstream_flags
stream = call(driver.cuStreamCreate, flags.CU_STREAM_DEFAULT)
call(driver.cuStreamGetFlags, stream, values=True)
call(driver.cuStreamGetPriority, stream, values=True)
call(driver.cuStreamGetId, stream)
owner = call(driver.cuStreamGetCtx, stream)
show("of this context", owner == driver.cuCtxGetCurrent()[1])
call(driver.cuStreamGetDevice, stream)
call(driver.cuStreamQuery, stream)
call(driver.cuStreamSynchronize, stream)
call(driver.cuStreamIsCapturing, stream)
show("true", bool(stream))
show("equal", driver.CUstream(int(stream)) == stream)
show("hashes alike", hash(driver.CUstream(int(stream))) == hash(stream))
call(driver.cuStreamDestroy, stream)
free = call(driver.cuStreamCreate, flags.CU_STREAM_NON_BLOCKING)
call(driver.cuStreamGetFlags, free, note="non-blocking", values=True)
call(driver.cuStreamDestroy, free)
call(driver.cuStreamCreate, 77, note="bad flags")
call(driver.cuStreamCreate, "0", note="str")
for note, default in {
    "None": None,
    "0": 0,
    "handle": driver.CUstream(0),
    "legacy": driver.CU_STREAM_LEGACY,
    "per thread": driver.CU_STREAM_PER_THREAD,
}.items():
    call(driver.cuStreamQuery, default, note=note)
    call(driver.cuStreamSynchronize, default, note=note)
    call(driver.cuStreamGetFlags, default, note=note, values=True)
    call(driver.cuStreamGetPriority, default, note=note, values=True)
call(driver.cuStreamSynchronize, "stream", note="str")
call(driver.cuStreamSynchronize, [], note="list")
call(driver.cuStreamDestroy, None, note="null")
kind("native", lambda: driver.CUstream(5).__cuda_stream__())
