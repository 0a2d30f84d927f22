"""Memory that graphs allocate and free."""

from __future__ import annotations

import ctypes

from tests.hip_on_host.graph_builder import INVALID, NOT_SUPPORTED, SUCCESS, AllocParams, Builder, Location, P, bytes_of


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
    node = builder.add("MemAlloc", ctypes.byref(params))
    builder.add("MemFree", P(params.dptr), after=[node])
    launched = builder.instantiate()
    assert used() == before
    assert builder.launch(launched) == SUCCESS
    assert used() == before + 4096
    assert library.hipGraphExecDestroy(launched) == SUCCESS
    builder.destroy()
    assert library.hipDeviceGraphMemTrim(0) == SUCCESS
    assert used() == 0
    assert library.hipDeviceGetGraphMemAttribute(7, 0, ctypes.byref(ctypes.c_uint64())) == 101
