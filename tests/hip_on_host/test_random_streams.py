"""Random programs over several streams give the memory that running them in order gives."""

from __future__ import annotations

import ctypes
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.hip_on_host.kernel_modules import Kernels, compile_module

P, SIZE = ctypes.c_void_p, ctypes.c_size_t
SUCCESS, ON_DEVICE, TO_HOST = 0, 3, 2
RELAXED = 2  # hipStreamCaptureModeRelaxed
STREAMS, BLOCKS, BYTES = 3, 4, 512 << 10  # large enough for copies to go to the streams' own threads

streams_ = st.integers(0, STREAMS)  # 0: the null stream
blocks = st.integers(0, BLOCKS - 1)


def work(streams):
    """Steps that change memory, in any of the streams."""
    return st.one_of(
        st.tuples(st.just("set"), streams, blocks, st.integers(1, 255)),
        st.tuples(st.just("copy"), streams, blocks, blocks),
        st.tuples(st.just("add"), streams, blocks, blocks),
    )


step = st.one_of(
    work(streams_),
    st.tuples(st.just("order"), streams_, streams_),
    st.tuples(st.just("wait"), streams_),
)


@pytest.fixture(scope="module")
def add_bytes(hip):
    """The kernel that adds one block of bytes to another."""
    kernels = Kernels(hip)
    return P(int(kernels.function(kernels.load(compile_module("basic")), "add_bytes")))


def add_params(target, source, size):
    """Return the kernel's parameters; the first value keeps them alive."""
    values = target, source, ctypes.c_uint64(size)
    return values, (P * 3)(*(ctypes.addressof(value) for value in values))


def launch_add(library, function, target, source, size, stream):
    _values, params = add_params(target, source, size)
    grid = (size + 255) // 256
    assert library.hipModuleLaunchKernel(function, grid, 1, 1, 256, 1, 1, 0, stream, params, None) == SUCCESS


