"""Captures whose streams and events are destroyed before they end."""

from typing import Any

from _device import context
from _show import call, show
from cuda.bindings import driver

context()
mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
pointer = int(driver.cuMemAlloc(64)[1])


def forked(note: str) -> tuple[Any, Any, Any]:
    first, second = driver.cuStreamCreate(1)[1], driver.cuStreamCreate(1)[1]
    event = driver.cuEventCreate(2)[1]
    call(driver.cuStreamBeginCapture, first, mode, note=note)
    driver.cuMemsetD8Async(pointer, 1, 4, first)
    driver.cuEventRecord(event, first)
    call(driver.cuStreamWaitEvent, second, event, 0, note=note)
    call(driver.cuEventDestroy, event, note=note)
    call(driver.cuMemsetD8Async, pointer + 8, 2, 4, second, note=note)
    return first, second, driver.cuEventCreate(2)[1]


def ended(note: str, stream: Any) -> None:
    call(driver.cuStreamIsCapturing, stream, note=note)
    graph = call(driver.cuStreamEndCapture, stream, note=note)
    show(f"{note}: nodes", graph and driver.cuGraphGetNodes(graph)[2])


first, second, join = forked("joined")
driver.cuEventRecord(join, second)
call(driver.cuStreamWaitEvent, first, join, 0, note="joined")
call(driver.cuStreamDestroy, second, note="joined")
call(driver.cuMemsetD8Async, pointer + 16, 3, 4, first, note="joined")
ended("joined", first)
first, second, join = forked("not joined")
call(driver.cuStreamDestroy, second, note="not joined")
ended("not joined", first)
first, second, join = forked("the first one")
call(driver.cuStreamDestroy, first, note="the first one")
call(driver.cuStreamIsCapturing, second, note="the first one")
