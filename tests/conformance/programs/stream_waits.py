"""Streams that wait for events, and queries while work is going on."""

import ctypes
import threading
from typing import Any

from _device import context
from _show import call, show
from cuda.bindings import driver

context()
first = driver.cuStreamCreate(1)[1]
second = driver.cuStreamCreate(1)[1]
event = driver.cuEventCreate(0)[1]
gate = threading.Event()
order: list[str] = []


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def hold(_: Any) -> None:
    gate.wait(20)
    order.append("first")


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def after(_: Any) -> None:
    order.append("second")


held = driver.CUhostFn(_ptr=ctypes.addressof(hold))
then = driver.CUhostFn(_ptr=ctypes.addressof(after))
call(driver.cuLaunchHostFunc, first, held, 0)
call(driver.cuStreamQuery, first, note="busy")
call(driver.cuEventRecord, event, first)
call(driver.cuEventQuery, event, note="busy")
call(driver.cuStreamWaitEvent, second, event, 0)
call(driver.cuLaunchHostFunc, second, then, 0, note="behind")
call(driver.cuStreamQuery, second, note="behind")
gate.set()
call(driver.cuStreamSynchronize, second)
show("order", order)
call(driver.cuStreamQuery, first, note="done")
call(driver.cuEventQuery, event, note="done")
call(driver.cuStreamWaitEvent, second, None, 0, note="null event")
call(driver.cuStreamWaitEvent, second, event, 77, note="bad flags")
call(driver.cuStreamWaitEvent, second, driver.cuEventCreate(0)[1], 0, note="never recorded")
call(driver.cuStreamSynchronize, second, note="again")
