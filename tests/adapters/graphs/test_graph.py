"""Graphs: nodes and edges, and the parameters of nodes."""

import ctypes

import numpy as np

from tests.adapters.answers import failed, not_a_list, ok, raising
from tests.adapters.graphs.nodes import ADD, COUNT, adding, allocation, empty, run
from tests.adapters.kernels import compile_code


def test_kernel_nodes_run_in_order(cuda, graph, function, memory, stream):
    first = ok(cuda.driver.cuGraphAddKernelNode(graph, None, 0, adding(cuda, function, memory, 2)))
    assert type(first) is cuda.driver.CUgraphNode
    ok(cuda.driver.cuGraphAddKernelNode(graph, [first], 1, adding(cuda, function, memory, 3)))
    executable = ok(cuda.driver.cuGraphInstantiate(graph, 0))
    assert type(executable) is cuda.driver.CUgraphExec
    assert run(cuda, executable, stream, memory) == 5
    ok(cuda.driver.cuGraphExecKernelNodeSetParams(executable, first, adding(cuda, function, memory, 10)))
    assert run(cuda, executable, stream, memory) == 18
    ok(cuda.driver.cuGraphUpload(executable, stream))
    assert int(ok(cuda.driver.cuGraphExecGetFlags(executable))) == 0
    ok(cuda.driver.cuGraphExecDestroy(executable))


def test_arguments_of_a_node_are_copied_into_it(cuda, graph, function, memory, stream):
    ok(cuda.driver.cuGraphAddKernelNode(graph, None, 0, adding(cuda, function, memory, 7)))
    executable = ok(cuda.driver.cuGraphInstantiate(graph, 0))
    assert run(cuda, executable, stream, memory) == 7
    ok(cuda.driver.cuGraphExecDestroy(executable))


def test_parameters_of_a_kernel_node_are_told(cuda, graph, function, memory):
    node = ok(cuda.driver.cuGraphAddKernelNode(graph, [], 0, adding(cuda, function, memory, 2)))
    told = ok(cuda.driver.cuGraphKernelNodeGetParams(node))
    assert type(told) is cuda.driver.CUDA_KERNEL_NODE_PARAMS
    assert (told.func, told.blockDimX, told.gridDimZ, told.sharedMemBytes) == (function, COUNT, 1, 0)
    assert told.kernelParams
    ok(cuda.driver.cuGraphKernelNodeSetParams(node, adding(cuda, function, memory, 4)))
    assert ok(cuda.driver.cuGraphNodeGetType(node)) is cuda.driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_KERNEL


def test_parameters_in_one_buffer(cuda, graph, function, memory, stream):
    driver, runtime = cuda.driver, cuda.runtime
    to, by, size = ctypes.c_void_p(int(memory)), ctypes.c_int(5), ctypes.c_size_t(12)
    packed = (ctypes.c_char * 12)()
    ctypes.memmove(packed, ctypes.byref(to), 8)
    ctypes.memmove(ctypes.addressof(packed) + 8, ctypes.byref(by), 4)
    marks = (ctypes.c_void_p * 5)(1, ctypes.addressof(packed), 2, ctypes.addressof(size), 0)
    params = adding(cuda, function, memory, 0)
    params.kernelParams, params.extra = 0, ctypes.addressof(marks)
    node = ok(driver.cuGraphAddKernelNode(graph, None, 0, params))
    assert params.extra == ctypes.addressof(marks)
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    assert run(cuda, executable, stream, memory) == 5
    packed[8] = b"\7"
    ok(driver.cuGraphExecKernelNodeSetParams(executable, node, params))
    assert run(cuda, executable, stream, memory) == 12
    ok(driver.cuGraphExecDestroy(executable))
    described = runtime.cudaKernelNodeParams()
    described.func, described.blockDim.x, described.extra = int(function), COUNT, ctypes.addressof(marks)
    ok(runtime.cudaGraphAddKernelNode(graph, [node], 1, described))
    any_type = driver.CUgraphNodeParams()
    any_type.type, any_type.kernel = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_KERNEL, _as_any(cuda, params)
    ok(driver.cuGraphAddNode(graph, [node], 1, any_type))
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    assert run(cuda, executable, stream, memory) == 12 + 5 + 7 + 7
    ok(driver.cuGraphExecDestroy(executable))


