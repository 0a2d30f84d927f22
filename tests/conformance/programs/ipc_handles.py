"""Handles for other processes: their types, and refused calls."""

from _device import context
from _show import call, kind, show
from cuda.bindings import driver, runtime

context()
pointer = driver.cuMemAlloc(1 << 21)[1]
handle = call(driver.cuIpcGetMemHandle, pointer)
kind("getPtr", handle.getPtr)
show("size", driver.sizeof(driver.CUipcMemHandle))
call(driver.cuIpcGetMemHandle, 0, note="null")
call(driver.cuIpcGetMemHandle, driver.cuMemAllocHost(64)[1], note="of host memory")
event = driver.cuEventCreate(driver.CUevent_flags.CU_EVENT_INTERPROCESS | driver.CUevent_flags.CU_EVENT_DISABLE_TIMING)[
    1
]
call(driver.cuIpcGetEventHandle, event)
call(driver.cuIpcGetEventHandle, driver.cuEventCreate(0)[1], note="of an event not shared")
call(
    driver.cuIpcOpenMemHandle,
    handle,
    driver.CUipcMem_flags.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS,
    note="in the same process",
)
call(driver.cuIpcOpenMemHandle, driver.CUipcMemHandle(), 1, note="empty")
call(driver.cuIpcOpenMemHandle, None, 1, note="None")
call(driver.cuIpcCloseMemHandle, 16, note="nonsense")
again = call(runtime.cudaIpcGetMemHandle, int(pointer))
show("size", runtime.sizeof(runtime.cudaIpcMemHandle_t))
call(runtime.cudaIpcGetEventHandle, event)
call(runtime.cudaIpcOpenMemHandle, again, runtime.cudaIpcMemLazyEnablePeerAccess, note="in the same process")
call(runtime.cudaIpcGetMemHandle, 16, note="nonsense")
call(runtime.cudaIpcCloseMemHandle, 16, note="nonsense")
