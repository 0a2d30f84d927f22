"""Kernels in graphs, and variables of modules in copies."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.hip_on_host.kernel_modules import check

P, SIZE = ctypes.c_void_p, ctypes.c_size_t
SUCCESS, INVALID, INVALID_SYMBOL, INVALID_FUNCTION = 0, 1, 13, 98
TO_DEVICE, TO_HOST = 1, 2
COUNT = 256


class KernelParams(ctypes.Structure):
    _fields_ = [
        ("block", ctypes.c_uint * 3), ("extra", P), ("function", P), ("grid", ctypes.c_uint * 3), ("params", P),
        ("shared", ctypes.c_uint),
    ]  # fmt: skip


class Saxpy:
    """A launch of y = a x + y, kept alive with its arguments."""

    def __init__(self, kernels, basic, a):
        self.kernels = kernels
        self.x = kernels.device(np.arange(COUNT, dtype=np.float32))
        self.y = kernels.device(np.ones(COUNT, np.float32))
        self.function = kernels.function(basic, "saxpy")
        self.params = self.with_factor(a)

    def with_factor(self, a):
        self.arguments = ctypes.c_float(a), self.x, self.y, ctypes.c_uint64(COUNT)
        self.pointers = (P * 4)(*(ctypes.addressof(one) for one in self.arguments))
        three = ctypes.c_uint * 3
        return KernelParams(
            three(64, 1, 1), None, int(self.function), three(COUNT // 64, 1, 1), ctypes.addressof(self.pointers), 0
        )

    def result(self):
        return self.kernels.fetch(self.y, np.zeros(COUNT, np.float32))


@pytest.fixture
def graph(library):
    made = P()
    assert library.hipGraphCreate(ctypes.byref(made), 0) == SUCCESS
    yield made
    assert library.hipGraphDestroy(made) == SUCCESS


def instantiate(library, graph):
    made = P()
    assert library.hipGraphInstantiateWithFlags(ctypes.byref(made), graph, ctypes.c_ulonglong(0)) == SUCCESS
    return made


def launch(library, launched):
    assert library.hipGraphLaunch(launched, None) == SUCCESS
    assert library.hipDeviceSynchronize() == SUCCESS


def test_a_kernel_node_owns_its_arguments(library, kernels, basic, graph):
    saxpy, node = Saxpy(kernels, basic, 2.0), P()
    assert (
        library.hipGraphAddKernelNode(ctypes.byref(node), graph, None, SIZE(0), ctypes.byref(saxpy.params)) == SUCCESS
    )
    saxpy.arguments[0].value = 100.0  # the node has its own copy
    launched = instantiate(library, graph)
    launch(library, launched)
    x = np.arange(COUNT, dtype=np.float32)
    assert np.array_equal(saxpy.result(), 2 * x + 1)
    launch(library, launched)
    assert np.array_equal(saxpy.result(), 4 * x + 1)


def test_changing_a_kernel_node(library, kernels, basic, graph):
    saxpy, node = Saxpy(kernels, basic, 2.0), P()
    assert (
        library.hipGraphAddKernelNode(ctypes.byref(node), graph, None, SIZE(0), ctypes.byref(saxpy.params)) == SUCCESS
    )
    launched = instantiate(library, graph)
    changed = saxpy.with_factor(10.0)
    assert library.hipGraphExecKernelNodeSetParams(launched, node, ctypes.byref(changed)) == SUCCESS
    launch(library, launched)
    assert np.array_equal(saxpy.result(), 10 * np.arange(COUNT, dtype=np.float32) + 1)
    back = KernelParams()
    assert library.hipGraphKernelNodeGetParams(node, ctypes.byref(back)) == SUCCESS
    assert (list(back.block), list(back.grid), back.function) == ([64, 1, 1], [4, 1, 1], int(saxpy.function))
    factor = P.from_address(back.params).value
    assert ctypes.c_float.from_address(factor or 0).value == 2.0


def test_kernel_nodes_that_cannot_be(library, kernels, basic, graph):
    saxpy, node = Saxpy(kernels, basic, 2.0), P()

    def add(params):
        return library.hipGraphAddKernelNode(ctypes.byref(node), graph, None, SIZE(0), ctypes.byref(params))

    params = saxpy.with_factor(1.0)
    params.function = 0x1000
    assert add(params) == INVALID_FUNCTION
    params = saxpy.with_factor(1.0)
    params.params = None
    assert add(params) == INVALID
    assert library.hipGraphAddKernelNode(ctypes.byref(node), graph, None, SIZE(0), None) == INVALID


def test_a_captured_launch(hip, library, kernels, basic):
    saxpy = Saxpy(kernels, basic, 3.0)
    stream = P()
    assert library.hipStreamCreate(ctypes.byref(stream)) == SUCCESS
    assert library.hipStreamBeginCapture(stream, 0) == SUCCESS
    check(kernels.launch(saxpy.function, 4, 64, *saxpy.arguments, stream=stream.value))
    made, count = P(), SIZE()
    assert library.hipStreamEndCapture(stream, ctypes.byref(made)) == SUCCESS
    assert library.hipGraphGetNodes(made, None, ctypes.byref(count)) == SUCCESS
    assert count.value == 1
    assert (saxpy.result() == 1).all()
    launch(library, instantiate(library, made))
    assert np.array_equal(saxpy.result(), 3 * np.arange(COUNT, dtype=np.float32) + 1)
    assert library.hipGraphDestroy(made) == SUCCESS
    assert library.hipStreamDestroy(stream) == SUCCESS


def test_pictures_name_the_kernel(library, kernels, basic, graph, tmp_path):
    saxpy, node = Saxpy(kernels, basic, 2.0), P()
    assert (
        library.hipGraphAddKernelNode(ctypes.byref(node), graph, None, SIZE(0), ctypes.byref(saxpy.params)) == SUCCESS
    )
    path = tmp_path / "kernel.dot"
    assert library.hipGraphDebugDotPrint(graph, str(path).encode(), 1) == SUCCESS
    assert "saxpy" in path.read_text(encoding="utf-8")


def variable(library, basic, name):
    address, size = P(), SIZE()
    outputs = ctypes.byref(address), ctypes.byref(size)
    assert library.hipModuleGetGlobal(*outputs, P(int(basic)), name) == SUCCESS
    return address, size.value


def test_variables_are_symbols(library, basic):
    address, size = variable(library, basic, b"scale")
    given, back = (ctypes.c_char * size)(*range(1, size + 1)), (ctypes.c_char * size)()
    assert library.hipMemcpyToSymbol(address, given, SIZE(size), SIZE(0), TO_DEVICE) == SUCCESS
    assert library.hipMemcpyFromSymbol(back, address, SIZE(size), SIZE(0), TO_HOST) == SUCCESS
    assert bytes(back) == bytes(given)
    assert library.hipMemcpyToSymbol(address, given, SIZE(1), SIZE(size), TO_DEVICE) == INVALID
    assert library.hipMemcpyToSymbol(address, given, SIZE(size + 1), SIZE(0), TO_DEVICE) == INVALID
    assert library.hipMemcpyToSymbol(address, given, SIZE(size), SIZE(0), TO_HOST) == 21
    assert library.hipMemcpyToSymbol(given, given, SIZE(size), SIZE(0), TO_DEVICE) == INVALID_SYMBOL
    found, length = P(), SIZE()
    assert library.hipGetSymbolAddress(ctypes.byref(found), address) == SUCCESS
    assert library.hipGetSymbolSize(ctypes.byref(length), address) == SUCCESS
    assert (found.value, length.value) == (address.value, size)
    assert library.hipGetSymbolSize(ctypes.byref(length), None) == INVALID_SYMBOL


def test_symbols_in_graphs(library, basic, graph):
    address, size = variable(library, basic, b"counter")
    given, node = (ctypes.c_char * size)(*[5] * size), P()
    added = library.hipGraphAddMemcpyNodeToSymbol(
        ctypes.byref(node), graph, None, SIZE(0), address, given, SIZE(size), SIZE(0), TO_DEVICE
    )
    assert added == SUCCESS
    launch(library, instantiate(library, graph))
    back = (ctypes.c_char * size)()
    assert library.hipMemcpyFromSymbol(back, address, SIZE(size), SIZE(0), TO_HOST) == SUCCESS
    assert bytes(back) == bytes(given)


class Rounds:
    """A launch that only goes well when all blocks are there at once."""

    def __init__(self, kernels, basic, blocks):
        self.kernels = kernels
        self.arrived, self.wrong = (kernels.device(np.zeros(1, np.int32)) for _ in range(2))
        self.arguments = self.arrived, self.wrong, ctypes.c_int(3)
        self.pointers = (P * 3)(*(ctypes.addressof(one) for one in self.arguments))
        three = ctypes.c_uint * 3
        function = int(kernels.function(basic, "grid_rounds"))
        self.params = KernelParams(
            three(32, 1, 1), None, function, three(blocks, 1, 1), ctypes.addressof(self.pointers), 0
        )

    def result(self):
        zero = np.zeros(1, np.int32)
        return int(self.kernels.fetch(self.arrived, zero)[0]), int(self.kernels.fetch(self.wrong, zero)[0])


COOPERATIVE, TOO_LARGE = 2, 720


def test_a_kernel_node_that_is_made_cooperative(library, kernels, basic, graph):
    rounds, node, other = Rounds(kernels, basic, 4), P(), P()
    value = (ctypes.c_int * 16)(1)
    for made in (node, other):
        status = library.hipGraphAddKernelNode(ctypes.byref(made), graph, None, SIZE(0), ctypes.byref(rounds.params))
        assert status == SUCCESS
    assert library.hipGraphKernelNodeSetAttribute(node, COOPERATIVE, value) == SUCCESS
    assert library.hipGraphKernelNodeCopyAttributes(node, other) == SUCCESS
    assert library.hipGraphDestroyNode(node) == SUCCESS
    assert library.hipGraphKernelNodeSetParams(other, ctypes.byref(rounds.params)) == SUCCESS  # it stays so
    back = (ctypes.c_int * 16)()
    assert library.hipGraphKernelNodeGetAttribute(other, COOPERATIVE, back) == SUCCESS
    assert back[0] == 1
    launched = instantiate(library, graph)
    launch(library, launched)
    assert rounds.result() == (3 * 4 * 32, 0)
    assert library.hipGraphExecKernelNodeSetParams(launched, other, ctypes.byref(rounds.params)) == SUCCESS
    launch(library, launched)
    assert rounds.result()[0] == 2 * 3 * 4 * 32


def test_a_kernel_node_too_large_to_be_cooperative(library, kernels, basic, graph):
    rounds, node = Rounds(kernels, basic, 60_000), P()
    value = (ctypes.c_int * 16)(1)
    assert (
        library.hipGraphAddKernelNode(ctypes.byref(node), graph, None, SIZE(0), ctypes.byref(rounds.params)) == SUCCESS
    )
    assert library.hipGraphKernelNodeSetAttribute(node, COOPERATIVE, value) == TOO_LARGE


def test_a_captured_cooperative_launch_is_a_cooperative_node(hip, library, kernels, basic):
    rounds, stream, graph = Rounds(kernels, basic, 2), P(), P()
    assert library.hipStreamCreate(ctypes.byref(stream)) == SUCCESS
    assert library.hipStreamBeginCapture(stream, 0) == SUCCESS
    assert (
        int(kernels.launch(rounds.params.function, 2, 32, *rounds.arguments, stream=stream, cooperative=True)[0]) == 0
    )
    assert library.hipStreamEndCapture(stream, ctypes.byref(graph)) == SUCCESS
    node, count, back = P(), SIZE(1), (ctypes.c_int * 16)()
    assert library.hipGraphGetNodes(graph, ctypes.byref(node), ctypes.byref(count)) == SUCCESS
    assert library.hipGraphKernelNodeGetAttribute(node, COOPERATIVE, back) == SUCCESS
    assert back[0] == 1
    assert library.hipGraphDestroy(graph) == SUCCESS
    assert library.hipStreamDestroy(stream) == SUCCESS