def _as_any(cuda, params):
    """A kernel node's description in the form that nodes of any type have."""
    made = cuda.driver.CUgraphNodeParams().kernel
    for name in ("func", "gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ", "extra"):
        setattr(made, name, getattr(params, name))
    return made


def test_a_kernel_of_a_library_stands_for_its_function(cuda, graph, memory, stream):
    driver = cuda.driver
    library = ok(driver.cuLibraryLoadData(compile_code(cuda.nvrtc, ADD), [], [], 0, [], [], 0))
    params = adding(cuda, 0, memory, 6)
    params.kern = ok(driver.cuLibraryGetKernel(library, b"add"))
    ok(driver.cuGraphAddKernelNode(graph, None, 0, params))
    assert int(params.func) == 0
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    assert run(cuda, executable, stream, memory) == 6
    ok(driver.cuGraphExecDestroy(executable))
    params.kern = driver.CUkernel(8)
    failed(driver.cuGraphAddKernelNode(graph, None, 0, params), "CUDA_ERROR_INVALID_HANDLE", 1)
    ok(driver.cuLibraryUnload(library))


def test_nodes_and_edges_are_listed_in_two_calls(cuda, graph):
    a, b = empty(cuda, graph), empty(cuda, graph)
    c = empty(cuda, graph, a, b)
    assert ok(cuda.driver.cuGraphGetNodes(graph)) == [[], 3]
    assert ok(cuda.driver.cuGraphGetNodes(graph, 3)) == [[a, b, c], 3]
    assert ok(cuda.driver.cuGraphGetNodes(graph, numNodes=2)) == [[a, b], 2]
    assert ok(cuda.driver.cuGraphGetRootNodes(graph, 2)) == [[a, b], 2]
    assert ok(cuda.driver.cuGraphGetEdges(graph)) == [[], [], 2]
    assert ok(cuda.driver.cuGraphGetEdges(graph, 2)) == [[a, b], [c, c], 2]
    assert ok(cuda.driver.cuGraphNodeGetDependencies(c, 2)) == [[a, b], 2]
    assert ok(cuda.driver.cuGraphNodeGetDependentNodes(a, 1)) == [[c], 1]
    failed(cuda.driver.cuGraphGetNodes(0), "CUDA_ERROR_INVALID_VALUE", 2)
    failed(cuda.driver.cuGraphGetEdges(0, 1), "CUDA_ERROR_INVALID_VALUE", 3)


def test_room_for_more_than_there_is_stays_empty(cuda, graph):
    node = empty(cuda, graph)
    nodes, count = ok(cuda.driver.cuGraphGetNodes(graph, 3))
    assert ([int(each) for each in nodes], count) == ([int(node), 0, 0], 1)


def test_edges_are_added_and_removed(cuda, graph):
    a, b, c = (empty(cuda, graph) for _ in range(3))
    ok(cuda.driver.cuGraphAddDependencies(graph, [a, b], (b, c), 2))
    assert ok(cuda.driver.cuGraphGetEdges(graph, 2)) == [[a, b], [b, c], 2]
    ok(cuda.driver.cuGraphRemoveDependencies(graph, [a], [b], 1))
    assert ok(cuda.driver.cuGraphGetEdges(graph, 1)) == [[b], [c], 1]
    failed(cuda.driver.cuGraphRemoveDependencies(graph, [a], [b], 1), "CUDA_ERROR_INVALID_VALUE")


