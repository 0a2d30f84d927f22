"""Many threads at once: each with streams, captures, graphs and host functions of its own, and with shared ones."""

import ctypes
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from cuda_shim.binding.structs import by_value, take_back
from tests.adapters import processes
from tests.adapters.answers import ok
from tests.adapters.kernels import compile_code, loaded_function

ADD = b'extern "C" __global__ void add(int *to, int value) { atomicAdd(to, value); }'
THREADS, ROUNDS, MANY = 16, 5, 3000

HostFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@pytest.fixture(scope="module")
def function(cuda):
    with loaded_function(cuda, b"add", compile_code(cuda.nvrtc, ADD)) as made:
        yield made


@pytest.fixture
def memory(cuda):
    """A counter for each thread, all zero."""
    pointer = ok(cuda.driver.cuMemAlloc(4 * THREADS))
    ok(cuda.driver.cuMemsetD32(pointer, 0, THREADS))
    yield int(pointer)
    ok(cuda.driver.cuMemFree(pointer))


def together(cuda, work):
    """Return the result of each thread; all of them start at the same moment, in the context of this one."""
    barrier, context = threading.Barrier(THREADS), ok(cuda.driver.cuCtxGetCurrent())

    def started(number):
        ok(cuda.driver.cuCtxSetCurrent(context))
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(started, range(THREADS)))


def counted(cuda, memory):
    words = np.zeros(THREADS, np.int32)
    ok(cuda.driver.cuCtxSynchronize())
    ok(cuda.driver.cuMemcpyDtoH(words, memory, words.nbytes))
    return words.tolist()


def params_of(cuda, function, pointer, value):
    params = cuda.driver.CUDA_KERNEL_NODE_PARAMS()
    params.func = function
    params.gridDimX = params.gridDimY = params.gridDimZ = 1
    params.blockDimX = params.blockDimY = params.blockDimZ = 1
    params.kernelParams = ((pointer, value), (ctypes.c_void_p, ctypes.c_int))
    return params


def test_each_thread_captures_and_runs_its_own(cuda, function, memory):
    driver = cuda.driver
    calls: list[Any] = []
    host = HostFunction(calls.append)
    address = driver.CUhostFn(_ptr=ctypes.addressof(host))
    mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

    def work(number):
        stream = ok(driver.cuStreamCreate(1))
        arguments = ((memory + 4 * number, number), (ctypes.c_void_p, ctypes.c_int))
        for _ in range(ROUNDS):
            ok(driver.cuStreamBeginCapture(stream, mode))
            ok(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, 0))
            ok(driver.cuLaunchHostFunc(stream, address, number + 1))
            graph = ok(driver.cuStreamEndCapture(stream))
            assert ok(driver.cuGraphGetNodes(graph))[1] == 2
            executable = ok(driver.cuGraphInstantiate(graph, 0))
            ok(driver.cuGraphLaunch(executable, stream))
            ok(driver.cuGraphLaunch(executable, stream))
            ok(driver.cuStreamSynchronize(stream))
            ok(driver.cuGraphExecDestroy(executable))
            ok(driver.cuGraphDestroy(graph))
        ok(driver.cuStreamDestroy(stream))

    together(cuda, work)
    assert counted(cuda, memory) == [2 * ROUNDS * number for number in range(THREADS)]
    assert sorted(calls) == sorted([number + 1 for number in range(THREADS)] * 2 * ROUNDS)


def test_threads_build_one_graph_and_launch_it(cuda, function, memory):
    driver = cuda.driver
    graph = ok(driver.cuGraphCreate(0))

    def add(number):
        ok(driver.cuGraphAddKernelNode(graph, None, 0, params_of(cuda, function, memory + 4 * number, 1)))

    together(cuda, add)
    assert ok(driver.cuGraphGetNodes(graph, THREADS + 1))[1] == THREADS
    executable = ok(driver.cuGraphInstantiate(graph, 0))

    def launch(_):
        stream = ok(driver.cuStreamCreate(1))
        for _ in range(ROUNDS):
            ok(driver.cuGraphLaunch(executable, stream))
        ok(driver.cuStreamSynchronize(stream))
        ok(driver.cuStreamDestroy(stream))

    together(cuda, launch)
    assert counted(cuda, memory) == [THREADS * ROUNDS] * THREADS
    ok(driver.cuGraphExecDestroy(executable))
    ok(driver.cuGraphDestroy(graph))


