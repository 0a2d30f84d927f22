"""Work captured into a graph through the driver."""

import numpy
from _device import context
from _show import call, kind, show
from cuda.bindings import driver

context()
mode = driver.CUstreamCaptureMode
stream = driver.cuStreamCreate(1)[1]
pointer = driver.cuMemAlloc(64)[1]
target = numpy.zeros(4, dtype=numpy.uint8)
call(driver.cuStreamIsCapturing, stream, note="before")
call(driver.cuStreamGetCaptureInfo, stream, note="before")
call(driver.cuStreamBeginCapture, stream, mode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
call(driver.cuStreamIsCapturing, stream, note="during")
call(driver.cuMemsetD8Async, pointer, 1, 64, stream)
call(driver.cuMemsetD8Async, pointer, 2, 2, stream)
state = call(driver.cuStreamGetCaptureInfo, stream, note="during")
kind("state", state)
graph = call(driver.cuStreamEndCapture, stream)
nodes, count = call(driver.cuGraphGetNodes, graph, 8)
show("count", count)
executable = call(driver.cuGraphInstantiate, graph, 0)
call(driver.cuGraphLaunch, executable, stream)
call(driver.cuStreamSynchronize, stream)
driver.cuMemcpyDtoH(target, pointer, 4)
show("done", target.tolist())
call(driver.cuGraphExecDestroy, executable)
call(driver.cuGraphDestroy, graph)
call(driver.cuStreamBeginCapture, stream, mode.CU_STREAM_CAPTURE_MODE_RELAXED, note="of nothing")
empty = call(driver.cuStreamEndCapture, stream, note="of nothing")
call(driver.cuGraphGetNodes, empty, note="of nothing", values=True)
