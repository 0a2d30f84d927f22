"""Capture into a graph that is there, dependencies changed by hand, modes of threads and capture errors."""

from _device import context
from _show import call, kind, show
from cuda.bindings import driver, runtime

context()
modes = driver.CUstreamCaptureMode
relaxed = modes.CU_STREAM_CAPTURE_MODE_RELAXED
flags = driver.CUstreamUpdateCaptureDependencies_flags
stream = driver.cuStreamCreate(1)[1]
pointer = driver.cuMemAlloc(64)[1]
graph = driver.cuGraphCreate(0)[1]
before = driver.cuGraphAddEmptyNode(graph, None, 0)[1]
call(driver.cuStreamBeginCaptureToGraph, stream, graph, [before], None, 1, relaxed)
status, number, into, nodes, edges, count = call(driver.cuStreamGetCaptureInfo, stream)
show("into the graph", [into == graph, nodes == [before], count])
call(driver.cuMemsetD8Async, pointer, 1, 4, stream)
made = driver.cuStreamGetCaptureInfo(stream)[4]
call(driver.cuGraphNodeGetDependencies, made[0], 1)
call(driver.cuGraphNodeGetType, made[0])
data = driver.CUgraphEdgeData()
call(driver.cuStreamUpdateCaptureDependencies, stream, [before], [data], 1, flags.CU_STREAM_ADD_CAPTURE_DEPENDENCIES)
show("added", {*map(int, driver.cuStreamGetCaptureInfo(stream)[4])} == {*map(int, [before, *made])})
call(driver.cuStreamUpdateCaptureDependencies, stream, [before], None, 1, flags.CU_STREAM_SET_CAPTURE_DEPENDENCIES)
show("set", driver.cuStreamGetCaptureInfo(stream)[4] == [before])
call(driver.cuStreamUpdateCaptureDependencies, stream, None, None, 0, 1, note="to none")
show("none", driver.cuStreamGetCaptureInfo(stream)[4:])
call(driver.cuStreamUpdateCaptureDependencies, stream, [before], None, 1, 7, note="bad flags")
stranger = driver.cuGraphAddEmptyNode(driver.cuGraphCreate(0)[1], None, 0)[1]
call(driver.cuStreamUpdateCaptureDependencies, stream, [stranger], None, 1, 0, note="of another graph")
call(driver.cuStreamUpdateCaptureDependencies, stream, [1], None, 1, 0, note="int")
call(driver.cuStreamBeginCapture, stream, relaxed, note="capturing already")
ended = call(driver.cuStreamEndCapture, stream)
show("the same graph", ended == graph)
call(driver.cuGraphGetNodes, graph, values=True)
call(driver.cuStreamUpdateCaptureDependencies, stream, [before], None, 1, 0, note="not capturing")
call(driver.cuStreamEndCapture, stream, note="not capturing")
call(driver.cuStreamBeginCaptureToGraph, stream, graph, [before], [data], 1, relaxed, note="with data")
call(driver.cuStreamEndCapture, stream, note="with data")
call(driver.cuStreamBeginCaptureToGraph, stream, None, None, None, 0, relaxed, note="null graph")
call(driver.cuStreamBeginCaptureToGraph, stream, graph, [stranger], None, 1, relaxed, note="of another graph")
call(driver.cuStreamIsCapturing, stream, note="refused")
call(driver.cuStreamBeginCaptureToGraph, 0, graph, None, None, 0, relaxed, note="default stream")
call(driver.cuStreamBeginCapture, stream, None, note="None")
call(driver.cuStreamBeginCapture, stream, "relaxed", note="str")
call(driver.cuStreamGetCaptureInfo, None, note="default stream")
call(driver.cuStreamIsCapturing, None, note="default stream")

call(driver.cuStreamBeginCapture, stream, modes.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, note="thread")
call(driver.cuStreamSynchronize, stream, note="while capturing")
kind("after a forbidden call", driver.cuStreamIsCapturing(stream)[1])
call(driver.cuStreamGetCaptureInfo, stream, note="invalidated")
call(driver.cuMemsetD8Async, pointer, 1, 4, stream, note="invalidated")
call(driver.cuStreamEndCapture, stream, note="invalidated")
call(driver.cuStreamIsCapturing, stream, note="ended")

first = runtime.cudaStreamCreateWithFlags(runtime.cudaStreamNonBlocking)[1]
graph = runtime.cudaGraphCreate(0)[1]
mode = runtime.cudaStreamCaptureMode.cudaStreamCaptureModeRelaxed
call(runtime.cudaStreamBeginCaptureToGraph, first, graph, None, None, 0, mode)
call(runtime.cudaMemsetAsync, int(pointer), 1, 4, first)
status, number, into, nodes, edges, count = call(runtime.cudaStreamGetCaptureInfo, first)
call(runtime.cudaStreamUpdateCaptureDependencies, first, nodes, edges, count, 1)
call(runtime.cudaStreamIsCapturing, first)
call(runtime.cudaStreamEndCapture, first)
call(runtime.cudaGraphGetNodes, graph, values=True)
call(driver.cuThreadExchangeStreamCaptureMode, relaxed)
call(driver.cuThreadExchangeStreamCaptureMode, modes.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
call(runtime.cudaThreadExchangeStreamCaptureMode, runtime.cudaStreamCaptureMode.cudaStreamCaptureModeGlobal)
call(driver.cuThreadExchangeStreamCaptureMode, None, note="None")