class Machine:
    """Runs steps on the device, and on numpy arrays one after the other.

    A step on a block waits (by events) for the steps before it on the same block, as a correct program does.
    """

    def __init__(self, library, add_bytes, nonblocking, alone=None):
        self.c, self.add_bytes = library, add_bytes
        # Held while a stream records, and while any thread waits for the device: the one is refused during the other.
        self.alone = alone or threading.Lock()
        self.streams = [P()]
        for _ in range(STREAMS):
            made = P()
            assert library.hipStreamCreateWithFlags(ctypes.byref(made), int(nonblocking)) == SUCCESS
            self.streams.append(made)
        self.memory = P()
        assert library.hipMalloc(ctypes.byref(self.memory), SIZE(BLOCKS * BYTES)) == SUCCESS
        assert library.hipMemset(self.memory, 0, SIZE(BLOCKS * BYTES)) == SUCCESS
        with self.alone:
            assert library.hipDeviceSynchronize() == SUCCESS
        self.model = np.zeros((BLOCKS, BYTES), np.uint8)
        self.last: list[Any] = [None] * BLOCKS
        self.events = []

    def block(self, index):
        return P(self.memory.value + index * BYTES)

    def use(self, stream, *touched):
        """Make the stream wait for the latest step on each block, and call the result that step."""
        for index in touched:
            if self.last[index] is not None:
                assert self.c.hipStreamWaitEvent(stream, self.last[index], 0) == SUCCESS

    def done(self, stream, *touched):
        event = P()
        assert self.c.hipEventCreateWithFlags(ctypes.byref(event), 2) == SUCCESS
        assert self.c.hipEventRecord(event, stream) == SUCCESS
        self.events.append(event)
        for index in touched:
            self.last[index] = event

    def run(self, kind, stream_index, *rest):
        stream = self.streams[stream_index]
        if kind == "set":
            index, value = rest
            self.use(stream, index)
            assert self.c.hipMemsetAsync(self.block(index), value, SIZE(BYTES), stream) == SUCCESS
            self.done(stream, index)
            self.model[index] = value
        elif kind == "copy":
            target, source = rest
            self.use(stream, target, source)
            places = self.block(target), self.block(source)
            assert self.c.hipMemcpyAsync(*places, SIZE(BYTES), ON_DEVICE, stream) == SUCCESS
            self.done(stream, target, source)
            self.model[target] = self.model[source]
        elif kind == "add":
            target, source = rest
            self.use(stream, target, source)
            launch_add(self.c, self.add_bytes, self.block(target), self.block(source), BYTES, stream)
            self.done(stream, target, source)
            self.model[target] += self.model[source]
        elif kind == "order":
            self.done(stream)
            assert self.c.hipStreamWaitEvent(self.streams[rest[0]], self.events[-1], 0) == SUCCESS
        else:
            with self.alone:
                assert self.c.hipStreamSynchronize(stream) == SUCCESS

    def memory_now(self):
        back = np.empty_like(self.model)
        with self.alone:
            assert self.c.hipDeviceSynchronize() == SUCCESS
            assert self.c.hipMemcpy(P(back.ctypes.data), self.memory, SIZE(back.nbytes), TO_HOST) == SUCCESS
        return back

    def captured(self, steps):
        """Run steps as a graph that two streams record, in a mode in which other threads do as they like."""
        first, second = self.streams[1], self.streams[2]
        graph, launched = P(), P()
        with self.alone:
            assert self.c.hipStreamBeginCapture(first, RELAXED) == SUCCESS
            self.last = [None] * BLOCKS
            self.done(first)
            assert self.c.hipStreamWaitEvent(second, self.events[-1], 0) == SUCCESS
            for one in steps:
                self.run(*one)
            self.done(second)
            assert self.c.hipStreamWaitEvent(first, self.events[-1], 0) == SUCCESS
            assert self.c.hipStreamEndCapture(first, ctypes.byref(graph)) == SUCCESS
        assert self.c.hipGraphInstantiateWithFlags(ctypes.byref(launched), graph, ctypes.c_ulonglong(0)) == SUCCESS
        assert self.c.hipGraphDestroy(graph) == SUCCESS
        assert self.c.hipGraphLaunch(launched, first) == SUCCESS
        assert self.c.hipGraphExecDestroy(launched) == SUCCESS  # the launch goes on

    def compare(self):
        """The memory is the model's; no step is waited for from now on."""
        assert np.array_equal(self.memory_now(), self.model)
        self.last = [None] * BLOCKS
        self.destroy_events()

    def destroy_events(self):
        for event in self.events:
            assert self.c.hipEventDestroy(event) == SUCCESS
        self.events = []

    def close(self):
        self.destroy_events()
        for stream in self.streams[1:]:
            assert self.c.hipStreamDestroy(stream) == SUCCESS
        assert self.c.hipFree(self.memory) == SUCCESS


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(steps=st.lists(step, max_size=30), nonblocking=st.booleans())
def test_streams_and_events(library, add_bytes, steps, nonblocking):
    machine = Machine(library, add_bytes, nonblocking)
    for one in steps:
        machine.run(*one)
    assert np.array_equal(machine.memory_now(), machine.model)
    machine.close()


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(steps=st.lists(work(st.integers(1, 2)), min_size=1, max_size=15))
def test_the_same_steps_captured_into_a_graph(library, add_bytes, steps):
    """A launched graph of two streams' steps between fork and join gives the results of running them in order."""
    machine = Machine(library, add_bytes, nonblocking=True)
    first, second = machine.streams[1], machine.streams[2]
    assert library.hipStreamBeginCapture(first, 0) == SUCCESS
    machine.done(first)
    assert library.hipStreamWaitEvent(second, machine.events[-1], 0) == SUCCESS
    for one in steps:
        machine.run(*one)
    machine.done(second)
    assert library.hipStreamWaitEvent(first, machine.events[-1], 0) == SUCCESS
    graph, launched = P(), P()
    assert library.hipStreamEndCapture(first, ctypes.byref(graph)) == SUCCESS
    assert library.hipGraphInstantiateWithFlags(ctypes.byref(launched), graph, ctypes.c_ulonglong(0)) == SUCCESS
    assert not machine.memory_now().any()
    assert library.hipGraphLaunch(launched, first) == SUCCESS
    assert np.array_equal(machine.memory_now(), machine.model)
    assert library.hipGraphExecDestroy(launched) == SUCCESS
    assert library.hipGraphDestroy(graph) == SUCCESS
    machine.close()


def random_step(numbers, streams):
    kind = numbers.choice(("set", "copy", "add", "add", "order", "wait") if 0 in streams else ("set", "copy", "add"))
    stream, block = numbers.choice(streams), numbers.randrange(BLOCKS)
    if kind in ("order", "wait"):
        return (kind, stream, numbers.choice(streams)) if kind == "order" else (kind, stream)
    return kind, stream, block, numbers.randrange(1, 256) if kind == "set" else numbers.randrange(BLOCKS)


def long_program(library, add_bytes, seed, steps, alone):
    """Steps in any order, a graph now and then, and a comparison after every few hundred."""
    numbers = random.Random(seed)  # noqa: S311
    machine = Machine(library, add_bytes, nonblocking=True, alone=alone)
    for at in range(steps):
        machine.run(*random_step(numbers, range(STREAMS + 1)))
        if at % 500 == 499:
            machine.compare()
            machine.captured([random_step(numbers, (1, 2)) for _ in range(10)])
            machine.compare()
    machine.close()


def run_long_programs(library, add_bytes, threads, steps):
    alone, each = threading.Lock(), steps // threads
    with ThreadPoolExecutor(threads) as pool:
        programs = [pool.submit(long_program, library, add_bytes, seed, each, alone) for seed in range(threads)]
    for program in programs:
        program.result()


@pytest.mark.parametrize("threads", [1, 4])
def test_many_steps(library, add_bytes, threads):
    run_long_programs(library, add_bytes, threads, 2_000)


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 4])
def test_a_hundred_thousand_steps(library, add_bytes, threads):
    run_long_programs(library, add_bytes, threads, 100_000)
