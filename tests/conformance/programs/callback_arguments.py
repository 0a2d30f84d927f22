"""Arguments of host functions in streams, captures and graphs; exceptions in host functions."""

import ctypes
import sys
from typing import Any

from _device import context
from _show import call, show
from cuda.bindings import driver, runtime

context()
stream = driver.cuStreamCreate(1)[1]
seen: list[Any] = []
raised: list[Any] = []
sys.unraisablehook = lambda told: raised.append(f"{type(told.exc_value).__name__}: {told.exc_value}")


class Data:
    """A Python object whose address is passed."""

    number = 17


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def number(data: int) -> None:
    seen.append(data)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def text(data: int) -> None:
    seen.append(ctypes.string_at(data))


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def thing(data: int) -> None:
    seen.append(ctypes.cast(data, ctypes.py_object).value.number)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def failing(data: int) -> None:
    raise ValueError(f"no use for {data}")


def of(function: Any) -> Any:
    return driver.CUhostFn(_ptr=ctypes.addressof(function))


data, word = Data(), ctypes.c_int(1)
buffer = bytearray(b"bytes to be read\0")
call(driver.cuLaunchHostFunc, stream, of(number), 5)
call(driver.cuLaunchHostFunc, stream, of(number), None, note="None")
call(driver.cuLaunchHostFunc, stream, of(number), 0, note="0")
call(driver.cuLaunchHostFunc, stream, of(text), buffer, note="bytearray")
call(driver.cuLaunchHostFunc, stream, of(text), b"text", note="bytes")
call(driver.cuLaunchHostFunc, stream, of(thing), id(data), note="object")
call(driver.cuLaunchHostFunc, stream, of(number), driver.CUdeviceptr(9), note="CUdeviceptr")
call(driver.cuLaunchHostFunc, stream, runtime.cudaHostFn_t(_ptr=ctypes.addressof(number)), 6, note="runtime's class")
call(runtime.cudaLaunchHostFunc, stream, of(number), 7, note="driver's class")
call(driver.cuStreamSynchronize, stream)
show("seen", seen)
seen.clear()
call(driver.cuLaunchHostFunc, stream, of(failing), 3, note="failing")
call(driver.cuLaunchHostFunc, stream, of(number), 4, note="after a failing one")
call(driver.cuStreamSynchronize, stream)
show("raised", raised)
show("seen", seen)
seen.clear()
call(driver.cuLaunchHostFunc, stream, number, 0, note="the function itself")
call(driver.cuLaunchHostFunc, stream, of(number), [1], note="list")
call(driver.cuLaunchHostFunc, stream, of(number), -1, note="negative")
call(driver.cuLaunchHostFunc, "stream", of(number), 1, note="stream str")
call(driver.cuLaunchHostFunc, stream, driver.CUhostFn(), 1, note="empty handle")
call(runtime.cudaLaunchHostFunc, stream, None, 0, note="None")

call(driver.cuStreamBeginCapture, stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED)
call(driver.cuLaunchHostFunc, stream, of(number), 31, note="captured")
graph = call(driver.cuStreamEndCapture, stream)
show("before a launch", seen)
node = driver.cuGraphGetNodes(graph, 1)[1][0]
call(driver.cuGraphNodeGetType, node)
executable = call(driver.cuGraphInstantiate, graph, 0)
call(driver.cuGraphLaunch, executable, stream)
call(driver.cuStreamSynchronize, stream)
show("after one", seen)
