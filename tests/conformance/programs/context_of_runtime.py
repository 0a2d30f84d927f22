"""The runtime begins the driver and makes a primary context current, in the threads that use it."""

import threading

from _show import call
from cuda.bindings import driver, runtime


def driver_calls(note):
    """Call functions of which some need a context."""
    call(driver.cuCtxGetCurrent, note=note)
    call(driver.cuMemAlloc, 16, note=note)
    call(driver.cuDeviceGetCount, note=note)


def without_runtime():
    """Use the driver alone, in a thread of its own."""
    driver_calls("other thread")
    call(runtime.cudaFree, 0, note="other thread")
    driver_calls("other thread after a call of the runtime")
    call(driver.cuCtxPopCurrent, note="other thread")
    driver_calls("other thread after its pop")
    call(runtime.cudaMalloc, 16, note="other thread after its pop")
    driver_calls("other thread after another call of the runtime")


call(driver.cuMemAlloc, 16, note="before all")
call(runtime.cudaRuntimeGetVersion)
call(runtime.cudaGetErrorName, runtime.cudaError_t.cudaSuccess)
driver_calls("after what only looks")
call(runtime.cudaGetDeviceCount)
driver_calls("after the count of devices")
call(runtime.cudaDeviceGetAttribute, runtime.cudaDeviceAttr.cudaDevAttrWarpSize, 0)
driver_calls("after an attribute")
call(runtime.cudaGetDevice)
driver_calls("after the current device")
call(runtime.cudaSetDevice, 0)
driver_calls("after a choice of device")
call(runtime.cudaMalloc, 16)
driver_calls("after an allocation")
thread = threading.Thread(target=without_runtime)
thread.start()
thread.join()
