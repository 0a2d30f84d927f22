"""Queries that are allowed while a stream captures, and queries that break the capture."""

import threading

from _device import good, runtime_device
from _show import call
from cuda.bindings import driver, runtime

runtime_device()
MODES = runtime.cudaStreamCaptureMode
GLOBAL, LOCAL, RELAXED = (
    MODES.cudaStreamCaptureModeGlobal,
    MODES.cudaStreamCaptureModeThreadLocal,
    MODES.cudaStreamCaptureModeRelaxed,
)
blocking = good(runtime.cudaStreamCreate())
free = good(runtime.cudaStreamCreateWithFlags(runtime.cudaStreamNonBlocking))


def elsewhere(function, *arguments, note):
    """Call it in another thread."""
    thread = threading.Thread(target=lambda: call(function, *arguments, note=note))
    thread.start()
    thread.join()


def during(stream, mode, note, function, *arguments, run=call):
    """Begin a capture, make the call, and tell whether the capture still holds."""
    good((*runtime.cudaStreamBeginCapture(stream, mode), None))
    run(function, *arguments, note=note)
    call(runtime.cudaStreamEndCapture, stream, note=note)
    runtime.cudaGetLastError()


for mode, name in ((GLOBAL, "global"), (LOCAL, "local"), (RELAXED, "relaxed")):
    for stream, kind in ((blocking, "blocking"), (free, "not blocking")):
        case = f"{name}, {kind}"
        during(stream, mode, f"legacy, {case}", runtime.cudaStreamIsCapturing, 0)
        during(stream, mode, f"legacy, {case}", runtime.cudaStreamGetCaptureInfo, 0)
        during(stream, mode, f"legacy, {case}", driver.cuStreamIsCapturing, driver.CU_STREAM_LEGACY)
        during(stream, mode, case, runtime.cudaDeviceSynchronize)
        during(stream, mode, f"legacy, {case}", runtime.cudaStreamSynchronize, 0)
        during(stream, mode, f"legacy, {case}", runtime.cudaStreamQuery, 0)
        during(stream, mode, f"elsewhere, {case}", runtime.cudaDeviceSynchronize, run=elsewhere)
    during(free, mode, f"{name}, itself", runtime.cudaStreamIsCapturing, free)
    during(free, mode, name, driver.cuCtxSynchronize)
    during(
        free, mode, f"{name}, nothing", runtime.cudaMemcpyAsync, 0, 0, 0, runtime.cudaMemcpyKind.cudaMemcpyDefault, free
    )
