"""Work captured through the runtime."""

from _device import runtime_device
from _show import call, show
from cuda.bindings import runtime

runtime_device()
mode = runtime.cudaStreamCaptureMode
stream = runtime.cudaStreamCreateWithFlags(runtime.cudaStreamNonBlocking)[1]
pointer = runtime.cudaMalloc(64)[1]
call(runtime.cudaStreamGetCaptureInfo, stream, note="before")
call(runtime.cudaStreamBeginCapture, stream, mode.cudaStreamCaptureModeThreadLocal)
call(runtime.cudaMemsetAsync, pointer, 1, 64, stream)
call(runtime.cudaStreamGetCaptureInfo, stream)
call(runtime.cudaStreamIsCapturing, stream)
graph = call(runtime.cudaStreamEndCapture, stream)
call(runtime.cudaGraphGetNodes, graph, 8)
executable = call(runtime.cudaGraphInstantiate, graph, 0)
call(runtime.cudaGraphUpload, executable, stream)
call(runtime.cudaGraphLaunch, executable, stream)
call(runtime.cudaStreamSynchronize, stream)
call(runtime.cudaGraphExecDestroy, executable)
call(runtime.cudaGraphDestroy, graph)
call(runtime.cudaStreamEndCapture, stream, note="not begun")
call(runtime.cudaGetLastError)
call(runtime.cudaStreamBeginCapture, 0, mode.cudaStreamCaptureModeGlobal, note="default stream")
call(runtime.cudaThreadExchangeStreamCaptureMode, mode.cudaStreamCaptureModeRelaxed)
show("old", runtime.cudaThreadExchangeStreamCaptureMode(mode.cudaStreamCaptureModeGlobal)[1])