def test_edge_data_of_ordinary_edges_alone(cuda, graph):
    driver = cuda.driver
    a, b, c = (empty(cuda, graph) for _ in range(3))
    ordinary = driver.CUgraphEdgeData()
    ok(driver.cuGraphAddDependencies_v2(graph, [a], [b], None, 1))
    ok(driver.cuGraphAddDependencies_v2(graph, [b], [c], [ordinary], 1))
    from_, to, data, count = ok(driver.cuGraphGetEdges_v2(graph, 2))
    assert (from_, to, count) == ([a, b], [b, c], 2)
    assert [(type(edge), edge.from_port, edge.type) for edge in data] == [(driver.CUgraphEdgeData, 0, 0)] * 2
    assert ok(driver.cuGraphNodeGetDependencies_v2(b))[1:] == [[], 1]
    assert len(ok(driver.cuGraphNodeGetDependentNodes_v2(b, 1))[1]) == 1
    failed(driver.cuGraphGetEdges_v2(0, 1), "CUDA_ERROR_INVALID_VALUE", 4)
    ok(driver.cuGraphRemoveDependencies_v2(graph, [a], [b], [ordinary], 1))
    programmatic = driver.CUgraphEdgeData()
    programmatic.from_port = driver.CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC
    failed(driver.cuGraphAddDependencies_v2(graph, [a], [b], [programmatic], 1), "CUDA_ERROR_NOT_SUPPORTED")
    with raising(TypeError, not_a_list("edgeData", "cydriver.CUgraphEdgeData,")):
        driver.cuGraphAddDependencies_v2(graph, [a], [b], [1], 1)


def test_lists_of_nodes_are_checked(cuda, graph):
    add = cuda.driver.cuGraphAddEmptyNode
    with raising(TypeError, not_a_list("dependencies", "cydriver.CUgraphNode,")):
        add(graph, [1], 1)
    with raising(TypeError, not_a_list("pDependencies", "cyruntime.cudaGraphNode_t,driver.CUgraphNode")):
        cuda.runtime.cudaGraphAddEmptyNode(graph, [1], 1)
    with raising(RuntimeError, "List is too small: 0 < 1"):
        add(graph, None, 1)
    with raising(TypeError, "an integer is required"):
        add(graph, [1], "1")  # C's numbers are converted first
    with raising(TypeError, "an integer is required"):
        add("graph", [], 0)
    with raising(OverflowError, "can't convert negative value to size_t"):
        add(graph, [], -1)
    with raising(OverflowError, "Python int too large to convert to C unsigned long"):
        add(1 << 64, [], 0)
    failed(add(0, [], 0), "CUDA_ERROR_INVALID_VALUE", 1)


def test_nodes_of_the_driver_serve_the_runtime(cuda, graph):
    a = empty(cuda, graph)
    b = ok(cuda.runtime.cudaGraphAddEmptyNode(graph, [a], 1))
    assert type(b) is cuda.runtime.cudaGraphNode_t
    assert ok(cuda.driver.cuGraphNodeGetDependencies(b, 1)) == [[a], 1]
    assert ok(cuda.runtime.cudaGraphGetEdges(graph, 1))[2] == 1


def test_memory_nodes_tell_their_address(cuda, graph):
    driver = cuda.driver
    params = allocation(cuda, driver.CUDA_MEM_ALLOC_NODE_PARAMS(), 256)
    node = ok(driver.cuGraphAddMemAllocNode(graph, None, 0, params))
    assert type(params.dptr) is driver.CUdeviceptr
    assert int(params.dptr)
    assert params.bytesize == 256
    told = ok(driver.cuGraphMemAllocNodeGetParams(node))
    assert (int(told.dptr), told.bytesize) == (int(params.dptr), 256)
    freeing = ok(driver.cuGraphAddMemFreeNode(graph, [node], 1, params.dptr))
    freed = ok(driver.cuGraphMemFreeNodeGetParams(freeing))
    assert (type(freed), int(freed)) == (driver.CUdeviceptr, int(params.dptr))
    assert type(ok(cuda.runtime.cudaGraphMemFreeNodeGetParams(freeing))) is int


