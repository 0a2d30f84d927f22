"""Graphs built by hand: nodes of every type, edges, clones, updates, memory, user objects, pictures.

Through C: hip-python's two generations differ in how they pass and return nodes, and what is tested is the library.
"""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from .hip_program import check

P, SIZE = ctypes.c_void_p, ctypes.c_size_t
HOST_FUNCTION = ctypes.CFUNCTYPE(None, P)
SUCCESS, INVALID, NOT_SUPPORTED, GRAPH_UPDATE_FAILURE = 0, 1, 801, 910
TO_DEVICE, TO_HOST, ON_DEVICE = 1, 2, 3


class MemsetParams(ctypes.Structure):
    _fields_ = [
        ("dst", P), ("element_size", ctypes.c_uint), ("height", SIZE), ("pitch", SIZE), ("value", ctypes.c_uint),
        ("width", SIZE),
    ]  # fmt: skip


class HostParams(ctypes.Structure):
    _fields_ = [("fn", HOST_FUNCTION), ("data", P)]


class Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class PoolProps(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int), ("handles", ctypes.c_int), ("location", Location), ("security", P), ("most", SIZE),
        ("reserved", ctypes.c_ubyte * 56),
    ]  # fmt: skip


class AllocParams(ctypes.Structure):
    _fields_ = [("props", PoolProps), ("access", P), ("access_count", SIZE), ("bytes", SIZE), ("dptr", P)]


def fill(dst, value, width, element_size=1):
    return MemsetParams(dst, element_size, 1, width * element_size, value, width)


class Builder:
    """Few words for building graphs; handles are c_void_p."""

    def __init__(self, library):
        self.c = library
        self.graph = P()
        self.kept = []
        assert library.hipGraphCreate(ctypes.byref(self.graph), 0) == SUCCESS

    def try_add(self, what, *arguments, after=()):
        node = P()
        list_type = P * max(len(after), 1)
        before = list_type(*[one.value for one in after]) if after else None
        function = getattr(self.c, f"hipGraphAdd{what}Node" + ("1D" if what == "Memcpy" else ""))
        return function(ctypes.byref(node), self.graph, before, SIZE(len(after)), *arguments), node

    def add(self, what, *arguments, after=()):
        status, node = self.try_add(what, *arguments, after=after)
        assert status == SUCCESS
        return node

    def set(self, dst, value, width, after=()):
        return self.add("Memset", ctypes.byref(fill(dst, value, width)), after=after)

    def copy(self, dst, src, size, kind=ON_DEVICE, after=()):
        return self.add("Memcpy", P(dst), P(src), SIZE(size), kind, after=after)

    def host(self, function, after=()):
        self.kept.append(HOST_FUNCTION(function))
        params = HostParams(self.kept[-1], None)
        return self.add("Host", ctypes.byref(params), after=after)

    def instantiate(self, flags=0):
        made = P()
        assert self.c.hipGraphInstantiateWithFlags(ctypes.byref(made), self.graph, ctypes.c_ulonglong(flags)) == SUCCESS
        return made

    def launch(self, exec_):
        status = self.c.hipGraphLaunch(exec_, None)
        return status or self.c.hipStreamSynchronize(None)

    def listed(self, function, *first):
        count = SIZE()
        assert function(*first, None, ctypes.byref(count)) == SUCCESS
        nodes = (P * (count.value + 1))()
        room = SIZE(count.value + 1)
        assert function(*first, nodes, ctypes.byref(room)) == SUCCESS
        assert room.value == count.value
        return list(nodes[: count.value])

    def destroy(self):
        assert self.c.hipGraphDestroy(self.graph) == SUCCESS


@pytest.fixture
def builder(library):
    made = Builder(library)
    yield made
    made.destroy()


@pytest.fixture
def memory(hip):
    made = [int(check(hip.hipMalloc(64))) for _ in range(3)]
    for pointer in made:
        check(hip.hipMemset(pointer, 0, 64))
    yield made
    for pointer in made:
        check(hip.hipFree(pointer))


