"""Changes that an instance takes over from another graph or refuses, and at which node; attributes of nodes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator

import pytest

from tests.hip_on_host.graph_builder import (
    GRAPH_UPDATE_FAILURE,
    HOST_FUNCTION,
    INVALID,
    SIZE,
    SUCCESS,
    Builder,
    MemsetParams,
    P,
    fill,
)

TOPOLOGY, TYPE, PARAMETERS = 2, 3, 5
TO_DEVICE, FROM_DEVICE, ON_DEVICE, BY_ADDRESS = 1, 2, 3, 4


@pytest.fixture
def other(library: ctypes.CDLL) -> Iterator[Callable[[], Builder]]:
    made: list[Builder] = []

    def make() -> Builder:
        made.append(Builder(library))
        return made[-1]

    yield make
    for one in made:
        one.destroy()


def update(builder: Builder, launched: P, graph: P) -> tuple[int, int, int | None]:
    node, result = P(99), ctypes.c_int(-1)
    status = builder.c.hipGraphExecUpdate(launched, graph, ctypes.byref(node), ctypes.byref(result))
    return status, result.value, node.value


def test_another_number_of_nodes_is_nobodys_fault(builder, other, memory):
    builder.set(memory[0], 1, 64)
    launched, longer = builder.instantiate(), other()
    longer.set(memory[0], 1, 64)
    longer.add("Empty")
    assert update(builder, launched, longer.graph) == (GRAPH_UPDATE_FAILURE, TOPOLOGY, None)
    assert update(builder, launched, other().graph) == (GRAPH_UPDATE_FAILURE, TOPOLOGY, None)


def test_more_last_nodes_and_fewer(builder, other):
    builder.add("Empty", after=[builder.add("Empty")])
    chain, pair = builder.instantiate(), other()
    pair.add("Empty")
    loose = pair.add("Empty")
    assert update(builder, chain, pair.graph) == (GRAPH_UPDATE_FAILURE, TOPOLOGY, loose.value)
    assert update(pair, pair.instantiate(), builder.graph) == (GRAPH_UPDATE_FAILURE, TOPOLOGY, None)


def test_dependencies_of_other_nodes_of_the_same_shape(builder, other):
    def build(made: Builder, of: int) -> None:
        first = [made.add("Empty"), made.add("Empty")]
        last = made.add("Empty", after=[first[of]])
        made.add("Empty", after=[first[1 - of], last])

    build(builder, 0)
    turned = other()
    build(turned, 1)
    assert update(builder, builder.instantiate(), turned.graph) == (SUCCESS, 0, None)


def test_one_dependency_more(builder, other):
    def build(made: Builder, count: int) -> P:
        first = [made.add("Empty"), made.add("Empty")]
        last = made.add("Empty", after=first[:count])
        made.add("Empty", after=[first[1], last])
        return last

    build(builder, 1)
    more = other()
    culprit = build(more, 2)
    assert update(builder, builder.instantiate(), more.graph) == (GRAPH_UPDATE_FAILURE, TOPOLOGY, culprit.value)


def test_twins_found_by_edges_do_the_new_graphs_work(builder, other, memory):
    """The first node of one graph is last in the other: each set still comes where the new graph has it."""

    def build(made: Builder, turned: bool) -> None:
        numbers = (1, 0) if turned else (0, 1)
        nodes = {n: made.add("Empty") for n in numbers}
        sets = {}
        for n in numbers:
            params = MemsetParams(memory[n], 1, 1, 0, 10 * n + turned, 8)
            sets[n] = made.add("Memset", ctypes.byref(params), after=[nodes[n]])
        made.add("Empty", after=[sets[0], sets[1]])

    build(builder, False)
    launched, changed = builder.instantiate(), other()
    build(changed, True)
    assert update(builder, launched, changed.graph) == (SUCCESS, 0, None)
    assert builder.launch(launched) == SUCCESS
    for n in (0, 1):
        told = (ctypes.c_ubyte * 8)()
        assert builder.c.hipMemcpy(told, P(memory[n]), SIZE(8), FROM_DEVICE) == SUCCESS
        assert list(told) == [10 * n + 1] * 8


def test_another_type_inside_of_a_child(builder, other, memory):
    child, changed = other(), other()
    child.set(memory[0], 1, 64)
    builder.add("ChildGraph", child.graph)
    launched = builder.instantiate()
    changed.add("Empty")
    outer = other()
    node = outer.add("ChildGraph", changed.graph)
    embedded, inner, one = P(), P(), SIZE(1)
    assert builder.c.hipGraphChildGraphNodeGetGraph(node, ctypes.byref(embedded)) == SUCCESS
    assert builder.c.hipGraphGetNodes(embedded, ctypes.byref(inner), ctypes.byref(one)) == SUCCESS
    assert update(builder, launched, outer.graph) == (GRAPH_UPDATE_FAILURE, TYPE, inner.value)
    assert builder.c.hipGraphExecChildGraphNodeSetParams(launched, node, changed.graph) == INVALID


@pytest.mark.parametrize(
    ("kind", "allowed"), [(ON_DEVICE, True), (BY_ADDRESS, False), (TO_DEVICE, False), (FROM_DEVICE, False), (0, False)]
)
def test_copies_of_another_direction(builder, other, memory, kind, allowed):
    node = builder.copy(memory[0], memory[1], 64)
    launched, changed = builder.instantiate(), other()
    culprit = changed.copy(memory[1], memory[2], 32, kind)
    wanted = (SUCCESS, 0, None) if allowed else (GRAPH_UPDATE_FAILURE, PARAMETERS, culprit.value)
    assert update(builder, launched, changed.graph) == wanted
    more = P(memory[0]), P(memory[1]), SIZE(16), kind
    wanted_alone = SUCCESS if allowed else INVALID
    assert builder.c.hipGraphExecMemcpyNodeSetParams1D(launched, node, *more) == wanted_alone
    assert builder.c.hipGraphMemcpyNodeSetParams1D(node, *more) == SUCCESS  # the graph itself may change


def test_planes_keep_their_shape(builder, other, memory):
    def plane(value: int, height: int, pitch: int = 16, at: int = 0) -> MemsetParams:
        return MemsetParams(memory[at], 1, height, pitch, value, 8)

    node = builder.add("Memset", ctypes.byref(plane(1, 3)))
    launched = builder.instantiate()
    for params, allowed in (
        (plane(1, 3), True),
        (plane(2, 3), True),
        (plane(1, 3, at=1), True),
        (plane(1, 3, pitch=24), False),
        (plane(1, 2), False),
        (plane(1, 1), False),
    ):
        changed = other()
        culprit = changed.add("Memset", ctypes.byref(params))
        wanted = (SUCCESS, 0, None) if allowed else (GRAPH_UPDATE_FAILURE, PARAMETERS, culprit.value)
        assert update(builder, launched, changed.graph) == wanted
        alone = builder.c.hipGraphExecMemsetNodeSetParams(launched, node, ctypes.byref(params))
        assert alone == (SUCCESS if allowed else INVALID)


@pytest.mark.parametrize(("height", "pitch"), [(1, 0), (1, 32), (1, 3), (2, 24)])
def test_sets_keep_the_pitch_they_were_given(builder, memory, height, pitch):
    node = builder.add("Memset", ctypes.byref(MemsetParams(memory[0], 1, height, pitch, 7, 8)))
    told = MemsetParams()
    assert builder.c.hipGraphMemsetNodeGetParams(node, ctypes.byref(told)) == SUCCESS
    assert (told.height, told.pitch, told.width, told.value) == (height, pitch, 8, 7)
    assert builder.launch(builder.instantiate()) == SUCCESS


def test_copies_of_nothing_from_nowhere_are_no_nodes(builder, hip):
    for struct, function in (
        (hip.hipMemcpy3DParms(), "hipGraphAddMemcpyNode"),
        (hip.HIP_MEMCPY3D(), "hipDrvGraphAddMemcpyNode"),
    ):
        made, empty = P(), P(int(struct.as_c_void_p().value))
        more = [None] if "Drv" in function else []
        assert getattr(builder.c, function)(ctypes.byref(made), builder.graph, None, SIZE(0), empty, *more) == INVALID


class Objects:
    """User objects that record their destruction."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        self.gone: list[int] = []
        self._destroy = HOST_FUNCTION(self.gone.append)

    def give(self, graph: P, number: int) -> None:
        made = P()
        create = self.library.hipUserObjectCreate
        assert create(ctypes.byref(made), P(number), self._destroy, 1, 1) == SUCCESS
        assert self.library.hipGraphRetainUserObject(graph, made, 1, 1) == SUCCESS  # moved


