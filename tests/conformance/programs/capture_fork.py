"""Captures that fork into another stream, join, and change their dependencies."""

from _device import context
from _show import call, show
from cuda.bindings import driver

context()
mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
first = driver.cuStreamCreate(1)[1]
second = driver.cuStreamCreate(1)[1]
fork = driver.cuEventCreate(2)[1]
join = driver.cuEventCreate(2)[1]
pointer = driver.cuMemAlloc(64)[1]
call(driver.cuStreamBeginCapture, first, mode)
call(driver.cuMemsetD8Async, pointer, 1, 4, first)
call(driver.cuEventRecord, fork, first)
call(driver.cuStreamWaitEvent, second, fork, 0)
call(driver.cuStreamIsCapturing, second, note="drawn in")
call(driver.cuMemsetD8Async, int(pointer) + 8, 2, 4, second)
call(driver.cuMemsetD8Async, int(pointer) + 16, 3, 4, first)
call(driver.cuEventRecord, join, second)
call(driver.cuStreamWaitEvent, first, join, 0)
status, number, graph, nodes, edges, count = call(driver.cuStreamGetCaptureInfo, first)
show("open ends", count)
call(driver.cuGraphAddEmptyNode, graph, nodes, count, note="by hand")
call(driver.cuStreamUpdateCaptureDependencies, first, nodes, None, count, 1, note="set")
made = call(driver.cuStreamEndCapture, first)
show("nodes", driver.cuGraphGetNodes(made)[1])
show("edges", driver.cuGraphGetEdges(made)[-1])
call(driver.cuEventQuery, fork, note="captured event")
call(driver.cuStreamBeginCapture, first, mode, note="again")
call(driver.cuMemsetD8Async, pointer, 1, 4, first, note="again")
call(driver.cuEventRecord, fork, first, note="again")
call(driver.cuStreamWaitEvent, second, fork, 0, note="again")
call(driver.cuMemsetD8Async, int(pointer) + 8, 2, 4, second, note="not joined")
call(driver.cuStreamEndCapture, first, note="not joined")
target = call(driver.cuGraphCreate, 0)
call(driver.cuStreamBeginCaptureToGraph, first, target, None, None, 0, mode)
call(driver.cuMemsetD8Async, pointer, 1, 4, first, note="to a graph")
call(driver.cuStreamEndCapture, first, note="to a graph")
show("nodes of the graph", driver.cuGraphGetNodes(target)[1])
