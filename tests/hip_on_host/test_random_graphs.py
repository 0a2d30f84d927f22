"""Random graphs leave, in every order that the runtime chooses, the same memory as their nodes run one by one."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.hip_on_host.graph_builder import Builder, fill
from tests.hip_on_host.kernel_modules import Kernels, compile_module
from tests.hip_on_host.test_kernel_nodes import KernelParams
from tests.hip_on_host.test_random_streams import add_params

P, SIZE = ctypes.c_void_p, ctypes.c_size_t
SUCCESS, TO_HOST, ON_DEVICE = 0, 2, 3
BLOCKS, BYTES = 4, 3000

blocks = st.integers(0, BLOCKS - 1)
leaf = st.one_of(
    st.tuples(st.just("set"), blocks, st.integers(1, 255)),
    st.tuples(st.just("copy"), blocks, blocks),
    st.tuples(st.just("add"), blocks, blocks),
    st.tuples(st.just("empty")),
)
child = st.tuples(st.just("child"), st.lists(leaf, min_size=1, max_size=4))
node = st.tuples(st.one_of(leaf, leaf, child), st.sets(st.integers(0, 30), max_size=2))
programs = st.lists(node, min_size=1, max_size=14)


@pytest.fixture(scope="module")
def add_bytes(hip):
    kernels = Kernels(hip)
    return P(int(kernels.function(kernels.load(compile_module("basic")), "add_bytes")))


class Memory:
    """Blocks on the device, and their expected contents."""

    def __init__(self, library):
        self.c, self.start = library, P()
        assert library.hipMalloc(ctypes.byref(self.start), SIZE(BLOCKS * BYTES)) == SUCCESS
        self.model = np.zeros((BLOCKS, BYTES), np.uint8)
        self.reset()

    def reset(self):
        self.model[:] = np.arange(1, BLOCKS + 1, dtype=np.uint8)[:, None]
        for index in range(BLOCKS):
            assert self.c.hipMemset(P(self.block(index)), index + 1, SIZE(BYTES)) == SUCCESS

    def block(self, index):
        return self.start.value + index * BYTES

    def apply(self, operation):
        kind, *rest = operation
        if kind == "set":
            self.model[rest[0]] = rest[1]
        elif kind == "copy":
            self.model[rest[0]] = self.model[rest[1]]
        elif kind == "add":
            self.model[rest[0]] += self.model[rest[1]]
        elif kind == "child":
            for inner in rest[0]:
                self.apply(inner)

    def check(self):
        back = np.empty_like(self.model)
        assert self.c.hipMemcpy(P(back.ctypes.data), self.start, SIZE(back.nbytes), TO_HOST) == SUCCESS
        assert np.array_equal(back, self.model)

    def close(self):
        assert self.c.hipFree(self.start) == SUCCESS


def touched(operation):
    """The blocks that an operation reads or writes."""
    kind, *rest = operation
    if kind == "child":
        return set().union(*(touched(inner) for inner in rest[0]))
    return {"set": set(rest[:1]), "copy": set(rest), "add": set(rest), "empty": set()}[kind]


class RandomGraph(Builder):
    """A program as a graph: each node after those before it that it shares a block with, and after some others."""

    def __init__(self, library, memory, add_bytes, program):
        super().__init__(library)
        self.memory, self.add_bytes = memory, add_bytes
        self.nodes: list[Any] = []
        for number, (operation, others) in enumerate(program):
            before = {k for k in range(number) if touched(program[k][0]) & touched(operation)}
            before |= {k for k in others if k < number}
            self.nodes.append(self.node(operation, [self.nodes[k] for k in sorted(before)]))

    def node(self, operation, after):
        kind, *rest = operation
        place = self.memory.block
        if kind == "set":
            return self.add("Memset", ctypes.byref(fill(place(rest[0]), rest[1], BYTES)), after=after)
        if kind == "copy":
            return self.copy(place(rest[0]), place(rest[1]), BYTES, after=after)
        if kind == "add":
            kept, params = add_params(P(place(rest[0])), P(place(rest[1])), BYTES)
            made = KernelParams(
                (64, 1, 1), None, self.add_bytes, ((BYTES + 63) // 64, 1, 1), ctypes.addressof(params), 0
            )
            self.kept += [kept, params]
            return self.add("Kernel", ctypes.byref(made), after=after)
        if kind == "child":
            inner = RandomGraph(self.c, self.memory, self.add_bytes, [(step, set()) for step in rest[0]])
            made = self.add("ChildGraph", inner.graph, after=after)
            inner.destroy()
            return made
        return self.add("Empty", after=after)


def revalued(operation, change):
    """The same operation with other bytes set, as an update of a graph may have."""
    kind, *rest = operation
    if kind == "set":
        return kind, rest[0], (rest[1] + change) % 256
    if kind == "child":
        return kind, [revalued(inner, change) for inner in rest[0]]
    return operation


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(program=programs, cloned=st.booleans())
def test_nodes_run_in_the_order_of_their_edges(library, add_bytes, program, cloned):
    memory = Memory(library)
    graph = RandomGraph(library, memory, add_bytes, program)
    if cloned:
        original, graph.graph = graph.graph, P()
        assert library.hipGraphClone(ctypes.byref(graph.graph), original) == SUCCESS
        assert library.hipGraphDestroy(original) == SUCCESS
    launched = graph.instantiate()
    for _ in range(2):
        assert graph.launch(launched) == SUCCESS
        for operation, _others in program:
            memory.apply(operation)
        memory.check()
    assert library.hipGraphExecDestroy(launched) == SUCCESS
    graph.destroy()
    memory.close()


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(program=programs, off=st.sets(st.integers(0, 13)), change=st.integers(1, 200))
def test_nodes_switched_off_and_graphs_updated(library, add_bytes, program, off, change):
    memory = Memory(library)
    graph = RandomGraph(library, memory, add_bytes, program)
    launched = graph.instantiate()
    skipped = {k for k in off if k < len(program) and program[k][0][0] in ("set", "copy", "add")}
    for number in skipped:
        assert library.hipGraphNodeSetEnabled(launched, graph.nodes[number], 0) == SUCCESS
    assert graph.launch(launched) == SUCCESS
    for number, (operation, _others) in enumerate(program):
        if number not in skipped:
            memory.apply(operation)
    memory.check()
    for number in skipped:
        assert library.hipGraphNodeSetEnabled(launched, graph.nodes[number], 1) == SUCCESS
    changed = [(revalued(operation, change), others) for operation, others in program]
    update = RandomGraph(library, memory, add_bytes, changed)
    culprit, result = P(), ctypes.c_int(-1)
    assert library.hipGraphExecUpdate(launched, update.graph, ctypes.byref(culprit), ctypes.byref(result)) == SUCCESS
    assert result.value == 0
    assert graph.launch(launched) == SUCCESS
    for operation, _others in changed:
        memory.apply(operation)
    memory.check()
    assert library.hipGraphExecDestroy(launched) == SUCCESS
    for made in (graph, update):
        made.destroy()
    memory.close()