@pytest.fixture
def objects(library: ctypes.CDLL) -> Objects:
    return Objects(library)


def test_an_updated_instance_holds_what_the_new_graph_holds(builder, library, objects):
    def graph(number: int) -> Builder:
        made = Builder(library)
        made.add("Empty")
        objects.give(made.graph, number)
        return made

    first, second = graph(1), graph(2)
    launched = first.instantiate()
    assert library.hipGraphDestroy(first.graph) == SUCCESS
    assert objects.gone == []
    assert update(builder, launched, second.graph)[0] == SUCCESS
    assert objects.gone == [1]
    assert library.hipGraphDestroy(second.graph) == SUCCESS
    assert objects.gone == [1]
    assert library.hipGraphExecDestroy(launched) == SUCCESS
    assert objects.gone == [1, 2]


def test_instances_hold_what_their_children_hold(builder, library, objects):
    child = Builder(library)
    child.add("Empty")
    objects.give(child.graph, 1)
    outer = Builder(library)
    node = outer.add("ChildGraph", child.graph)
    launched = outer.instantiate()
    assert library.hipGraphDestroy(child.graph) == SUCCESS
    later = Builder(library)
    later.add("Empty")
    objects.give(later.graph, 2)
    assert library.hipGraphExecChildGraphNodeSetParams(launched, node, later.graph) == SUCCESS
    assert objects.gone == []  # the graph's own child node holds it still
    assert library.hipGraphDestroy(outer.graph) == SUCCESS
    assert objects.gone == [1]
    assert library.hipGraphDestroy(later.graph) == SUCCESS
    assert objects.gone == [1]
    assert library.hipGraphExecDestroy(launched) == SUCCESS
    assert objects.gone == [1, 2]


