"""Events through the driver."""

from _device import context
from _show import call, show
from cuda.bindings import driver

context()
flags = driver.CUevent_flags
stream = driver.cuStreamCreate(0)[1]
start = call(driver.cuEventCreate, flags.CU_EVENT_DEFAULT)
end = call(driver.cuEventCreate, flags.CU_EVENT_BLOCKING_SYNC)
call(driver.cuEventQuery, start, note="never recorded")
call(driver.cuEventSynchronize, start, note="never recorded")
call(driver.cuEventElapsedTime, start, end, note="never recorded")
call(driver.cuEventRecord, start, stream)
call(driver.cuEventRecordWithFlags, end, stream, 0)
call(driver.cuEventSynchronize, end)
call(driver.cuEventQuery, end)
show("not negative", call(driver.cuEventElapsedTime, start, end) >= 0)
quick = call(driver.cuEventCreate, flags.CU_EVENT_DISABLE_TIMING)
call(driver.cuEventRecord, quick, stream, note="without timing")
call(driver.cuStreamSynchronize, stream)
call(driver.cuEventElapsedTime, start, quick, note="without timing")
call(driver.cuEventRecord, quick, None, note="default stream")
call(driver.cuEventRecord, None, stream, note="null")
call(driver.cuEventCreate, 0xFFFF, note="bad flags")
call(driver.cuEventCreate, flags.CU_EVENT_INTERPROCESS, note="shared, with timing")
call(driver.cuEventRecordWithFlags, end, stream, 77, note="bad flags")
call(driver.cuEventQuery, None, note="null")
call(driver.cuEventSynchronize, 0, note="null")
call(driver.cuEventElapsedTime, None, None, note="null")
call(driver.cuEventDestroy, None, note="null")
call(driver.cuEventDestroy, quick)
call(driver.cuEventRecord, "event", stream, note="str")
