"""Streams: order, the null stream's rules, host functions, priorities, handles that are none."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np
import pytest

from tests.hip_on_host.hip_program import check, name, wait

HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
NOT_SUPPORTED = 801


@pytest.fixture
def stream(hip, library):
    made = check(hip.hipStreamCreate())
    yield made
    wait(library, made)
    check(hip.hipStreamDestroy(made))


class Gate:
    """A host function that holds a stream until it is opened."""

    def __init__(self, hip, stream):
        self.event = threading.Event()
        self.reached = threading.Event()
        self.function = HOST_FUNCTION(self.hold)
        check(hip.hipLaunchHostFunc(stream, ctypes.cast(self.function, ctypes.c_void_p), None))

    def hold(self, _):
        self.reached.set()
        assert self.event.wait(60)

    def open(self):
        self.event.set()


def append(hip, stream, log, value):
    function = HOST_FUNCTION(lambda _: log.append(value))
    check(hip.hipLaunchHostFunc(stream, ctypes.cast(function, ctypes.c_void_p), None))
    return function


def test_host_functions_run_in_order(hip, library, stream):
    log: list[Any] = []
    kept = [append(hip, stream, log, i) for i in range(50)]
    wait(library, stream)
    assert log == list(range(50))
    assert len(kept) == 50


def test_work_is_asynchronous(hip, library, stream):
    gate = Gate(hip, stream)
    assert gate.reached.wait(60)
    assert name(hip.hipStreamQuery(stream)) == "hipErrorNotReady"
    gate.open()
    wait(library, stream)
    assert name(hip.hipStreamQuery(stream)) == "hipSuccess"


def test_streams_do_not_wait_for_each_other(hip, library, stream):
    other = check(hip.hipStreamCreate())
    gate = Gate(hip, stream)
    log: list[Any] = []
    kept = append(hip, other, log, "free")
    wait(library, other)
    assert log == ["free"]
    gate.open()
    wait(library, stream)
    check(hip.hipStreamDestroy(other))
    assert kept


@pytest.mark.parametrize("blocking", [True, False])
def test_the_null_stream_waits_for_blocking_streams(hip, library, blocking):
    flags = hip.hipStreamDefault if blocking else hip.hipStreamNonBlocking
    other = check(hip.hipStreamCreateWithFlags(flags))
    gate = Gate(hip, other)
    assert gate.reached.wait(60)
    log: list[Any] = []
    kept = append(hip, None, log, "null")
    if blocking:
        assert name(hip.hipStreamQuery(None)) == "hipErrorNotReady"
        assert log == []
        gate.open()
    wait(library, None)
    assert log == ["null"]
    gate.open()
    wait(library, other)
    check(hip.hipStreamDestroy(other))
    assert kept


def test_blocking_streams_wait_for_the_null_stream(hip, library, stream):
    gate = Gate(hip, None)
    free = check(hip.hipStreamCreateWithFlags(hip.hipStreamNonBlocking))
    log: list[Any] = []
    kept = [append(hip, stream, log, "blocking"), append(hip, free, log, "free")]
    wait(library, free)
    assert log == ["free"]
    gate.open()
    wait(library, stream)
    assert log == ["free", "blocking"]
    check(hip.hipStreamDestroy(free))
    assert kept


def test_the_per_thread_stream_is_a_stream_of_the_thread(hip, library):
    per_thread = 2
    ids = []

    def work():
        value = ctypes.c_ulonglong()
        assert library.hipStreamGetId(ctypes.c_void_p(per_thread), ctypes.byref(value)) == 0
        ids.append(value.value)

    if not hasattr(hip, "hipStreamGetId"):
        pytest.skip("this hip-python has no hipStreamGetId")
    work()
    work()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ids[0] == ids[1] != ids[2]


def test_callbacks_get_the_stream_the_status_and_the_data(hip, library, stream):
    seen = []
    function = CALLBACK(lambda handle, status, data: seen.append((handle, status, data)))
    check(hip.hipStreamAddCallback(stream, ctypes.cast(function, ctypes.c_void_p), 0x1234, 0))
    wait(library, stream)
    assert seen == [(int(stream), 0, 0x1234)]
    refused = hip.hipStreamAddCallback(stream, ctypes.cast(function, ctypes.c_void_p), None, 1)
    assert name(refused) == "hipErrorInvalidValue"


def test_flags_and_priorities(hip):
    least, greatest = check(hip.hipDeviceGetStreamPriorityRange())
    assert greatest < least
    made = check(hip.hipStreamCreateWithPriority(hip.hipStreamNonBlocking, greatest - 10))
    assert check(hip.hipStreamGetPriority(made)) == greatest
    assert check(hip.hipStreamGetFlags(made)) == hip.hipStreamNonBlocking
    assert check(hip.hipStreamGetDevice(made)) == 0
    check(hip.hipStreamDestroy(made))
    assert name(hip.hipStreamCreateWithFlags(64)) == "hipErrorInvalidValue"


def test_handles_that_are_none(hip, library):
    made = check(hip.hipStreamCreate())
    address = int(made)
    check(hip.hipStreamDestroy(made))
    for handle in (address, 0x1000):
        for function in ("hipStreamSynchronize", "hipStreamQuery", "hipStreamDestroy"):
            assert getattr(library, function)(ctypes.c_void_p(handle)) == 400, function
    assert library.hipStreamDestroy(None) == 400
    assert library.hipStreamDestroy(ctypes.c_void_p(2)) == 400


def test_a_destroyed_stream_finishes_its_work(hip, library):
    made = check(hip.hipStreamCreate())
    gate = Gate(hip, made)
    log: list[Any] = []
    kept = append(hip, made, log, "done")
    check(hip.hipStreamDestroy(made))
    gate.open()
    assert library.hipDeviceSynchronize() == 0
    assert log == ["done"]
    assert kept


def test_device_synchronize_waits_for_every_stream(hip, library):
    streams = [check(hip.hipStreamCreateWithFlags(hip.hipStreamNonBlocking)) for _ in range(8)]
    log: list[Any] = []
    kept = [append(hip, one, log, i) for i, one in enumerate(streams) for _ in range(10)]
    assert library.hipDeviceSynchronize() == 0
    assert len(log) == 80
    for one in streams:
        check(hip.hipStreamDestroy(one))
    assert kept


def test_copies_wait_for_the_host_function_before_them(hip, library, stream):
    source = int(check(hip.hipHostMalloc(4, 0)))
    value = ctypes.c_int.from_address(source)
    target = check(hip.hipMalloc(4))
    value.value = 1
    gate = Gate(hip, stream)
    check(hip.hipMemcpyAsync(target, source, 4, hip.hipMemcpyKind.hipMemcpyHostToDevice, stream))
    value.value = 2
    gate.open()
    wait(library, stream)
    back = np.zeros(1, np.int32)
    check(hip.hipMemcpy(back, target, 4, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
    assert back[0] == 2
    check(hip.hipFree(target))
    check(hip.hipHostFree(source))


def test_many_streams_from_many_threads(hip, library):
    target = check(hip.hipMalloc(16 * 4))
    problems = []

    def work(index):
        mine = check(hip.hipStreamCreate())
        for value in range(100):
            if name(hip.hipMemsetD32Async(int(target) + 4 * index, value, 1, mine)) != "hipSuccess":
                problems.append(index)
        wait(library, mine)
        check(hip.hipStreamDestroy(mine))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    back = np.zeros(16, np.int32)
    check(hip.hipMemcpy(back, target, 64, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
    assert not problems
    assert (back == 99).all()
    check(hip.hipFree(target))


@pytest.fixture
def destroyed_stream(hip, library):
    """A blocking stream that is destroyed with work before it: the gate, and memory that the work sets to nines."""
    stream, pointer = check(hip.hipStreamCreate()), check(hip.hipMalloc(64))
    check(hip.hipMemset(pointer, 0, 64))
    gate = Gate(hip, stream)
    check(hip.hipMemsetAsync(pointer, 9, 64, stream))
    check(hip.hipStreamDestroy(stream))
    yield gate, ctypes.c_void_p(int(pointer))
    gate.open()
    check(hip.hipFree(pointer))


def test_the_null_stream_comes_after_the_work_of_destroyed_streams(library, destroyed_stream):
    gate, pointer = destroyed_stream
    back = np.zeros(64, np.uint8)
    reader = threading.Thread(
        target=library.hipMemcpy, args=(ctypes.c_void_p(back.ctypes.data), pointer, ctypes.c_size_t(64), 2)
    )
    reader.start()
    reader.join(0.05)
    gate.open()
    reader.join(60)
    assert (back == 9).all()


def test_every_thread_that_waits_for_the_device_waits_for_destroyed_streams(library, destroyed_stream):
    gate, _ = destroyed_stream
    waiting = [threading.Thread(target=library.hipDeviceSynchronize) for _ in range(3)]
    for thread in waiting:
        thread.start()
    for thread in waiting:
        thread.join(0.05)
    assert all(thread.is_alive() for thread in waiting)
    gate.open()
    for thread in waiting:
        thread.join(60)
    assert not any(thread.is_alive() for thread in waiting)


def test_a_child_after_fork_has_streams_of_its_own(run_hip):
    out = run_hip("""
