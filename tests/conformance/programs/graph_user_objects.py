"""Objects of the program that graphs keep."""

import ctypes
from typing import Any

from _device import context
from _show import call, show
from cuda.bindings import driver, runtime

context()
gone: list[Any] = []


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def destroy(data: int) -> None:
    gone.append(data)


ended = driver.CUhostFn(_ptr=ctypes.addressof(destroy))
flag = driver.CUuserObject_flags.CU_USER_OBJECT_NO_DESTRUCTOR_SYNC
graph = driver.cuGraphCreate(0)[1]
kept = call(driver.cuUserObjectCreate, 51, ended, 1, flag)
call(driver.cuUserObjectRetain, kept, 1)
call(driver.cuUserObjectRelease, kept, 1)
call(driver.cuGraphRetainUserObject, graph, kept, 1, driver.CUuserObjectRetain_flags.CU_GRAPH_USER_OBJECT_MOVE)
show("kept", gone)
call(driver.cuGraphReleaseUserObject, graph, kept, 1)
call(driver.cuCtxSynchronize)
call(driver.cuUserObjectCreate, 52, ended, 0, flag, note="no reference")
call(driver.cuUserObjectCreate, 52, ended, 1, 0, note="bad flags")
call(driver.cuUserObjectRetain, None, 1, note="null")
call(driver.cuGraphRetainUserObject, graph, None, 1, 0, note="null")
call(runtime.cudaUserObjectCreate, 53, runtime.cudaHostFn_t(_ptr=ctypes.addressof(destroy)), 1, flag)