def test_one_struct_is_passed_by_many_threads(cuda, function, memory):
    """HIP's form of a struct is built again for each call; threads that pass the same one must not share it."""
    driver, node = cuda.driver, params_of(cuda, function, memory, 1)
    shared = driver.CUDA_GRAPH_INSTANTIATE_PARAMS()  # the call also writes into it

    def work(_):
        graph, stream = ok(driver.cuGraphCreate(0)), ok(driver.cuStreamCreate(1))
        ok(driver.cuGraphAddKernelNode(graph, None, 0, node))
        for _ in range(ROUNDS):
            executable = ok(driver.cuGraphInstantiateWithParams(graph, shared))
            ok(driver.cuGraphLaunch(executable, stream))
            ok(driver.cuStreamSynchronize(stream))
            ok(driver.cuGraphExecDestroy(executable))
        ok(driver.cuGraphDestroy(graph))
        ok(driver.cuStreamDestroy(stream))

    together(cuda, work)
    assert counted(cuda, memory)[0] == THREADS * ROUNDS


@pytest.fixture
def quick_switches():
    """Threads that give way to each other after a microsecond, not after 5 ms."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_one_struct_is_converted_by_many_threads(cuda, quick_switches):
    """The same without the calls between, where threads meet far more often."""
    shared = cuda.driver.CUDA_GRAPH_INSTANTIATE_PARAMS()
    shared.hUploadStream = 77

    def work(_):
        places = set()
        for _ in range(MANY):
            places.add(by_value(shared))
            take_back(shared, "result_out")
        return places

    for _ in range(ROUNDS):
        assert all(together(cuda, work))
    assert int(shared.hUploadStream) == 77


def test_callbacks_of_many_threads_on_one_stream(cuda):
    driver = cuda.driver
    calls: list[Any] = []
    host, stream = HostFunction(calls.append), ok(driver.cuStreamCreate(0))
    address = driver.CUhostFn(_ptr=ctypes.addressof(host))

    def work(number):
        for count in range(ROUNDS):
            ok(driver.cuLaunchHostFunc(stream, address, 1 + ROUNDS * number + count))

    together(cuda, work)
    ok(driver.cuStreamSynchronize(stream))
    assert sorted(calls) == list(range(1, 1 + THREADS * ROUNDS))
    for number in range(THREADS):  # each thread's own come in its order
        own = [data for data in calls if (data - 1) // ROUNDS == number]
        assert own == sorted(own)
    ok(driver.cuStreamDestroy(stream))


FIRST_CALLS = f"""
import threading
barrier, reported = threading.Barrier({THREADS}), []
def work():
    barrier.wait()
    cu.cuInit(0), cu.cuCtxSetCurrent(cu.cuDevicePrimaryCtxRetain(0)[1])
    status, stream = cu.cuStreamCreate(1)
    info = cu.cuStreamGetCaptureInfo(stream)
    graph = cu.cuGraphCreate(0)[1]
    nodes = [cu.cuGraphAddEmptyNode(graph, None, 0)[1] for _ in range(3)]
    reported.append((status, info[1].name, cu.cuGraphGetNodes(graph, 3)[1] == nodes, cu.cuGraphDestroy(graph)))
threads = [threading.Thread(target=work) for _ in range({THREADS})]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(reported), len(set(reported)), *map(int, (reported[0][0], reported[0][3][0])), *reported[0][1:3])
"""


def test_the_first_calls_of_a_process_come_from_many_threads():
    said = processes.run(FIRST_CALLS).decode().split()
    assert said == [str(THREADS), "1", "0", "0", "CU_STREAM_CAPTURE_STATUS_NONE", "True"]


BETWEEN = """
import threading
from cuda_shim.binding import context_state
note, said = context_state.initialize, []
def work():
    said.append((cu.cuInit(0)[0].name, cu.cuDeviceGetCount()))
def another_thread_first():
    context_state.initialize = note
    thread = threading.Thread(target=work)
    thread.start(), thread.join()
    note()
context_state.initialize = another_thread_first
print(cu.cuInit(0)[0].name, *said[0][0:1], said[0][1][0].name)
"""


def test_whose_cuinit_succeeded_finds_the_driver_initialised():
    """Also while the call of another thread, which came first, has not noted its success yet."""
    assert processes.run(BETWEEN).decode().split() == ["CUDA_SUCCESS"] * 3