def bytes_of(hip, pointer, count=64):
    out = np.zeros(count, np.uint8)
    check(hip.hipMemcpy(out, pointer, count, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
    return out


def test_a_chain(hip, builder, memory):
    first, second, _ = memory
    log = []
    start = builder.set(first, 6, 64)
    copy = builder.copy(second, first, 64, after=[start])
    builder.host(lambda _: log.append("end"), after=[copy])
    launched = builder.instantiate()
    assert builder.launch(launched) == SUCCESS
    assert (bytes_of(hip, second) == 6).all()
    assert log == ["end"]
    assert builder.c.hipGraphExecDestroy(launched) == SUCCESS
    assert builder.c.hipGraphExecDestroy(launched) == INVALID


def test_dependencies_decide_not_the_order_of_adding(hip, builder, memory):
    pointer = memory[0]
    log = []
    late = builder.host(lambda _: log.append("late"))
    early = builder.host(lambda _: log.append("early"))
    last = builder.set(pointer, 2, 64)
    first = builder.set(pointer, 1, 64)
    size = SIZE(1)
    for before, after in ((early, late), (first, last)):
        assert builder.c.hipGraphAddDependencies(builder.graph, ctypes.byref(before), ctypes.byref(after), size) == 0
    assert builder.launch(builder.instantiate()) == SUCCESS
    assert log == ["early", "late"]
    assert (bytes_of(hip, pointer) == 2).all()


def test_edges(builder):
    c, one = builder.c, SIZE(1)
    a, b, d = (builder.add("Empty") for _ in range(3))

    def connect(before, after, function=c.hipGraphAddDependencies):
        return function(builder.graph, ctypes.byref(before), ctypes.byref(after), one)

    assert connect(a, b) == SUCCESS
    assert connect(b, d) == SUCCESS
    assert connect(a, b) == INVALID  # twice
    assert connect(a, a) == INVALID
    assert connect(a, d, c.hipGraphRemoveDependencies) == INVALID
    assert builder.listed(c.hipGraphGetRootNodes, builder.graph) == [a.value]
    assert builder.listed(c.hipGraphNodeGetDependencies, d) == [b.value]
    assert builder.listed(c.hipGraphNodeGetDependentNodes, a) == [b.value]
    assert connect(a, b, c.hipGraphRemoveDependencies) == SUCCESS
    assert builder.listed(c.hipGraphGetRootNodes, builder.graph) == [a.value, b.value]
    assert c.hipGraphDestroyNode(b) == SUCCESS
    assert builder.listed(c.hipGraphGetNodes, builder.graph) == [a.value, d.value]
    assert builder.listed(c.hipGraphNodeGetDependencies, d) == []
    assert c.hipGraphDestroyNode(b) == INVALID


def test_a_graph_that_goes_round_cannot_be_instantiated(builder, library):
    c, one = builder.c, SIZE(1)
    a = builder.add("Empty")
    b = builder.add("Empty", after=[a])
    built = P()
    assert c.hipGraphInstantiateWithFlags(ctypes.byref(built), builder.graph, ctypes.c_ulonglong(0)) == SUCCESS
    assert c.hipGraphAddDependencies(builder.graph, ctypes.byref(b), ctypes.byref(a), one) == SUCCESS
    round_trip = P()
    assert c.hipGraphInstantiateWithFlags(ctypes.byref(round_trip), builder.graph, ctypes.c_ulonglong(0)) == INVALID
    culprit, result = P(), ctypes.c_int()
    update = c.hipGraphExecUpdate(built, builder.graph, ctypes.byref(culprit), ctypes.byref(result))
    assert update == GRAPH_UPDATE_FAILURE
    outer = Builder(library)
    child = P()
    assert c.hipGraphAddChildGraphNode(ctypes.byref(child), outer.graph, None, SIZE(0), builder.graph) == SUCCESS
    assert c.hipGraphInstantiateWithFlags(ctypes.byref(round_trip), outer.graph, ctypes.c_ulonglong(0)) == INVALID
    assert c.hipGraphRemoveDependencies(builder.graph, ctypes.byref(b), ctypes.byref(a), one) == SUCCESS
    assert builder.launch(builder.instantiate()) == SUCCESS
    assert c.hipGraphExecDestroy(built) == SUCCESS


def test_unknown_flags_are_wrong_before_known_ones_are_refused(builder):
    made = P()
    for flags, status in ((0xFFFF, INVALID), (16, INVALID), (4, NOT_SUPPORTED)):
        given = ctypes.c_ulonglong(flags)
        assert builder.c.hipGraphInstantiateWithFlags(ctypes.byref(made), builder.graph, given) == status


def test_nodes_of_another_graph_are_no_dependencies(builder, library):
    other = Builder(library)
    foreign = other.add("Empty")
    assert builder.try_add("Empty", after=[foreign])[0] == INVALID
    assert builder.try_add("Empty", after=[P(0x1000)])[0] == INVALID
    other.destroy()


def test_parameters_are_checked_when_a_node_is_added(builder, memory):
    assert builder.try_add("Memset", ctypes.byref(fill(memory[0], 1, 65)))[0] == INVALID
    assert builder.try_add("Memset", ctypes.byref(fill(0x1000, 1, 4)))[0] == INVALID
    assert builder.try_add("Memset", ctypes.byref(fill(memory[0], 1, 4, element_size=3)))[0] == INVALID
    assert builder.try_add("Memcpy", P(memory[0]), P(memory[1]), SIZE(65), ON_DEVICE)[0] == INVALID
    assert builder.try_add("Host", ctypes.byref(HostParams(HOST_FUNCTION(), None)))[0] == INVALID
    assert builder.try_add("EventRecord", P(0x1000))[0] == INVALID
    assert builder.try_add("ChildGraph", P(0x1000))[0] == INVALID
    assert builder.c.hipGraphDestroy(P(0x1000)) == INVALID
    assert builder.c.hipGraphLaunch(P(0x1000), None) == INVALID


def test_parameters_come_back(builder, memory):
    c = builder.c
    node = builder.set(memory[0], 7, 32)
    params = MemsetParams()
    assert c.hipGraphMemsetNodeGetParams(node, ctypes.byref(params)) == SUCCESS
    assert (params.dst, params.value, params.width, params.element_size) == (memory[0], 7, 32, 1)
    copy = builder.copy(memory[1], memory[0], 16)
    assert c.hipGraphMemsetNodeGetParams(copy, ctypes.byref(params)) == INVALID
    kind = ctypes.c_int()
    assert c.hipGraphNodeGetType(copy, ctypes.byref(kind)) == SUCCESS
    assert kind.value == 1  # hipGraphNodeTypeMemcpy


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


def test_clones(hip, builder, library, memory):
    pointer = memory[0]
    node = builder.set(pointer, 1, 64)
    after = builder.add("Empty", after=[node])
    clone = Builder(library)
    clone.destroy()
    assert library.hipGraphClone(ctypes.byref(clone.graph), builder.graph) == SUCCESS
    twin = P()
    assert library.hipGraphNodeFindInClone(ctypes.byref(twin), node, clone.graph) == SUCCESS
    assert twin.value not in (node.value, None)
    assert library.hipGraphMemsetNodeSetParams(twin, ctypes.byref(fill(pointer, 8, 64))) == SUCCESS
    assert clone.launch(clone.instantiate()) == SUCCESS
    assert (bytes_of(hip, pointer) == 8).all()
    assert builder.launch(builder.instantiate()) == SUCCESS
    assert (bytes_of(hip, pointer) == 1).all()
    assert library.hipGraphNodeFindInClone(ctypes.byref(twin), after, builder.graph) == INVALID
    clone.destroy()


def test_child_graphs(hip, builder, library, memory):
    first, second, _ = memory
    child = Builder(library)
    inner = child.set(first, 5, 64)
    node = builder.add("ChildGraph", child.graph)
    builder.copy(second, first, 64, after=[node])
    child.destroy()  # the node has its own copy
    embedded = P()
    assert library.hipGraphChildGraphNodeGetGraph(node, ctypes.byref(embedded)) == SUCCESS
    assert embedded.value != child.graph.value
    assert library.hipGraphDestroy(embedded) == INVALID
    launched = builder.instantiate()
    assert builder.launch(launched) == SUCCESS
    assert (bytes_of(hip, second) == 5).all()
    other = Builder(library)
    other.set(first, 9, 64)
    assert library.hipGraphExecChildGraphNodeSetParams(launched, node, other.graph) == SUCCESS
    assert builder.launch(launched) == SUCCESS
    assert (bytes_of(hip, second) == 9).all()
    other.add("Empty")
    assert library.hipGraphExecChildGraphNodeSetParams(launched, node, other.graph) == 910
    other.destroy()
    assert inner


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
    import threading

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


def allocation(size):
    params = AllocParams()
    params.props.type = 1  # hipMemAllocationTypePinned
    params.props.location = Location(1, 0)  # hipMemLocationTypeDevice
    params.bytes = size
    return params


def test_memory_nodes(hip, builder, memory):
    params = allocation(64)
    node = builder.add("MemAlloc", ctypes.byref(params))
    assert params.dptr
    set_node = builder.set(params.dptr, 4, 64, after=[node])
    copy = builder.copy(memory[0], params.dptr, 64, after=[set_node])
    builder.add("MemFree", P(params.dptr), after=[copy])
    launched = builder.instantiate()
    for _ in range(2):
        assert builder.launch(launched) == SUCCESS
    assert (bytes_of(hip, memory[0]) == 4).all()


def test_memory_that_a_graph_leaves_allocated(hip, builder, library):
    params = allocation(64)
    node = builder.add("MemAlloc", ctypes.byref(params))
    builder.set(params.dptr, 4, 64, after=[node])
    launched = builder.instantiate()
    assert library.hipFree(P(params.dptr)) == INVALID  # not launched yet
    assert builder.launch(launched) == SUCCESS
    assert (bytes_of(hip, params.dptr) == 4).all()
    assert library.hipGraphLaunch(launched, None) == INVALID  # still allocated
    assert library.hipFree(P(params.dptr)) == SUCCESS
    assert library.hipFree(P(params.dptr)) == INVALID
    assert builder.launch(launched) == SUCCESS
    assert library.hipFreeAsync(P(params.dptr), None) == SUCCESS
    assert library.hipGraphInstantiateWithFlags(ctypes.byref(P()), builder.graph, 1) == NOT_SUPPORTED  # one at a time
    assert library.hipGraphExecDestroy(launched) == SUCCESS
    again = builder.instantiate(flags=1)  # hipGraphInstantiateFlagAutoFreeOnLaunch
    for _ in range(3):
        assert builder.launch(again) == SUCCESS
    assert library.hipFree(P(params.dptr)) == SUCCESS


def test_memory_nodes_stay_where_they_are(builder, library):
    """Their addresses belong to them: no copies of the graph, no second free, and no way to take them out."""
    params = allocation(64)
    node = builder.add("MemAlloc", ctypes.byref(params))
    user = builder.set(params.dptr, 4, 64, after=[node])
    free = builder.add("MemFree", P(params.dptr), after=[user])
    other, made = P(), P()
    assert library.hipGraphAddMemFreeNode(ctypes.byref(made), builder.graph, None, 0, P(params.dptr)) == INVALID
    assert library.hipGraphClone(ctypes.byref(other), builder.graph) == NOT_SUPPORTED
    assert library.hipGraphCreate(ctypes.byref(other), 0) == SUCCESS
    assert library.hipGraphAddChildGraphNode(ctypes.byref(made), other, None, 0, builder.graph) == NOT_SUPPORTED
    assert library.hipGraphDestroy(other) == SUCCESS
    assert library.hipGraphRemoveDependencies(builder.graph, ctypes.byref(node), ctypes.byref(user), 1) == NOT_SUPPORTED
    assert library.hipGraphDestroyNode(free) == NOT_SUPPORTED


def test_graph_memory_is_counted(hip, library):
    def used(attribute=0):
        value = ctypes.c_uint64()
        assert library.hipDeviceGetGraphMemAttribute(0, attribute, ctypes.byref(value)) == SUCCESS
        return value.value

    before = used()
    builder = Builder(library)
    params = allocation(4096)
    builder.add("MemAlloc", ctypes.byref(params))
    assert used() == before + 4096
    builder.destroy()
    assert used() == before
    assert library.hipDeviceGraphMemTrim(0) == SUCCESS
    assert library.hipDeviceGetGraphMemAttribute(7, 0, ctypes.byref(ctypes.c_uint64())) == 101


def test_user_objects_die_with_the_last_reference(builder, library):
    log = []
    destroy = HOST_FUNCTION(log.append)
    made = P()
    assert library.hipUserObjectCreate(ctypes.byref(made), P(0x55), destroy, 1, 1) == SUCCESS
    holder = Builder(library)
    assert library.hipGraphRetainUserObject(holder.graph, made, 1, 1) == SUCCESS  # moved
    clone = P()
    assert library.hipGraphClone(ctypes.byref(clone), holder.graph) == SUCCESS
    launched = holder.instantiate()
    holder.destroy()
    assert library.hipGraphDestroy(clone) == SUCCESS
    assert log == []
    assert library.hipGraphExecDestroy(launched) == SUCCESS
    assert log == [0x55]
    assert library.hipUserObjectRelease(made, 1) == INVALID


def test_user_objects_by_hand(library):
    log = []
    destroy = HOST_FUNCTION(log.append)
    made = P()
    assert library.hipUserObjectCreate(ctypes.byref(made), P(7), destroy, 2, 1) == SUCCESS
    assert library.hipUserObjectRetain(made, 1) == SUCCESS
    assert library.hipUserObjectRelease(made, 4) == INVALID
    assert library.hipUserObjectRelease(made, 2) == SUCCESS
    assert log == []
    assert library.hipUserObjectRelease(made, 1) == SUCCESS
    assert log == [7]
    assert library.hipUserObjectCreate(ctypes.byref(made), P(7), destroy, 0, 1) == INVALID
    assert library.hipUserObjectCreate(ctypes.byref(made), P(7), destroy, 1, 0) == INVALID


def test_pictures(builder, library, memory, tmp_path):
    start = builder.set(memory[0], 1, 64)
    builder.copy(memory[1], memory[0], 64, after=[start])
    path = tmp_path / "graph.dot"
    assert library.hipGraphDebugDotPrint(builder.graph, str(path).encode(), 1) == SUCCESS
    text = path.read_text(encoding="utf-8")
    assert text.startswith("digraph")
    assert text.count("->") == 1
    assert "MEMSET" in text
    assert "MEMCPY" in text
    nowhere = str(tmp_path / "missing/graph.dot").encode()
    assert library.hipGraphDebugDotPrint(builder.graph, nowhere, 0) == 304


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