import numpy as np
stream = check(hip.hipStreamCreate())
pointer = check(hip.hipMalloc(64 << 20))
check(hip.hipMemsetAsync(pointer, 1, 64 << 20, stream))
child = os.fork()
if child == 0:
    back = np.zeros(16, np.uint8)
    check(hip.hipMemsetAsync(pointer, 7, 64 << 20, stream))
    check(hip.hipStreamSynchronize(stream))
    check(hip.hipMemcpy(back, pointer, 16, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
    os._exit(0 if (back == 7).all() else 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
check(hip.hipStreamSynchronize(stream))
back = np.zeros(16, np.uint8)
check(hip.hipMemcpy(back, pointer, 16, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
print((back == 1).all())
""")
    assert out.split() == ["0", "True"]


def test_leaving_the_program_with_work_pending(runtime_folder):
    from tests.hip_on_host import hip_program

    done = hip_program.run(
        runtime_folder,
        """
stream = check(hip.hipStreamCreate())
pointer = check(hip.hipMalloc(256 << 20))
for _ in range(20):
    check(hip.hipMemsetAsync(pointer, 1, 256 << 20, stream))
print("left")
""",
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "left\n", "")


OWN_WAITS = {
    "stream": lambda library, stream: library.hipStreamSynchronize(ctypes.c_void_p(stream)),
    "device": lambda library, stream: library.hipDeviceSynchronize(),
    "null stream": lambda library, stream: library.hipStreamSynchronize(None),
    "copy behind it": lambda library, stream: library.hipMemcpyWithStream(
        ctypes.byref(ctypes.c_int()), ctypes.byref(ctypes.c_int()), ctypes.c_size_t(4), 0, ctypes.c_void_p(stream)
    ),
    "copy in the null stream": lambda library, stream: library.hipMemcpy(
        ctypes.byref(ctypes.c_int()), ctypes.byref(ctypes.c_int()), ctypes.c_size_t(4), 0
    ),
}


@pytest.mark.parametrize("way", OWN_WAITS)
def test_a_host_function_may_not_wait_for_its_own_stream(hip, library, stream, way):
    """It would wait for ever; such a wait is refused, and the stream goes on."""
    seen = []
    function = HOST_FUNCTION(lambda _: seen.append(OWN_WAITS[way](library, int(stream))))
    check(hip.hipLaunchHostFunc(stream, ctypes.cast(function, ctypes.c_void_p), None))
    kept = append(hip, stream, seen, "behind it")
    wait(library, stream)
    assert seen == [NOT_SUPPORTED, "behind it"]
    assert library.hipDeviceSynchronize() == 0
    assert kept


def test_a_host_function_may_wait_for_other_streams(hip, library, stream):
    other = check(hip.hipStreamCreateWithFlags(hip.hipStreamNonBlocking))
    seen: list[Any] = []
    before = append(hip, other, seen, "other")
    function = HOST_FUNCTION(lambda _: seen.append(library.hipStreamSynchronize(ctypes.c_void_p(int(other)))))
    check(hip.hipLaunchHostFunc(stream, ctypes.cast(function, ctypes.c_void_p), None))
    wait(library, stream)
    assert seen == ["other", 0]
    check(hip.hipStreamDestroy(other))
    assert before
