"""Events: order between streams, queries, times."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from tests.hip_on_host.hip_program import check, name, wait
from tests.hip_on_host.test_stream import Gate, append


@pytest.fixture
def streams(hip, library):
    made = [check(hip.hipStreamCreateWithFlags(hip.hipStreamNonBlocking)) for _ in range(2)]
    yield made
    for stream in made:
        wait(library, stream)
        check(hip.hipStreamDestroy(stream))


@pytest.fixture
def event(hip):
    made = check(hip.hipEventCreate())
    yield made
    check(hip.hipEventDestroy(made))


def test_an_event_that_was_never_recorded_is_done(hip, event):
    check(hip.hipEventQuery(event))
    check(hip.hipEventSynchronize(event))


def test_an_event_is_done_when_the_work_before_it_is(hip, library, streams, event):
    gate = Gate(hip, streams[0])
    check(hip.hipEventRecord(event, streams[0]))
    assert name(hip.hipEventQuery(event)) == "hipErrorNotReady"
    gate.open()
    assert library.hipEventSynchronize(ctypes.c_void_p(int(event))) == 0
    assert name(hip.hipEventQuery(event)) == "hipSuccess"


def test_a_stream_waits_for_an_event_of_another(hip, library, streams, event):
    first, second = streams
    gate = Gate(hip, first)
    log: list[Any] = []
    kept = [append(hip, first, log, "first")]
    check(hip.hipEventRecord(event, first))
    check(hip.hipStreamWaitEvent(second, event, 0))
    kept.append(append(hip, second, log, "second"))
    assert name(hip.hipStreamQuery(second)) == "hipErrorNotReady"
    gate.open()
    wait(library, second)
    assert log == ["first", "second"]
    assert kept


def test_a_wait_is_for_the_record_that_was_latest(hip, library, streams, event):
    """Recording an event again does not move waits that were asked for before."""
    first, second = streams
    check(hip.hipEventRecord(event, first))
    wait(library, first)
    check(hip.hipStreamWaitEvent(second, event, 0))
    gate = Gate(hip, first)
    check(hip.hipEventRecord(event, first))
    wait(library, second)
    gate.open()


def test_waiting_for_an_event_that_was_never_recorded(hip, library, streams, event):
    check(hip.hipStreamWaitEvent(streams[1], event, 0))
    wait(library, streams[1])


def test_times_are_in_order_and_cover_the_work(hip, library, streams):
    start, middle, stop = (check(hip.hipEventCreate()) for _ in range(3))
    pointer = check(hip.hipMalloc(64 << 20))
    check(hip.hipEventRecord(start, streams[0]))
    check(hip.hipMemsetAsync(pointer, 1, 64 << 20, streams[0]))
    check(hip.hipEventRecord(middle, streams[0]))
    check(hip.hipEventRecord(stop, streams[0]))
    wait(library, streams[0])
    work = check(hip.hipEventElapsedTime(start, middle))
    whole = check(hip.hipEventElapsedTime(start, stop))
    assert 0 < work <= whole
    assert check(hip.hipEventElapsedTime(stop, start)) == -whole
    for event in (start, middle, stop):
        check(hip.hipEventDestroy(event))
    check(hip.hipFree(pointer))


def test_times_that_cannot_be_had(hip, library, streams, event):
    untimed = check(hip.hipEventCreateWithFlags(hip.hipEventDisableTiming))
    other = check(hip.hipEventCreate())
    assert name(hip.hipEventElapsedTime(event, other)) == "hipErrorInvalidHandle"
    check(hip.hipEventRecord(event, streams[0]))
    check(hip.hipEventRecord(untimed, streams[0]))
    assert name(hip.hipEventElapsedTime(event, untimed)) == "hipErrorInvalidHandle"
    gate = Gate(hip, streams[0])
    check(hip.hipEventRecord(other, streams[0]))
    assert name(hip.hipEventElapsedTime(event, other)) == "hipErrorNotReady"
    gate.open()
    wait(library, streams[0])
    check(hip.hipEventDestroy(untimed))
    check(hip.hipEventDestroy(other))


def test_flags(hip):
    for good in (hip.hipEventDefault, hip.hipEventBlockingSync, hip.hipEventDisableTiming):
        check(hip.hipEventDestroy(check(hip.hipEventCreateWithFlags(good))))
    assert name(hip.hipEventCreateWithFlags(0x100)) == "hipErrorInvalidValue"
    assert name(hip.hipEventCreateWithFlags(hip.hipEventInterprocess)) == "hipErrorInvalidValue"


def test_handles_that_are_none(hip, library):
    made = int(check(hip.hipEventCreate()))
    assert library.hipEventDestroy(ctypes.c_void_p(made)) == 0
    for handle in (made, 0x1000, 0):
        event = ctypes.c_void_p(handle)
        assert library.hipEventDestroy(event) == 400
        assert library.hipEventRecord(event, None) == 400
        assert library.hipEventQuery(event) == 400
        assert library.hipEventSynchronize(event) == 400
        assert library.hipStreamWaitEvent(None, event, 0) == 400


def test_an_event_destroyed_while_it_is_pending(hip, library, streams):
    made = check(hip.hipEventCreate())
    gate = Gate(hip, streams[0])
    check(hip.hipEventRecord(made, streams[0]))
    check(hip.hipStreamWaitEvent(streams[1], made, 0))
    check(hip.hipEventDestroy(made))
    gate.open()
    wait(library, streams[1])


def test_an_event_belongs_to_a_device(run_hip):
    out = run_hip(
        """
event = check(hip.hipEventCreate())
check(hip.hipSetDevice(1))
print(name(hip.hipEventRecord(event, None)))
check(hip.hipSetDevice(0))
print(name(hip.hipEventRecord(event, None)))
""",
        CUDA_SHIM_CPU_DEVICES="2",
    )
    assert out.split() == ["hipErrorInvalidHandle", "hipSuccess"]


def test_an_event_without_a_fence_of_the_system(library):
    made = ctypes.c_void_p()
    assert library.hipEventCreateWithFlags(ctypes.byref(made), 0x20000000) == 0  # hipEventDisableSystemFence
    assert library.hipEventRecord(made, None) == 0
    assert library.hipEventSynchronize(made) == 0
    assert library.hipEventDestroy(made) == 0
    assert library.hipEventCreateWithFlags(ctypes.byref(made), 0x10000000) == 1
