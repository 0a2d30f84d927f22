"""Events that a capture recorded: asked, waited for and timed while it lasts, afterwards and when it was broken."""

from _device import context
from _show import call
from cuda.bindings import driver, runtime

context()
modes = driver.CUstreamCaptureMode
stream, other = driver.cuStreamCreate(1)[1], driver.cuStreamCreate(1)[1]
event, timed, ordinary = driver.cuEventCreate(0)[1], driver.cuEventCreate(0)[1], driver.cuEventCreate(0)[1]
pointer = driver.cuMemAlloc(64)[1]
external_record = 1  # CU_EVENT_RECORD_EXTERNAL, CU_EVENT_WAIT_EXTERNAL


def ask(note: str) -> None:
    call(driver.cuEventQuery, event, note=note)
    call(driver.cuEventSynchronize, event, note=note)
    call(driver.cuEventElapsedTime, ordinary, event, note=f"{note}, to it")
    call(driver.cuEventElapsedTime, event, ordinary, note=f"{note}, from it")
    call(driver.cuStreamWaitEvent, other, event, 0, note=f"{note}, another stream")
    call(driver.cuStreamIsCapturing, stream, note=note)
    call(driver.cuStreamIsCapturing, other, note=f"{note}, another stream")


driver.cuEventRecord(ordinary, stream)
driver.cuStreamSynchronize(stream)
for name in ("RELAXED", "THREAD_LOCAL", "GLOBAL"):
    mode = getattr(modes, f"CU_STREAM_CAPTURE_MODE_{name}")
    call(driver.cuStreamBeginCapture, stream, mode, note=name)
    call(driver.cuMemsetD8Async, pointer, 1, 4, stream, note=name)
    call(driver.cuEventRecord, event, stream, note=name)
    call(driver.cuEventQuery, event, note=f"{name}, during")
    call(driver.cuStreamIsCapturing, stream, note=f"{name}, after a query")
    call(driver.cuStreamEndCapture, stream, note=f"{name}, after a query")
    call(driver.cuEventQuery, event, note=f"{name}, when it is broken")

    call(driver.cuStreamBeginCapture, stream, mode, note=f"{name} again")
    call(driver.cuEventRecord, event, stream, note=f"{name} again")
    call(driver.cuEventSynchronize, event, note=f"{name}, during")
    call(driver.cuStreamIsCapturing, stream, note=f"{name}, after a wait")
    call(driver.cuStreamEndCapture, stream, note=f"{name}, after a wait")

    call(driver.cuStreamBeginCapture, stream, mode, note=f"{name} a third time")
    call(driver.cuEventRecord, event, stream, note=f"{name} a third time")
    call(driver.cuEventElapsedTime, ordinary, event, note=f"{name}, during")
    call(driver.cuStreamIsCapturing, stream, note=f"{name}, after a time")
    call(driver.cuStreamEndCapture, stream, note=f"{name}, after a time")

    call(driver.cuStreamBeginCapture, stream, mode, note=f"{name} a fourth time")
    call(driver.cuEventRecord, event, stream, note=f"{name} a fourth time")
    call(driver.cuStreamEndCapture, stream, note=f"{name}, whole")
    ask(f"{name}, afterwards")
    call(driver.cuEventRecord, event, stream, note=f"{name}, in the open")
    call(driver.cuEventSynchronize, event, note=f"{name}, in the open")
    call(driver.cuEventQuery, event, note=f"{name}, in the open")

    call(driver.cuStreamBeginCapture, stream, mode, note=f"{name} beside others")
    call(driver.cuEventQuery, ordinary, note=f"{name}, an event of before")
    call(driver.cuStreamIsCapturing, stream, note=f"{name}, an event of before")
    call(driver.cuStreamEndCapture, stream, note=f"{name}, an event of before")
    for function, arguments in (
        (driver.cuEventSynchronize, (ordinary,)),
        (driver.cuStreamQuery, (other,)),
        (driver.cuStreamSynchronize, (other,)),
        (driver.cuCtxSynchronize, ()),
        (runtime.cudaDeviceSynchronize, ()),
        (runtime.cudaFree, (0,)),
        (driver.cuMemFree, (0,)),
        (driver.cuEventElapsedTime, (ordinary, ordinary)),
        (driver.cuEventRecord, (timed, other)),
        (driver.cuEventCreate, (0,)),
        (driver.cuStreamCreate, (1,)),
        (driver.cuMemGetInfo, ()),
        (driver.cuMemsetD8Async, (pointer, 1, 4, other)),
        (driver.cuMemsetD8Async, (pointer, 1, 4, 0)),
        (driver.cuMemsetD8, (pointer, 1, 4)),
        (driver.cuEventRecord, (timed, 0)),
        (driver.cuStreamWaitEvent, (stream, ordinary, 0)),
    ):
        call(driver.cuStreamBeginCapture, stream, mode, note=f"{name}, before {function.__name__}")
        call(function, *arguments, note=f"{name}, {len(arguments)} arguments")
        call(driver.cuStreamIsCapturing, stream, note=f"{name}, after {function.__name__}")
        call(driver.cuStreamEndCapture, stream, note=f"{name}, after {function.__name__}")

relaxed = modes.CU_STREAM_CAPTURE_MODE_RELAXED
call(driver.cuEventRecordWithFlags, event, stream, external_record, note="external, in the open")
call(driver.cuStreamWaitEvent, stream, event, external_record, note="external, in the open")
call(driver.cuEventRecordWithFlags, event, stream, 7, note="no such flag")
call(driver.cuStreamWaitEvent, stream, event, 7, note="no such flag")
call(driver.cuStreamBeginCapture, stream, relaxed, note="external")
call(driver.cuEventRecordWithFlags, event, stream, external_record, note="external")
call(driver.cuStreamWaitEvent, stream, ordinary, external_record, note="external")
call(driver.cuEventQuery, event, note="external, during")
call(driver.cuStreamEndCapture, stream, note="external")
call(driver.cuEventQuery, event, note="external, afterwards")

call(driver.cuStreamBeginCapture, stream, relaxed, note="to be broken")
call(driver.cuEventRecord, event, stream, note="to be broken")
call(driver.cuStreamSynchronize, stream, note="breaks it")
call(driver.cuEventQuery, event, note="of a broken one")
call(driver.cuStreamWaitEvent, other, event, 0, note="of a broken one")
call(driver.cuStreamIsCapturing, other, note="of a broken one")
call(driver.cuStreamEndCapture, stream, note="broken")
call(driver.cuEventQuery, event, note="of one that was broken")
call(driver.cuStreamWaitEvent, other, event, 0, note="of one that was broken")
call(driver.cuEventElapsedTime, ordinary, event, note="of one that was broken")
