"""Stream capture: recorded calls, and refused ones."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np
import pytest

from tests.hip_on_host.hip_program import check, name
from tests.hip_on_host.test_stream import append


@pytest.fixture
def stream(hip):
    made = check(hip.hipStreamCreate())
    yield made
    check(hip.hipStreamSynchronize(made))
    check(hip.hipStreamDestroy(made))


@pytest.fixture
def memory(hip):
    made = [int(check(hip.hipMalloc(64))) for _ in range(3)]
    for pointer in made:
        check(hip.hipMemset(pointer, 0, 64))
    check(hip.hipDeviceSynchronize())
    yield made
    for pointer in made:
        check(hip.hipFree(pointer))


def begin(hip, stream, mode="Global"):
    check(hip.hipStreamBeginCapture(stream, getattr(hip.hipStreamCaptureMode, f"hipStreamCaptureMode{mode}")))


def bytes_of(hip, pointer, count=64):
    out = np.zeros(count, np.uint8)
    check(hip.hipMemcpy(out, pointer, count, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
    return out


class Graph:
    """A captured graph, instantiated; through C, since the generations return handles differently."""

    def __init__(self, library, graph):
        self.library = library
        self.graph = ctypes.c_void_p(int(graph))
        self.exec = ctypes.c_void_p()
        assert library.hipGraphInstantiate(ctypes.byref(self.exec), self.graph, None, None, ctypes.c_size_t(0)) == 0

    def count(self):
        count = ctypes.c_size_t()
        assert self.library.hipGraphGetNodes(self.graph, None, ctypes.byref(count)) == 0
        return count.value

    def edges(self):
        count = ctypes.c_size_t()
        assert self.library.hipGraphGetEdges(self.graph, None, None, ctypes.byref(count)) == 0
        return count.value

    def launch(self, stream):
        handle = ctypes.c_void_p(int(stream))
        assert self.library.hipGraphLaunch(self.exec, handle) == 0
        assert self.library.hipStreamSynchronize(handle) == 0

    def destroy(self):
        assert self.library.hipGraphExecDestroy(self.exec) == 0
        assert self.library.hipGraphDestroy(self.graph) == 0


def test_captured_work_runs_at_the_launch_and_not_before(hip, library, stream, memory):
    first, second, _ = memory
    begin(hip, stream)
    check(hip.hipMemsetAsync(first, 5, 64, stream))
    check(hip.hipMemcpyAsync(second, first, 64, hip.hipMemcpyKind.hipMemcpyDeviceToDevice, stream))
    graph = Graph(library, check(hip.hipStreamEndCapture(stream)))
    assert not bytes_of(hip, second).any()
    assert (graph.count(), graph.edges()) == (2, 1)
    graph.launch(stream)
    assert (bytes_of(hip, second) == 5).all()
    check(hip.hipMemset(second, 0, 64))
    graph.launch(stream)
    assert (bytes_of(hip, second) == 5).all()
    graph.destroy()


def test_host_functions_are_captured(hip, library, stream):
    log: list[Any] = []
    begin(hip, stream)
    kept = append(hip, stream, log, "ran")
    graph = Graph(library, check(hip.hipStreamEndCapture(stream)))
    assert log == []
    graph.launch(stream)
    graph.launch(stream)
    assert log == ["ran", "ran"]
    graph.destroy()
    assert kept


def test_capture_across_streams(hip, library, stream, memory):
    first, second, third = memory
    kinds = hip.hipMemcpyKind
    other = check(hip.hipStreamCreate())
    fork, join = check(hip.hipEventCreate()), check(hip.hipEventCreate())
    begin(hip, stream)
    check(hip.hipMemsetAsync(first, 1, 64, stream))
    check(hip.hipEventRecord(fork, stream))
    check(hip.hipStreamWaitEvent(other, fork, 0))
    check(hip.hipMemcpyAsync(second, first, 32, kinds.hipMemcpyDeviceToDevice, other))
    check(hip.hipMemcpyAsync(third, first, 32, kinds.hipMemcpyDeviceToDevice, stream))
    check(hip.hipEventRecord(join, other))
    check(hip.hipStreamWaitEvent(stream, join, 0))
    check(hip.hipMemcpyAsync(third + 32, second, 32, kinds.hipMemcpyDeviceToDevice, stream))
    graph = Graph(library, check(hip.hipStreamEndCapture(stream)))
    assert (graph.count(), graph.edges()) == (4, 4)
    graph.launch(stream)
    assert (bytes_of(hip, third) == 1).all()
    graph.destroy()
    for event in (fork, join):
        check(hip.hipEventDestroy(event))
    check(hip.hipStreamDestroy(other))


def test_work_that_was_not_joined(hip, stream, memory):
    other, fork = check(hip.hipStreamCreate()), check(hip.hipEventCreate())
    begin(hip, stream)
    check(hip.hipEventRecord(fork, stream))
    check(hip.hipStreamWaitEvent(other, fork, 0))
    check(hip.hipMemsetAsync(memory[0], 1, 64, other))
    assert name(hip.hipStreamEndCapture(stream)) == "hipErrorStreamCaptureUnjoined"
    # Both streams are ordinary ones again.
    check(hip.hipMemsetAsync(memory[0], 9, 64, other))
    check(hip.hipStreamSynchronize(other))
    check(hip.hipStreamDestroy(other))
    check(hip.hipEventDestroy(fork))


def status(library, stream):
    value = ctypes.c_int(-1)
    assert library.hipStreamIsCapturing(ctypes.c_void_p(int(stream)), ctypes.byref(value)) == 0
    return value.value


NONE, ACTIVE, INVALIDATED = range(3)


def test_what_cannot_be_captured_invalidates(hip, library, stream, memory):
    begin(hip, stream)
    assert status(library, stream) == ACTIVE
    assert name(hip.hipStreamSynchronize(stream)) == "hipErrorStreamCaptureUnsupported"
    assert status(library, stream) == INVALIDATED
    assert name(hip.hipMemsetAsync(memory[0], 1, 64, stream)) == "hipErrorStreamCaptureInvalidated"
    assert name(hip.hipStreamEndCapture(stream)) == "hipErrorStreamCaptureInvalidated"
    assert status(library, stream) == NONE


@pytest.mark.parametrize("mode, allowed", [("Global", False), ("ThreadLocal", False), ("Relaxed", True)])
def test_unsafe_calls(hip, stream, mode, allowed):
    begin(hip, stream, mode)
    result = hip.hipMalloc(16)
    assert name(result) == ("hipSuccess" if allowed else "hipErrorStreamCaptureUnsupported")
    ended = hip.hipStreamEndCapture(stream)
    assert name(ended) == ("hipSuccess" if allowed else "hipErrorStreamCaptureInvalidated")
    if allowed:
        check(hip.hipFree(result[1]))
        check(hip.hipGraphDestroy(ended[1]))


def test_the_null_stream_during_a_capture(hip, stream, memory):
    begin(hip, stream)
    refused = hip.hipMemset(memory[0], 1, 64)
    assert name(refused) == "hipErrorStreamCaptureImplicit"
    assert name(hip.hipStreamEndCapture(stream)) == "hipErrorStreamCaptureInvalidated"
    assert name(hip.hipStreamBeginCapture(None, 0 if False else hip.hipStreamCaptureMode(0))) == (
        "hipErrorStreamCaptureUnsupported"
    )


@pytest.mark.parametrize("handle", [None, 1], ids=["null", "legacy"])
@pytest.mark.parametrize("question", ["hipStreamIsCapturing", "hipStreamGetCaptureInfo"])
def test_asking_the_null_stream_leaves_the_capture_as_it_is(hip, library, stream, question, handle):
    begin(hip, stream)
    answer, number = ctypes.c_int(-1), ctypes.c_ulonglong()
    more = [ctypes.byref(number)] if question == "hipStreamGetCaptureInfo" else []
    asked = getattr(library, question)(ctypes.c_void_p(handle), ctypes.byref(answer), *more)
    assert library.hipGetErrorName(asked) == b"hipErrorStreamCaptureImplicit"
    assert status(library, stream) == ACTIVE
    check(hip.hipGraphDestroy(check(hip.hipStreamEndCapture(stream))))


@pytest.mark.parametrize("mode", ["Global", "ThreadLocal", "Relaxed"])
@pytest.mark.parametrize("wait", ["hipDeviceSynchronize", "hipCtxSynchronize"])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_no_thread_waits_for_a_device_that_captures(hip, library, stream, mode, wait, elsewhere):
    begin(hip, stream, mode)
    said = []
    thread = threading.Thread(target=lambda: said.append(getattr(library, wait)()))
    (thread.start if elsewhere else thread.run)()
    if elsewhere:
        thread.join()
    assert library.hipGetErrorName(said[0]) == b"hipErrorStreamCaptureUnsupported"
    assert name(hip.hipStreamEndCapture(stream)) == "hipErrorStreamCaptureInvalidated"
    check(hip.hipDeviceSynchronize())


def test_beginning_and_ending_wrongly(hip, stream):
    assert name(hip.hipStreamEndCapture(stream)) == "hipErrorIllegalState"
    begin(hip, stream)
    mode = hip.hipStreamCaptureMode.hipStreamCaptureModeGlobal
    assert name(hip.hipStreamBeginCapture(stream, mode)) == "hipErrorIllegalState"
    graph = check(hip.hipStreamEndCapture(stream))
    check(hip.hipGraphDestroy(graph))


def test_an_event_of_outside_cannot_be_waited_for(hip, stream, memory):
    other, event = check(hip.hipStreamCreate()), check(hip.hipEventCreate())
    check(hip.hipEventRecord(event, other))
    begin(hip, stream)
    assert name(hip.hipStreamWaitEvent(stream, event, 0)) == "hipErrorStreamCaptureIsolation"
    assert name(hip.hipStreamEndCapture(stream)) == "hipErrorStreamCaptureInvalidated"
    check(hip.hipStreamDestroy(other))
    check(hip.hipEventDestroy(event))


@pytest.mark.parametrize("question", ["hipEventQuery", "hipEventSynchronize"])
def test_an_event_recorded_in_a_capture_cannot_be_asked(hip, stream, question):
    event = check(hip.hipEventCreate())
    begin(hip, stream)
    check(hip.hipEventRecord(event, stream))
    assert name(getattr(hip, question)(event)) == "hipErrorCapturedEvent"
    assert name(hip.hipStreamEndCapture(stream)) == "hipErrorStreamCaptureInvalidated"
    assert name(hip.hipEventQuery(event)) == "hipErrorInvalidValue"  # until it is recorded again
    check(hip.hipEventRecord(event, stream))
    check(hip.hipEventSynchronize(event))
    check(hip.hipEventQuery(event))
    check(hip.hipEventDestroy(event))


def test_stream_ordered_memory_in_a_capture(hip, library, stream, memory):
    begin(hip, stream)
    pointer = check(hip.hipMallocAsync(64, stream))
    check(hip.hipMemsetAsync(pointer, 3, 64, stream))
    check(hip.hipMemcpyAsync(memory[0], pointer, 64, hip.hipMemcpyKind.hipMemcpyDeviceToDevice, stream))
    check(hip.hipFreeAsync(pointer, stream))
    graph = Graph(library, check(hip.hipStreamEndCapture(stream)))
    assert graph.count() == 4
    for _ in range(3):
        check(hip.hipMemset(memory[0], 0, 64))
        graph.launch(stream)
        assert (bytes_of(hip, memory[0]) == 3).all()
    assert name(hip.hipFree(pointer)) == "hipErrorInvalidValue"
    graph.destroy()


def test_capture_into_a_graph_that_exists(hip, library, stream, memory):
    graph, node = ctypes.c_void_p(), ctypes.c_void_p()
    assert library.hipGraphCreate(ctypes.byref(graph), 0) == 0
    assert library.hipGraphAddEmptyNode(ctypes.byref(node), graph, None, ctypes.c_size_t(0)) == 0
    handle = ctypes.c_void_p(int(stream))
    one = ctypes.c_size_t(1)
    assert library.hipStreamBeginCaptureToGraph(handle, graph, ctypes.byref(node), None, one, 0) == 0
    check(hip.hipMemsetAsync(memory[0], 4, 64, stream))
    same = ctypes.c_void_p()
    assert library.hipStreamEndCapture(handle, ctypes.byref(same)) == 0
    assert same.value == graph.value
    built = Graph(library, graph.value)
    assert (built.count(), built.edges()) == (2, 1)
    built.launch(stream)
    assert (bytes_of(hip, memory[0]) == 4).all()
    built.destroy()


def test_capture_info(hip, library, stream, memory):
    state, number, graph = ctypes.c_int(), ctypes.c_ulonglong(), ctypes.c_void_p()
    nodes, count = ctypes.POINTER(ctypes.c_void_p)(), ctypes.c_size_t()
    outputs = [ctypes.byref(one) for one in (state, number, graph, nodes, count)]
    handle = ctypes.c_void_p(int(stream))
    assert library.hipStreamGetCaptureInfo_v2(handle, *outputs) == 0
    assert state.value == NONE
    begin(hip, stream)
    check(hip.hipMemsetAsync(memory[0], 4, 64, stream))
    assert library.hipStreamGetCaptureInfo_v2(handle, *outputs) == 0
    assert (state.value, count.value) == (ACTIVE, 1)
    assert number.value > 0
    kind = ctypes.c_int()
    assert library.hipGraphNodeGetType(ctypes.c_void_p(nodes[0]), ctypes.byref(kind)) == 0
    assert kind.value == int(hip.hipGraphNodeType.hipGraphNodeTypeMemset)
    assert library.hipGraphDestroy(ctypes.c_void_p(int(check(hip.hipStreamEndCapture(stream))))) == 0


def test_external_events_become_nodes(hip, library, stream):
    external = 1
    recorded, waited = check(hip.hipEventCreate()), check(hip.hipEventCreate())
    begin(hip, stream)
    handle = ctypes.c_void_p(int(stream))
    assert library.hipStreamWaitEvent(handle, ctypes.c_void_p(int(waited)), external) == 0
    assert library.hipEventRecordWithFlags(ctypes.c_void_p(int(recorded)), handle, external) == 0
    graph = Graph(library, check(hip.hipStreamEndCapture(stream)))
    assert (graph.count(), graph.edges()) == (2, 1)
    assert name(hip.hipEventElapsedTime(waited, recorded)) == "hipErrorInvalidHandle"
    check(hip.hipEventRecord(waited, stream))
    graph.launch(stream)
    assert check(hip.hipEventElapsedTime(waited, recorded)) >= 0
    graph.destroy()
    for event in (recorded, waited):
        check(hip.hipEventDestroy(event))
