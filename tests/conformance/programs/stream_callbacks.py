"""Callbacks and host functions, in each way that a program hands them over."""

import ctypes
from typing import Any

from _device import context
from _show import call, show
from cuda.bindings import driver, runtime

context()
stream = driver.cuStreamCreate(0)[1]
seen: list[Any] = []


@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
def callback(given_stream: int, status: int, data: int) -> None:
    seen.append(("callback", given_stream == int(stream), status, data))


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def function(data: int) -> None:
    seen.append(("function", data))


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def held(data: int) -> None:
    seen.append(("with the GIL", data))


address: Any = ctypes.cast(function, ctypes.c_void_p).value
call(driver.cuStreamAddCallback, stream, driver.CUstreamCallback(_ptr=ctypes.addressof(callback)), 5, 0)
call(driver.cuLaunchHostFunc, stream, driver.CUhostFn(_ptr=ctypes.addressof(function)), 6)
call(driver.cuLaunchHostFunc, stream, driver.CUhostFn(address), 7, note="by number in a handle")
call(driver.cuLaunchHostFunc, stream, driver.CUhostFn(_ptr=ctypes.addressof(held)), 8, note="with the GIL")
call(driver.cuStreamSynchronize, stream)
show("seen", seen)
seen.clear()
call(runtime.cudaStreamAddCallback, stream, runtime.cudaStreamCallback_t(_ptr=ctypes.addressof(callback)), 9, 0)
call(runtime.cudaLaunchHostFunc, stream, runtime.cudaHostFn_t(_ptr=ctypes.addressof(function)), 10)
call(runtime.cudaLaunchHostFunc, 0, runtime.cudaHostFn_t(_ptr=ctypes.addressof(function)), 11, note="default stream")
call(runtime.cudaDeviceSynchronize)
show("seen", sorted(seen, key=str))
call(
    driver.cuStreamAddCallback, stream, driver.CUstreamCallback(_ptr=ctypes.addressof(callback)), 5, 1, note="bad flags"
)
call(driver.cuLaunchHostFunc, stream, None, 0, note="None")
call(driver.cuLaunchHostFunc, stream, "function", 0, note="str")
call(driver.cuLaunchHostFunc, stream, driver.CUhostFn(_ptr=ctypes.addressof(function)), "data", note="data str")
