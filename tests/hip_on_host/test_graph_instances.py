"""Instances of graphs: changes that reach them and changes that do not, disabled nodes, flags, events, launches."""

from __future__ import annotations

import ctypes
import threading

from tests.hip_on_host.graph_builder import INVALID, NOT_SUPPORTED, SUCCESS, Builder, P, bytes_of, fill
from tests.hip_on_host.hip_program import check


def test_flags_that_there_are_and_what_they_ask_for(builder, memory):
    """Graphs that kernels may launch hold kernels, copies and sets alone."""
    made, launched_by_kernels = P(), 4
    builder.set(memory[0], 1, 64)
    for flags, status in ((0xFFFF, INVALID), (16, INVALID), (launched_by_kernels, SUCCESS)):
        given = ctypes.c_ulonglong(flags)
        assert builder.c.hipGraphInstantiateWithFlags(ctypes.byref(made), builder.graph, given) == status
    assert builder.c.hipGraphExecDestroy(made) == SUCCESS
    builder.add("Empty")
    given = ctypes.c_ulonglong(launched_by_kernels)
    assert builder.c.hipGraphInstantiateWithFlags(ctypes.byref(made), builder.graph, given) == NOT_SUPPORTED


def test_changing_a_node_of_the_graph_and_of_the_instance(hip, builder, memory):
    c, pointer = builder.c, memory[0]
    node = builder.set(pointer, 1, 64)
    first = builder.instantiate()
    assert c.hipGraphMemsetNodeSetParams(node, ctypes.byref(fill(pointer, 2, 64))) == SUCCESS
    assert builder.launch(first) == SUCCESS
    assert (bytes_of(hip, pointer) == 1).all()
    second = builder.instantiate()
    assert builder.launch(second) == SUCCESS
    assert (bytes_of(hip, pointer) == 2).all()
    assert c.hipGraphExecMemsetNodeSetParams(first, node, ctypes.byref(fill(pointer, 3, 64))) == SUCCESS
    assert builder.launch(first) == SUCCESS
    assert (bytes_of(hip, pointer) == 3).all()
    stranger = builder.set(pointer, 4, 64)
    assert c.hipGraphExecMemsetNodeSetParams(first, stranger, ctypes.byref(fill(pointer, 4, 64))) == INVALID


def test_disabled_nodes(hip, builder, memory):
    c, pointer = builder.c, memory[0]
    node = builder.set(pointer, 1, 64)
    host = builder.host(lambda _: None)
    launched = builder.instantiate()
    enabled = ctypes.c_uint(9)
    assert c.hipGraphNodeGetEnabled(launched, node, ctypes.byref(enabled)) == SUCCESS
    assert enabled.value == 1
    assert c.hipGraphNodeSetEnabled(launched, node, 0) == SUCCESS
    assert builder.launch(launched) == SUCCESS
    assert not bytes_of(hip, pointer).any()
    assert c.hipGraphNodeSetEnabled(launched, node, 1) == SUCCESS
    assert builder.launch(launched) == SUCCESS
    assert (bytes_of(hip, pointer) == 1).all()
    assert c.hipGraphNodeSetEnabled(launched, host, 0) == INVALID


def test_updating_an_instance(hip, builder, library, memory):
    pointer = memory[0]
    builder.add("Empty", after=[builder.set(pointer, 1, 64)])
    launched = builder.instantiate()
    node, result = P(), ctypes.c_int()

    def update(graph):
        status = library.hipGraphExecUpdate(launched, graph, ctypes.byref(node), ctypes.byref(result))
        return status, result.value

    same = Builder(library)
    same.add("Empty", after=[same.set(pointer, 2, 64)])
    assert update(same.graph) == (SUCCESS, 0)
    assert builder.launch(launched) == SUCCESS
    assert (bytes_of(hip, pointer) == 2).all()
    same.add("Empty")
    assert update(same.graph) == (910, 2)  # hipGraphExecUpdateErrorTopologyChanged
    same.destroy()

    other_type = Builder(library)
    changed = other_type.copy(pointer, memory[1], 64)
    other_type.add("Empty", after=[changed])
    assert update(other_type.graph) == (910, 3)  # hipGraphExecUpdateErrorNodeTypeChanged
    assert node.value == changed.value
    other_type.destroy()


def test_events_in_graphs(hip, builder, library):
    start, stop = check(hip.hipEventCreate()), check(hip.hipEventCreate())
    first = builder.add("EventRecord", P(int(start)))
    work = builder.host(lambda _: None, after=[first])
    last = builder.add("EventRecord", P(int(stop)), after=[work])
    builder.add("EventWait", P(int(start)), after=[last])
    launched = builder.instantiate()
    assert builder.launch(launched) == SUCCESS
    assert check(hip.hipEventElapsedTime(start, stop)) > 0
    event = P()
    assert library.hipGraphEventRecordNodeGetEvent(last, ctypes.byref(event)) == SUCCESS
    assert event.value == int(stop)
    for one in (start, stop):
        check(hip.hipEventDestroy(one))


def test_an_event_recorded_by_a_graph_can_be_waited_for(hip, builder, library):
    event = check(hip.hipEventCreate())
    gate = threading.Event()
    work = builder.host(lambda _: gate.wait(60) and None)
    builder.add("EventRecord", P(int(event)), after=[work])
    launched = builder.instantiate()
    stream, other = P(), P()
    for one in (stream, other):
        assert library.hipStreamCreateWithFlags(ctypes.byref(one), 1) == SUCCESS
    assert library.hipGraphLaunch(launched, stream) == SUCCESS
    assert library.hipStreamWaitEvent(other, P(int(event)), 0) == SUCCESS
    assert library.hipStreamQuery(other) == 600
    gate.set()
    assert library.hipStreamSynchronize(other) == SUCCESS
    for one in (stream, other):
        assert library.hipStreamDestroy(one) == SUCCESS
    check(hip.hipEventDestroy(event))


def test_launches_of_one_instance_on_many_streams(hip, builder, library, memory):
    for _ in range(8):
        builder.set(memory[0], 3, 64)
    launched = builder.instantiate()
    streams = [P() for _ in range(8)]
    for stream in streams:
        assert library.hipStreamCreateWithFlags(ctypes.byref(stream), 1) == SUCCESS
    for _ in range(20):
        for stream in streams:
            assert library.hipGraphLaunch(launched, stream) == SUCCESS
    assert library.hipGraphExecDestroy(launched) == SUCCESS
    assert library.hipDeviceSynchronize() == SUCCESS
    assert (bytes_of(hip, memory[0]) == 3).all()
    for stream in streams:
        assert library.hipStreamDestroy(stream) == SUCCESS


def test_flags_of_instances(builder, library):
    builder.add("Empty")
    launched = builder.instantiate(flags=1)
    flags = ctypes.c_ulonglong()
    assert library.hipGraphExecGetFlags(launched, ctypes.byref(flags)) == SUCCESS
    assert flags.value == 1
    made = P()
    assert library.hipGraphInstantiateWithFlags(ctypes.byref(made), builder.graph, ctypes.c_ulonglong(4)) == 801
    assert library.hipGraphInstantiateWithFlags(ctypes.byref(made), builder.graph, ctypes.c_ulonglong(64)) == INVALID
