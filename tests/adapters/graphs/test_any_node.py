"""Nodes of any type, described in one struct that all types share."""

import ctypes
from typing import Any

import numpy as np
import pytest

from tests.adapters.answers import failed, ok
from tests.adapters.graphs.nodes import ADD, COUNT, adding, allocation, kernel_description, run
from tests.adapters.kernels import compile_code


def test_a_node_of_any_type(cuda, graph, function, memory, stream):
    driver = cuda.driver
    params = kernel_description(cuda, memory, 3)
    params.kernel.func = function
    node = ok(driver.cuGraphAddNode(graph, None, 0, params))
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    assert run(cuda, executable, stream, memory) == 3
    params.kernel.kernelParams = ((memory, 4), (None, ctypes.c_int))
    ok(driver.cuGraphNodeSetParams(node, params))
    ok(driver.cuGraphExecNodeSetParams(executable, node, params))
    assert run(cuda, executable, stream, memory) == 7
    ok(driver.cuGraphExecDestroy(executable))
    failed(driver.cuGraphAddNode(graph, None, 0, None), "CUDA_ERROR_INVALID_VALUE", 1)
    params.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
    failed(driver.cuGraphAddNode(graph, None, 0, params), "CUDA_ERROR_INVALID_VALUE", 1)


@pytest.fixture(scope="module")
def kernel(cuda):
    library = ok(cuda.driver.cuLibraryLoadData(compile_code(cuda.nvrtc, ADD), [], [], 0, [], [], 0))
    yield ok(cuda.driver.cuLibraryGetKernel(library, b"add"))
    ok(cuda.driver.cuLibraryUnload(library))


def test_a_kernel_stands_for_its_function_in_nodes_of_any_type(cuda, graph, kernel, memory, stream):
    driver, params = cuda.driver, kernel_description(cuda, memory, 6)
    params.kernel.kern = kernel
    node = ok(driver.cuGraphAddNode(graph, None, 0, params))
    assert int(params.kernel.func) == 0
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    assert run(cuda, executable, stream, memory) == 6
    params.kernel.kernelParams = ((memory, 1), (None, ctypes.c_int))
    ok(driver.cuGraphNodeSetParams(node, params))
    ok(driver.cuGraphExecNodeSetParams(executable, node, params))
    assert run(cuda, executable, stream, memory) == 7
    ok(driver.cuGraphExecDestroy(executable))
    params.kernel.kern = driver.CUkernel(8)
    failed(driver.cuGraphAddNode(graph, None, 0, params), "CUDA_ERROR_INVALID_HANDLE", 1)
    failed(driver.cuGraphExecNodeSetParams(executable, node, params), "CUDA_ERROR_INVALID_HANDLE")


def test_a_function_counts_where_a_kernel_is_named_as_well(cuda, graph, function, memory, stream):
    driver, params = cuda.driver, kernel_description(cuda, memory, 2)
    params.kernel.func, params.kernel.kern = function, driver.CUkernel(8)
    ok(driver.cuGraphAddNode(graph, None, 0, params))
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    assert run(cuda, executable, stream, memory) == 2
    ok(driver.cuGraphExecDestroy(executable))


@pytest.mark.parametrize("ownership", ["CLONE", "MOVE"])
def test_a_child_graph_is_cloned_or_given_away(cuda, graph, function, memory, stream, ownership):
    driver = cuda.driver
    child = ok(driver.cuGraphCreate(0))
    ok(driver.cuGraphAddKernelNode(child, None, 0, adding(cuda, function, memory, 5)))
    params = driver.CUgraphNodeParams()
    params.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_GRAPH
    params.graph.graph = child
    params.graph.ownership = getattr(
        driver.CUgraphChildGraphNodeOwnership, f"CU_GRAPH_CHILD_GRAPH_OWNERSHIP_{ownership}"
    )
    node = ok(driver.cuGraphAddNode(graph, None, 0, params))
    assert ok(driver.cuGraphGetNodes(ok(driver.cuGraphChildGraphNodeGetGraph(node))))[1] == 1
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    assert run(cuda, executable, stream, memory) == 5
    ok(driver.cuGraphExecDestroy(executable))


