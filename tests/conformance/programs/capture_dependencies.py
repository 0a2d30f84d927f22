"""Dependencies of a capture that a program sets or adds, with streams that forked and joined."""

from typing import Any

from _device import context
from _show import call, show
from cuda.bindings import driver

context()
mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
first, second = driver.cuStreamCreate(1)[1], driver.cuStreamCreate(1)[1]
fork, join = driver.cuEventCreate(2)[1], driver.cuEventCreate(2)[1]
pointer = driver.cuMemAlloc(64)[1]
ADD, SET = 0, 1


def begin(note: str) -> None:
    call(driver.cuStreamBeginCapture, first, mode, note=note)
    call(driver.cuMemsetD8Async, pointer, 1, 4, first, note=note)
    call(driver.cuEventRecord, fork, first, note=note)
    call(driver.cuStreamWaitEvent, second, fork, 0, note=note)
    call(driver.cuMemsetD8Async, int(pointer) + 8, 2, 4, second, note=note)


def shape(graph: Any, note: str) -> None:
    if graph is not None:
        show(f"nodes, {note}", driver.cuGraphGetNodes(graph)[1])
        show(f"edges, {note}", driver.cuGraphGetEdges(graph)[-1])


for how, name in ((SET, "set"), (ADD, "add")):
    begin(f"{name}, joined")
    call(driver.cuEventRecord, join, second, note=f"{name}, joined")
    call(driver.cuStreamWaitEvent, first, join, 0, note=f"{name}, joined")
    got = driver.cuStreamGetCaptureInfo(first)
    show(f"open ends, {name}", got[-1])
    nodes = list(got[4])
    call(driver.cuStreamUpdateCaptureDependencies, first, nodes[:1], None, 1, how, note=f"{name}, one of two")
    show(f"open ends after, {name}", driver.cuStreamGetCaptureInfo(first)[-1])
    call(driver.cuMemsetD8Async, int(pointer) + 16, 3, 4, first, note=f"{name}, joined")
    shape(call(driver.cuStreamEndCapture, first, note=f"{name}, one of two"), f"{name}, one of two")

    begin(f"{name}, nothing")
    call(driver.cuEventRecord, join, second, note=f"{name}, nothing")
    call(driver.cuStreamWaitEvent, first, join, 0, note=f"{name}, nothing")
    call(driver.cuStreamUpdateCaptureDependencies, first, [], None, 0, how, note=f"{name}, nothing")
    show(f"open ends after nothing, {name}", driver.cuStreamGetCaptureInfo(first)[-1])
    shape(call(driver.cuStreamEndCapture, first, note=f"{name}, nothing"), f"{name}, nothing")

    begin(f"{name}, not joined")
    call(driver.cuStreamUpdateCaptureDependencies, first, [], None, 0, how, note=f"{name}, not joined")
    shape(call(driver.cuStreamEndCapture, first, note=f"{name}, not joined"), f"{name}, not joined")
call(driver.cuStreamUpdateCaptureDependencies, first, [], None, 0, SET, note="no capture")
begin("the other stream")
call(driver.cuStreamUpdateCaptureDependencies, second, [], None, 0, SET, note="the other stream")
shape(call(driver.cuStreamEndCapture, first, note="the other stream is set to nothing"), "the other stream")
call(driver.cuStreamEndCapture, second, note="of another's capture")
