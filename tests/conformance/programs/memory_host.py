"""Page-locked host memory."""

import ctypes

from _device import context
from _show import call, show
from cuda.bindings import driver, runtime

context()
host = call(driver.cuMemAllocHost, 64)
ctypes.memset(host, 7, 64)
show("written", ctypes.string_at(host, 2))
call(driver.cuMemFreeHost, host)
call(driver.cuMemFreeHost, host, note="twice")
call(driver.cuMemAllocHost, 0, note="nothing")
mapped = call(driver.cuMemHostAlloc, 64, driver.CU_MEMHOSTALLOC_DEVICEMAP)
device = call(driver.cuMemHostGetDevicePointer, mapped, 0)
show("unified", int(device) == mapped)
call(driver.cuMemHostGetFlags, mapped, values=True)
call(driver.cuMemHostGetDevicePointer, mapped, 1, note="bad flags")
call(driver.cuMemFreeHost, mapped, note="mapped")
call(driver.cuMemHostGetDevicePointer, mapped, 0, note="freed")
call(driver.cuMemHostGetFlags, 16, note="nonsense")
call(driver.cuMemHostAlloc, 64, 0xFFFF, note="bad flags")
call(driver.cuMemFreeHost, 0, note="null")
host = call(runtime.cudaMallocHost, 64)
call(runtime.cudaHostGetFlags, host, values=True)
call(runtime.cudaHostGetDevicePointer, host, 0)
call(runtime.cudaFreeHost, host)
call(runtime.cudaFreeHost, host, note="twice")
call(runtime.cudaFreeHost, 0, note="null")
host = call(runtime.cudaHostAlloc, 64, runtime.cudaHostAllocPortable | runtime.cudaHostAllocMapped)
call(runtime.cudaHostGetFlags, host, note="portable and mapped", values=True)
call(runtime.cudaFreeHost, host, note="portable")
call(runtime.cudaHostAlloc, 64, 0xFFFF, note="bad flags")
call(runtime.cudaHostGetDevicePointer, 16, 0, note="nonsense")
call(runtime.cudaMallocHost, 0, note="nothing", values=True)
