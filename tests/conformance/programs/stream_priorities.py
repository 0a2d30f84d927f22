"""Priorities of streams: the range, and numbers outside of it."""

from _device import context
from _show import call
from cuda.bindings import driver, runtime

context()
call(driver.cuCtxGetStreamPriorityRange, values=True)
call(runtime.cudaDeviceGetStreamPriorityRange, values=True)
for priority in (0, -1, -2, -3, -4, -5, -6, -100, 1, 2, 100):
    stream = call(driver.cuStreamCreateWithPriority, 1, priority, note=f"{priority}")
    call(driver.cuStreamGetPriority, stream, note=f"{priority}", values=True)
    call(driver.cuStreamDestroy, stream, note=f"{priority}")
    stream = call(runtime.cudaStreamCreateWithPriority, 0, priority, note=f"{priority}")
    call(runtime.cudaStreamGetPriority, stream, note=f"{priority}", values=True)
call(driver.cuStreamGetPriority, 0, note="the null stream", values=True)
call(driver.cuStreamGetPriority, driver.CUstream(2), note="the thread's own stream", values=True)