def test_fills_and_copies_of_the_runtime(cuda, graph, memory, stream):
    runtime = cuda.runtime
    fill = runtime.cudaMemsetParams()
    fill.dst, fill.value, fill.elementSize, fill.width, fill.height = int(memory), 6, 4, COUNT, 1
    node = ok(runtime.cudaGraphAddMemsetNode(graph, None, 0, fill))
    told = ok(runtime.cudaGraphMemsetNodeGetParams(node))
    assert (told.dst, told.value, told.elementSize, told.width) == (int(memory), 6, 4, COUNT)
    words, kind = np.zeros(COUNT, np.int32), runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
    ok(runtime.cudaGraphAddMemcpyNode1D(graph, [node], 1, words, int(memory), words.nbytes, kind))
    executable = ok(runtime.cudaGraphInstantiate(graph, 0))
    assert run(cuda, executable, stream, memory) == 6
    assert list(words) == [6] * COUNT
    ok(runtime.cudaGraphExecDestroy(executable))


def test_attributes_of_kernel_nodes_are_copied(cuda, graph, function, memory):
    driver = cuda.driver
    one, other = (ok(driver.cuGraphAddKernelNode(graph, None, 0, adding(cuda, function, memory, 1))) for _ in range(2))
    value, priority = driver.CUkernelNodeAttrValue(), driver.CUkernelNodeAttrID.CU_LAUNCH_ATTRIBUTE_PRIORITY
    value.priority = -1
    ok(driver.cuGraphKernelNodeSetAttribute(one, priority, value))
    ok(driver.cuGraphKernelNodeCopyAttributes(other, one))
    assert ok(driver.cuGraphKernelNodeGetAttribute(other, priority)).priority == -1
    value.priority = 0
    ok(driver.cuGraphKernelNodeSetAttribute(one, priority, value))
    ok(cuda.runtime.cudaGraphKernelNodeCopyAttributes(one, other))
    assert ok(driver.cuGraphKernelNodeGetAttribute(other, priority)).priority == 0


def test_a_graph_as_a_picture(cuda, graph, tmp_path):
    empty(cuda, graph)
    path = tmp_path / "graph.dot"
    ok(cuda.driver.cuGraphDebugDotPrint(graph, str(path).encode(), 0))
    assert path.read_text(encoding="utf-8").startswith("digraph")
    with raising(TypeError, "expected bytes, str found"):
        cuda.driver.cuGraphDebugDotPrint(graph, str(path), 0)


def test_events_and_children_in_graphs(cuda, graph):
    driver = cuda.driver
    event, other = ok(driver.cuEventCreate(0)), ok(driver.cuEventCreate(0))
    record = ok(driver.cuGraphAddEventRecordNode(graph, None, 0, event))
    assert ok(driver.cuGraphEventRecordNodeGetEvent(record)) == event
    ok(driver.cuGraphEventRecordNodeSetEvent(record, other))
    assert ok(driver.cuGraphEventRecordNodeGetEvent(record)) == other
    wait = ok(driver.cuGraphAddEventWaitNode(graph, [record], 1, event))
    assert ok(driver.cuGraphEventWaitNodeGetEvent(wait)) == event
    child = ok(driver.cuGraphCreate(0))
    node = ok(driver.cuGraphAddChildGraphNode(graph, None, 0, child))
    assert type(ok(driver.cuGraphChildGraphNodeGetGraph(node))) is driver.CUgraph
    failed(driver.cuGraphChildGraphNodeGetGraph(wait), "CUDA_ERROR_INVALID_VALUE", 1)
    for made in (event, other):
        ok(driver.cuEventDestroy(made))
    ok(driver.cuGraphDestroy(child))


def test_nodes_are_switched_off(cuda, graph, function, memory, stream):
    node = ok(cuda.driver.cuGraphAddKernelNode(graph, None, 0, adding(cuda, function, memory, 1)))
    executable = ok(cuda.driver.cuGraphInstantiate(graph, 0))
    assert cuda.driver.cuGraphNodeGetEnabled(executable, node) == (0, 1)
    ok(cuda.driver.cuGraphNodeSetEnabled(executable, node, 0))
    assert run(cuda, executable, stream, memory) == 0
    ok(cuda.driver.cuGraphExecDestroy(executable))
