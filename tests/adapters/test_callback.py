"""Host functions in streams and graphs: addresses of C functions, which are called with the interpreter locked."""

import ctypes
import gc
import itertools
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest

from cuda_shim.adapters import callback, graph_ends
from tests.adapters.answers import failed, ok, raising
from tests.environments import Python
from tests.program_files import read_program

HostFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
StreamFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


@pytest.fixture
def stream(cuda):
    made = ok(cuda.driver.cuStreamCreate(0))
    yield made
    ok(cuda.driver.cuStreamDestroy(made))


def of_driver(cuda, function):
    return cuda.driver.CUhostFn(_ptr=ctypes.addressof(function))


def test_functions_are_called_in_order_with_their_argument(cuda, stream):
    calls = []
    function = HostFunction(lambda data: calls.append((data, threading.get_ident())))
    ok(cuda.driver.cuLaunchHostFunc(stream, of_driver(cuda, function), 5))
    ok(cuda.driver.cuLaunchHostFunc(stream, int(of_driver(cuda, function)), None))
    runtime = cuda.runtime.cudaHostFn_t(_ptr=ctypes.addressof(function))
    ok(cuda.runtime.cudaLaunchHostFunc(stream, runtime, 7))
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert [data for data, _ in calls] == [5, None, 7]
    assert threading.get_ident() not in {thread for _, thread in calls}


@pytest.mark.parametrize(("limit", "kept"), [(1, [False, True, True]), (0, [False] * 3)], ids=["kept", "at the limit"])
def test_a_thread_of_the_driver_keeps_its_state_for_its_next_call(cuda, stream, monkeypatch, limit, kept):
    monkeypatch.setattr(callback, "_MAX_KEPT_STATES", limit)
    monkeypatch.setattr(callback, "_kept_states", itertools.count())
    state, calls = threading.local(), []

    def call(_: Any) -> None:
        calls.append(hasattr(state, "called"))
        state.called = True

    function = HostFunction(call)
    for _ in kept:
        ok(cuda.driver.cuLaunchHostFunc(stream, of_driver(cuda, function), 0))
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert calls == kept


def test_threads_of_many_streams(cuda, monkeypatch):
    monkeypatch.setattr(callback, "_MAX_KEPT_STATES", 3)
    monkeypatch.setattr(callback, "_kept_states", itertools.count())
    calls: list[Any] = []
    function = HostFunction(calls.append)
    for number in range(1, 9):
        stream = ok(cuda.driver.cuStreamCreate(0))
        for _ in range(2):
            ok(cuda.driver.cuLaunchHostFunc(stream, of_driver(cuda, function), number))
        ok(cuda.driver.cuStreamSynchronize(stream))
        ok(cuda.driver.cuStreamDestroy(stream))
    assert calls == [number for number in range(1, 9) for _ in range(2)]


def test_functions_that_leave_the_interpreter_locked(cuda, stream):
    calls: list[Any] = []
    function = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(calls.append)
    ok(cuda.driver.cuLaunchHostFunc(stream, of_driver(cuda, function), 3))
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert calls == [3]


def test_an_argument_in_memory_is_kept_until_the_call(cuda, stream):
    calls, gate = [], threading.Event()
    waiting = HostFunction(lambda _: gate.wait())
    function = HostFunction(lambda data: calls.append(ctypes.cast(data, ctypes.POINTER(ctypes.c_int64))[1]))
    ok(cuda.driver.cuLaunchHostFunc(stream, of_driver(cuda, waiting), 0))
    words = np.array([1, 42])
    kept = weakref.ref(words)
    ok(cuda.driver.cuLaunchHostFunc(stream, of_driver(cuda, function), words))
    del words
    gc.collect()
    assert kept() is not None
    gate.set()
    ok(cuda.driver.cuStreamSynchronize(stream))
    gc.collect()
    assert (calls, kept()) == ([42], None)


def test_callbacks_are_given_stream_and_status(cuda, stream):
    calls = []
    function = StreamFunction(lambda *reported: calls.append(reported))
    ok(cuda.driver.cuStreamAddCallback(stream, cuda.driver.CUstreamCallback(_ptr=ctypes.addressof(function)), 9, 0))
    made = cuda.runtime.cudaStreamCallback_t(_ptr=ctypes.addressof(function))
    ok(cuda.runtime.cudaStreamAddCallback(stream, made, 8, 0))
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert calls == [(int(stream), 0, 9), (int(stream), 0, 8)]


