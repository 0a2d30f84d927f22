"""Graphs built by hand: nodes, edges, parameters, clones, child graphs, user objects, pictures."""

from __future__ import annotations

import ctypes
from typing import Any

from tests.hip_on_host.graph_builder import (
    GRAPH_UPDATE_FAILURE,
    HOST_FUNCTION,
    INVALID,
    ON_DEVICE,
    SIZE,
    SUCCESS,
    Builder,
    HostParams,
    MemsetParams,
    P,
    bytes_of,
    fill,
)


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


def test_a_graph_in_itself_is_what_it_was_before(builder, library):
    """HIP copies a child graph when it is added, so that nothing goes round: twice makes four nodes that run."""
    ran, last = [], builder.host(lambda _: ran.append(1))
    for _ in range(2):
        last = builder.add("ChildGraph", builder.graph, after=[last])
    assert len(builder.listed(library.hipGraphGetNodes, builder.graph)) == 3
    inside = P()
    assert library.hipGraphChildGraphNodeGetGraph(last, ctypes.byref(inside)) == SUCCESS
    assert len(builder.listed(library.hipGraphGetNodes, inside)) == 2  # the node, and the first child
    launched = builder.instantiate()
    assert builder.launch(launched) == SUCCESS
    assert len(ran) == 4
    # The graph around a child may become a part of that child.
    assert library.hipGraphAddChildGraphNode(ctypes.byref(P()), inside, None, SIZE(0), builder.graph) == SUCCESS
    assert builder.launch(builder.instantiate()) == SUCCESS
    assert len(ran) == 4 + 8
    # An instance's part can be given the graph only where the graph has the part's form.
    assert library.hipGraphExecChildGraphNodeSetParams(launched, last, builder.graph) == GRAPH_UPDATE_FAILURE


def test_user_objects_die_with_the_last_reference(builder, library):
    log: list[Any] = []
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
    log: list[Any] = []
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