def test_fills_events_and_host_functions_among_nodes_of_any_type(cuda, graph, memory, stream):
    driver = cuda.driver
    calls: list[Any] = []
    kinds, params = driver.CUgraphNodeType, driver.CUgraphNodeParams()
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(calls.append)
    event = ok(driver.cuEventCreate(0))
    params.type = kinds.CU_GRAPH_NODE_TYPE_MEMSET
    fill = params.memset
    fill.dst, fill.value, fill.elementSize, fill.width, fill.height = memory, 8, 4, COUNT, 1
    nodes = [ok(driver.cuGraphAddNode(graph, None, 0, params))]
    params.type = kinds.CU_GRAPH_NODE_TYPE_EVENT_RECORD
    params.eventRecord.event = event
    nodes.append(ok(driver.cuGraphAddNode(graph, nodes[-1:], 1, params)))
    params.type = kinds.CU_GRAPH_NODE_TYPE_WAIT_EVENT
    params.eventWait.event = event
    nodes.append(ok(driver.cuGraphAddNode(graph, nodes[-1:], 1, params)))
    params.type = kinds.CU_GRAPH_NODE_TYPE_HOST
    params.host.fn, params.host.userData = driver.CUhostFn(_ptr=ctypes.addressof(function)), 31
    nodes.append(ok(driver.cuGraphAddNode(graph, nodes[-1:], 1, params)))
    assert [ok(driver.cuGraphNodeGetType(node)).name.rpartition("TYPE_")[2] for node in nodes] == [
        "MEMSET", "EVENT_RECORD", "WAIT_EVENT", "HOST",
    ]  # fmt: skip
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    assert (run(cuda, executable, stream, memory), calls) == (8, [31])
    ok(driver.cuEventSynchronize(event))
    ok(driver.cuGraphExecDestroy(executable))
    ok(driver.cuEventDestroy(event))


def test_an_allocation_among_nodes_of_any_type(cuda, graph):
    params = cuda.driver.CUgraphNodeParams()
    params.type = cuda.driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_MEM_ALLOC
    allocation(cuda, params.alloc, 64)
    node = ok(cuda.driver.cuGraphAddNode(graph, None, 0, params))
    assert int(params.alloc.dptr)
    assert int(ok(cuda.driver.cuGraphMemAllocNodeGetParams(node)).dptr) == int(params.alloc.dptr)


def test_a_copy_of_the_driver_among_nodes_of_any_type(cuda, graph, memory, stream):
    driver = cuda.driver
    params = driver.CUgraphNodeParams()
    params.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_MEMCPY
    copy, words = params.memcpy.copyParams, np.full(COUNT, 9, np.int32)
    copy.srcMemoryType, copy.srcHost = driver.CUmemorytype.CU_MEMORYTYPE_HOST, words
    copy.dstMemoryType, copy.dstDevice = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE, memory
    copy.WidthInBytes, copy.Height, copy.Depth = words.nbytes, 1, 1
    node = ok(driver.cuGraphAddNode(graph, None, 0, params))
    assert ok(driver.cuGraphMemcpyNodeGetParams(node)).WidthInBytes == words.nbytes
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    assert run(cuda, executable, stream, memory) == 9
    other = np.full(COUNT, 4, np.int32)
    copy.srcHost = other
    ok(driver.cuGraphNodeSetParams(node, params))
    ok(driver.cuGraphExecNodeSetParams(executable, node, params))
    assert run(cuda, executable, stream, memory) == 4
    ok(driver.cuGraphExecDestroy(executable))


def test_operations_on_memory_among_nodes_of_any_type(cuda, graph, memory, stream):
    driver = cuda.driver
    operation = driver.CUstreamBatchMemOpParams()
    operation.writeValue.operation = driver.CUstreamBatchMemOpType.CU_STREAM_MEM_OP_WRITE_VALUE_32
    operation.writeValue.address, operation.writeValue.value = memory, 77
    params = driver.CUgraphNodeParams()
    params.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_BATCH_MEM_OP
    params.memOp.count, params.memOp.paramArray = 1, [operation]
    node = ok(driver.cuGraphAddNode(graph, None, 0, params))
    told = ok(driver.cuGraphBatchMemOpNodeGetParams(node))
    assert (type(told), told.count) == (driver.CUDA_BATCH_MEM_OP_NODE_PARAMS, 1)
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    ok(driver.cuGraphLaunch(executable, stream))
    ok(driver.cuStreamSynchronize(stream))
    word = np.zeros(1, np.int32)
    ok(driver.cuMemcpyDtoH(word, memory, 4))
    assert word[0] == 77
    ok(driver.cuGraphExecDestroy(executable))