def test_captured_functions_run_with_each_launch(cuda, stream):
    driver = cuda.driver
    calls: list[Any] = []
    function = HostFunction(calls.append)
    ok(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
    ok(driver.cuLaunchHostFunc(stream, of_driver(cuda, function), 6))
    graph = ok(driver.cuStreamEndCapture(stream))
    assert calls == []
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    for _ in range(3):
        ok(driver.cuGraphLaunch(executable, stream))
    ok(driver.cuStreamSynchronize(stream))
    assert calls == [6, 6, 6]
    ok(driver.cuGraphExecDestroy(executable))
    ok(driver.cuGraphDestroy(graph))


def captured(cuda, stream, function, argument=0):
    driver = cuda.driver
    ok(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
    ok(driver.cuLaunchHostFunc(stream, of_driver(cuda, function), argument))
    return ok(driver.cuStreamEndCapture(stream))


def test_a_captured_function_is_kept_while_a_graph_or_an_instance_can_call_it(cuda, stream):
    driver = cuda.driver
    calls: list[Any] = []
    function = HostFunction(calls.append)
    graph_ends.remove_ended()
    before = len(callback._pending_calls)
    graph = captured(cuda, stream, function, 4)
    parent = ok(driver.cuGraphCreate(0))
    ok(driver.cuGraphAddChildGraphNode(parent, None, 0, graph))
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    ok(driver.cuGraphDestroy(graph))
    graph_ends.remove_ended()
    assert len(callback._pending_calls) == before + 1
    ok(driver.cuGraphLaunch(executable, stream))
    ok(driver.cuStreamSynchronize(stream))
    ok(driver.cuGraphExecDestroy(executable))
    graph_ends.remove_ended()
    assert len(callback._pending_calls) == before + 1
    executable = ok(driver.cuGraphInstantiate(parent, 0))
    ok(driver.cuGraphDestroy(parent))
    ok(driver.cuGraphLaunch(executable, stream))
    ok(driver.cuStreamSynchronize(stream))
    ok(driver.cuGraphExecDestroy(executable))
    graph_ends.remove_ended()
    assert len(callback._pending_calls) == before
    assert calls == [4, 4]


@pytest.mark.parametrize("api", ["driver", "runtime"])
def test_the_node_of_a_captured_function_has_the_programs(cuda, stream, api):
    """So another graph may have it, which outlives the captured one."""
    driver = cuda.driver
    calls: list[Any] = []
    function = HostFunction(calls.append)
    graph, other = captured(cuda, stream, function, 4), ok(driver.cuGraphCreate(0))
    (node,), _ = ok(driver.cuGraphGetNodes(graph, 1))
    get = driver.cuGraphHostNodeGetParams if api == "driver" else cuda.runtime.cudaGraphHostNodeGetParams
    params = ok(get(node if api == "driver" else int(node)))
    assert (int(params.fn), params.userData) == (int(of_driver(cuda, function)), 4)
    if api == "driver":
        ok(driver.cuGraphAddHostNode(other, None, 0, params))
    else:
        ok(cuda.runtime.cudaGraphAddHostNode(int(other), None, 0, params))
    ok(driver.cuGraphDestroy(graph))
    graph_ends.remove_ended()
    executable = ok(driver.cuGraphInstantiate(other, 0))
    ok(driver.cuGraphLaunch(executable, stream))
    ok(driver.cuStreamSynchronize(stream))
    assert calls == [4]
    ok(driver.cuGraphExecDestroy(executable))
    ok(driver.cuGraphDestroy(other))


def test_captured_functions_go_with_their_graphs(cuda, stream):
    function, before = HostFunction(lambda _: None), len(callback._pending_calls)
    for _ in range(1000):
        ok(cuda.driver.cuGraphDestroy(captured(cuda, stream, function)))
    assert len(callback._pending_calls) < before + 100


def test_host_nodes_of_graphs(cuda, stream):
    driver = cuda.driver
    calls: list[Any] = []
    function = HostFunction(calls.append)
    graph, params = ok(driver.cuGraphCreate(0)), driver.CUDA_HOST_NODE_PARAMS()
    params.fn, params.userData = of_driver(cuda, function), 4
    node = ok(driver.cuGraphAddHostNode(graph, None, 0, params))
    reported = ok(driver.cuGraphHostNodeGetParams(node))
    assert (int(reported.fn), reported.userData) == (int(params.fn), 4)
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    ok(driver.cuGraphLaunch(executable, stream))
    ok(driver.cuStreamSynchronize(stream))
    assert calls == [4]
    ok(driver.cuGraphExecDestroy(executable))
    ok(driver.cuGraphDestroy(graph))


def test_user_objects_end_with_their_last_owner(cuda):
    driver, ended = cuda.driver, threading.Event()
    function = HostFunction(lambda data: ended.set() if data == 11 else None)
    flags = driver.CUuserObject_flags.CU_USER_OBJECT_NO_DESTRUCTOR_SYNC
    made = ok(driver.cuUserObjectCreate(11, of_driver(cuda, function), 1, flags))
    assert type(made) is driver.CUuserObject
    graph = ok(driver.cuGraphCreate(0))
    ok(driver.cuGraphRetainUserObject(graph, made, 1, driver.CUuserObjectRetain_flags.CU_GRAPH_USER_OBJECT_MOVE))
    assert not ended.is_set()
    ok(driver.cuGraphDestroy(graph))
    assert ended.wait(60)


def test_nothing_is_kept_of_what_has_run_or_was_refused(cuda, stream):
    driver, function = cuda.driver, HostFunction(lambda _: None)
    before = len(callback._pending_calls)
    ok(driver.cuLaunchHostFunc(stream, of_driver(cuda, function), 1))
    ok(driver.cuStreamSynchronize(stream))
    failed(driver.cuLaunchHostFunc(stream, 0, 1), "CUDA_ERROR_INVALID_VALUE")
    failed(driver.cuStreamAddCallback(stream, None, 1, 0), "CUDA_ERROR_INVALID_VALUE")
    failed(driver.cuStreamAddCallback(stream, int(of_driver(cuda, function)), 1, 3), "CUDA_ERROR_INVALID_VALUE")
    assert len(callback._pending_calls) == before


def test_exceptions_end_the_function_and_nothing_else(cuda, stream, monkeypatch):
    raised: list[Any] = []
    calls: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda reported: raised.append(str(reported.exc_value)))

    def fail(*data):
        raise ValueError(f"no use for {data[-1]}")

    failing, callback_failing = HostFunction(fail), StreamFunction(fail)
    locked, function = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(fail), HostFunction(calls.append)
    ok(cuda.driver.cuLaunchHostFunc(stream, of_driver(cuda, failing), 1))
    ok(cuda.driver.cuLaunchHostFunc(stream, of_driver(cuda, locked), 2))
    wrapped = cuda.driver.CUstreamCallback(_ptr=ctypes.addressof(callback_failing))
    ok(cuda.driver.cuStreamAddCallback(stream, wrapped, 3, 0))
    ok(cuda.driver.cuLaunchHostFunc(stream, of_driver(cuda, function), 4))
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert (raised, calls) == ([f"no use for {number}" for number in (1, 2, 3)], [4])


def test_a_function_may_ask_the_device(cuda, stream):
    reported = []
    function = HostFunction(lambda _: reported.append(cuda.driver.cuDeviceGetCount()))
    ok(cuda.driver.cuLaunchHostFunc(stream, of_driver(cuda, function), 0))
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert reported == [cuda.driver.cuDeviceGetCount()]


def test_what_is_no_address(cuda, stream):
    with raising(TypeError, "an integer is required"):
        cuda.driver.cuLaunchHostFunc(stream, print, 0)
    with raising(TypeError, "an integer is required"):
        cuda.driver.cuStreamAddCallback(stream, 8, 0, "flags")
    with raising(TypeError, "Provided argument is of type <class 'list'> but expected Type None, int or object "
                            "with Buffer Protocol"):  # fmt: skip
        cuda.driver.cuLaunchHostFunc(stream, 8, [])


WAITS = read_program(__file__, "callback_waits.py")


def test_a_wait_lets_the_function_run(shim_python: Python):
    said = shim_python.run("-m", "cuda_shim", "run", "--cuda", "12.x", "--backend", "cpu", "-c", WAITS)
    assert said.split() == [str(number) for number in range(1, 10)]
