"""Entry points by name."""

import ctypes

from _device import context
from _show import call, show
from cuda.bindings import driver, runtime

context()
flag = driver.CUdriverProcAddress_flags.CU_GET_PROC_ADDRESS_DEFAULT
address, status = call(driver.cuGetProcAddress, b"cuDeviceGetCount", 12000, flag)
count = ctypes.c_int(-1)
show("callable", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(address)(ctypes.addressof(count)))
show("counted", count.value == driver.cuDeviceGetCount()[1])
for name in (b"cuMemAlloc", b"cuLaunchKernel", b"cuStreamSynchronize", b"cuGraphLaunch"):
    call(driver.cuGetProcAddress, name, 13000, flag, note=name.decode())
call(driver.cuGetProcAddress, b"cuNoSuchFunction", 12000, flag, note="no such")
call(driver.cuGetProcAddress, b"", 12000, flag, note="empty")
call(driver.cuGetProcAddress, b"cuInit", 99000, flag, note="version to come")
call(driver.cuGetProcAddress, b"cuGraphAddNode", 2000, flag, note="version too old")
call(driver.cuGetProcAddress, "cuInit", 12000, flag, note="str")
call(driver.cuGetProcAddress, b"cuInit", 12000, 0, note="int flag")
call(driver.cuGetProcAddress, b"cuInit", 12000, 77, note="bad flag")
call(runtime.cudaGetDriverEntryPoint, b"cuInit", 0)
call(runtime.cudaGetDriverEntryPoint, b"cuNoSuchFunction", 0, note="no such")
call(runtime.cudaGetDriverEntryPointByVersion, b"cuMemAlloc", 12000, 0)
call(runtime.cudaGetDriverEntryPointByVersion, b"cuNoSuchFunction", 12000, 0, note="no such")