def test_what_an_instance_held_lasts_until_its_launches_are_done(builder, library, objects):
    first, second = Builder(library), Builder(library)
    objects.give(first.graph, 1)
    word = P()
    assert library.hipHostMalloc(ctypes.byref(word), SIZE(4), 0) == SUCCESS
    ctypes.memset(word, 0, 4)
    for made in (first, second):
        made.add("Memset", ctypes.byref(fill(word.value, 0, 1)))
    launched, stream = first.instantiate(), P()
    assert library.hipStreamCreate(ctypes.byref(stream)) == SUCCESS
    flag = P()
    assert library.hipHostMalloc(ctypes.byref(flag), SIZE(4), 0) == SUCCESS
    ctypes.memset(flag, 0, 4)
    assert library.hipStreamWaitValue32(stream, flag, ctypes.c_uint32(1), 0, ctypes.c_uint32(0xFFFFFFFF)) == SUCCESS
    assert library.hipGraphLaunch(launched, stream) == SUCCESS
    assert update(builder, launched, second.graph)[0] == SUCCESS
    assert library.hipGraphDestroy(first.graph) == SUCCESS
    assert objects.gone == []
    ctypes.memset(flag, 1, 4)
    assert library.hipStreamSynchronize(stream) == SUCCESS
    assert library.hipStreamDestroy(stream) == SUCCESS
    for pointer in (flag, word):
        assert library.hipHostFree(pointer) == SUCCESS
    assert objects.gone == [1]
    assert library.hipGraphExecDestroy(launched) == SUCCESS
    assert library.hipGraphDestroy(second.graph) == SUCCESS


class Window(ctypes.Structure):
    _fields_ = [("base", P), ("hit", ctypes.c_int), ("ratio", ctypes.c_float), ("miss", ctypes.c_int), ("bytes", SIZE)]


class Value(ctypes.Union):
    _fields_ = [("window", Window), ("rest", ctypes.c_char * 64)]


ACCESS_POLICY_WINDOW = 1


@pytest.mark.parametrize(
    ("window", "status"),
    [
        (Window(None, 2, 0.5, 1, 4096), SUCCESS),
        (Window(None, 0, 1.5, 0, 4096), INVALID),
        (Window(None, 7, 0.5, 0, 4096), INVALID),
        (Window(None, 2, 0.5, 2, 4096), INVALID),  # accesses that miss cannot persist
        (Window(None, 2, 0.5, 0, 1 << 40), INVALID),
    ],
)
def test_windows_of_streams(library, window, status):
    stream, told = P(), Value()
    assert library.hipStreamCreate(ctypes.byref(stream)) == SUCCESS
    given = Value(window=window)
    assert library.hipStreamSetAttribute(stream, ACCESS_POLICY_WINDOW, ctypes.byref(given)) == status
    assert library.hipStreamGetAttribute(stream, ACCESS_POLICY_WINDOW, ctypes.byref(told)) == SUCCESS
    assert bytes(told) == (bytes(given) if status == SUCCESS else bytes(64))
    assert library.hipStreamDestroy(stream) == SUCCESS


def test_a_captured_kernel_keeps_the_window_of_its_stream(library, kernels, basic):
    stream, graph, node, one, told = P(), P(), P(), SIZE(1), Value()
    assert library.hipStreamCreate(ctypes.byref(stream)) == SUCCESS
    given = Value(window=Window(None, 1, 0.25, 0, 8192))
    assert library.hipStreamSetAttribute(stream, ACCESS_POLICY_WINDOW, ctypes.byref(given)) == SUCCESS
    out = P()
    assert library.hipMalloc(ctypes.byref(out), SIZE(64)) == SUCCESS
    assert library.hipStreamBeginCapture(stream, 0) == SUCCESS
    parameters = (P * 1)(ctypes.addressof(out))
    function = P(int(kernels.function(basic, "geometry")))
    size = [ctypes.c_uint(1)] * 6
    assert library.hipModuleLaunchKernel(function, *size, ctypes.c_uint(0), stream, parameters, None) == SUCCESS
    assert library.hipStreamEndCapture(stream, ctypes.byref(graph)) == SUCCESS
    assert library.hipGraphGetNodes(graph, ctypes.byref(node), ctypes.byref(one)) == SUCCESS
    assert library.hipGraphKernelNodeGetAttribute(node, ACCESS_POLICY_WINDOW, ctypes.byref(told)) == SUCCESS
    assert bytes(told) == bytes(given)
    assert library.hipGraphDestroy(graph) == SUCCESS
    assert library.hipStreamDestroy(stream) == SUCCESS
    assert library.hipFree(out) == SUCCESS
