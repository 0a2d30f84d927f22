"""Calls that capture refuses, and calls that break it."""

from _device import context
from _show import call, show
from cuda.bindings import driver

context()
mode = driver.CUstreamCaptureMode
stream = driver.cuStreamCreate(1)[1]
call(driver.cuStreamEndCapture, stream, note="not begun")
call(driver.cuStreamBeginCapture, 0, mode.CU_STREAM_CAPTURE_MODE_GLOBAL, note="default stream")
call(driver.cuStreamBeginCapture, stream, 77, note="no such mode")
call(driver.cuStreamBeginCapture, stream, mode.CU_STREAM_CAPTURE_MODE_GLOBAL)
call(driver.cuStreamBeginCapture, stream, mode.CU_STREAM_CAPTURE_MODE_GLOBAL, note="twice")
call(driver.cuStreamSynchronize, stream, note="during")
call(driver.cuStreamIsCapturing, stream, note="broken")
call(driver.cuStreamGetCaptureInfo, stream, note="broken")
call(driver.cuStreamEndCapture, stream, note="broken")
call(driver.cuStreamIsCapturing, stream, note="after")
call(driver.cuStreamBeginCapture, stream, mode.CU_STREAM_CAPTURE_MODE_GLOBAL, note="again")
call(driver.cuStreamQuery, stream, note="during")
call(driver.cuStreamEndCapture, stream, note="after a query")
call(driver.cuStreamBeginCapture, stream, mode.CU_STREAM_CAPTURE_MODE_GLOBAL, note="third")
call(driver.cuMemAlloc, 64, note="during a global capture")
call(driver.cuStreamEndCapture, stream, note="after an allocation")
call(driver.cuStreamBeginCapture, stream, mode.CU_STREAM_CAPTURE_MODE_RELAXED, note="relaxed")
call(driver.cuMemAlloc, 64, note="during a relaxed capture")
call(driver.cuStreamDestroy, stream, note="during a capture")
old = call(driver.cuThreadExchangeStreamCaptureMode, mode.CU_STREAM_CAPTURE_MODE_RELAXED)
show("old", old)
call(driver.cuThreadExchangeStreamCaptureMode, mode.CU_STREAM_CAPTURE_MODE_GLOBAL, note="back")
call(driver.cuThreadExchangeStreamCaptureMode, 77, note="no such")
