"""Events through the runtime."""

from _device import runtime_device
from _show import call, show
from cuda.bindings import driver, runtime

runtime_device()
stream = runtime.cudaStreamCreate()[1]
start = call(runtime.cudaEventCreate)
end = call(runtime.cudaEventCreateWithFlags, runtime.cudaEventBlockingSync)
show("a driver event", isinstance(start, driver.CUevent))
call(runtime.cudaEventElapsedTime, start, end, note="never recorded")
call(runtime.cudaEventRecord, start, stream)
call(runtime.cudaEventRecordWithFlags, end, stream, 0)
call(runtime.cudaEventSynchronize, end)
call(runtime.cudaEventQuery, end)
show("not negative", call(runtime.cudaEventElapsedTime, start, end) >= 0)
call(runtime.cudaStreamWaitEvent, stream, end, 0)
call(runtime.cudaStreamWaitEvent, stream, end, runtime.cudaEventWaitDefault, note="flag")
quick = call(runtime.cudaEventCreateWithFlags, runtime.cudaEventDisableTiming)
call(runtime.cudaEventRecord, quick, 0, note="default stream")
call(runtime.cudaEventSynchronize, quick)
call(runtime.cudaEventElapsedTime, start, quick, note="without timing")
call(runtime.cudaEventCreateWithFlags, 0xFFFF, note="bad flags")
call(runtime.cudaEventRecord, None, stream, note="null")
call(runtime.cudaEventQuery, 0, note="null")
call(runtime.cudaEventDestroy, start)
call(runtime.cudaEventDestroy, None, note="null")
show("repr", repr(runtime.cudaEvent_t(5)))
