"""Nodes in the forms of CUDA 13: how the runtime names a kernel, and getters for nodes of any type."""

import ctypes

import pytest

from tests.adapters.answers import failed, ok
from tests.adapters.graphs.nodes import ADD, COUNT, kernel_description, run
from tests.adapters.kernels import compile_code

LAYOUT = "13.5"


@pytest.fixture(scope="module")
def kernel(cuda):
    library = ok(cuda.runtime.cudaLibraryLoadData(compile_code(cuda.nvrtc, ADD), [], [], 0, [], [], 0))
    yield ok(cuda.runtime.cudaLibraryGetKernel(library, b"add"))
    ok(cuda.runtime.cudaLibraryUnload(library))


@pytest.fixture
def params(cuda, memory):
    """The runtime's description of a kernel node, without the kernel."""
    made = cuda.runtime.cudaGraphNodeParams()
    made.type = cuda.runtime.cudaGraphNodeType.cudaGraphNodeTypeKernel
    for size in (made.kernel.gridDim, made.kernel.blockDim):
        size.x = size.y = size.z = 1
    made.kernel.blockDim.x = COUNT
    made.kernel.kernelParams = ((memory, 7), (None, ctypes.c_int))
    return made


@pytest.mark.parametrize("kind", ["Unspecified", "Function", "Kernel"])
def test_the_runtime_says_what_it_names_a_kernel_by(cuda, graph, function, kernel, params, memory, stream, kind):
    runtime = cuda.runtime
    params.kernel.functionType = getattr(runtime.cudaKernelFunctionType, f"cudaKernelFunctionType{kind}")
    if kind == "Kernel":
        params.kernel.kern = kernel
    elif kind == "Function":
        params.kernel.cuFunc = function
    else:
        params.kernel.func = int(function)
    ok(runtime.cudaGraphAddNode(graph, None, None, 0, params))
    executable = ok(runtime.cudaGraphInstantiate(graph, 0))
    assert run(cuda, executable, stream, memory) == 7
    ok(runtime.cudaGraphExecDestroy(executable))


def test_what_is_no_kernel_is_refused_with_the_runtimes_status(cuda, graph, params):
    params.kernel.functionType = cuda.runtime.cudaKernelFunctionType.cudaKernelFunctionTypeKernel
    params.kernel.kern = cuda.runtime.cudaKernel_t(8)
    failed(cuda.runtime.cudaGraphAddNode(graph, None, None, 0, params), "cudaErrorInvalidResourceHandle", 1)


def test_a_child_graph_that_nobody_owns_is_cloned(cuda, graph):
    """As CUDA's driver does with an ownership that its header calls invalid."""
    driver, params = cuda.driver, cuda.driver.CUgraphNodeParams()
    params.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_GRAPH
    params.graph.graph = child = ok(driver.cuGraphCreate(0))
    params.graph.ownership = driver.CUgraphChildGraphNodeOwnership.CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID
    ok(driver.cuGraphAddNode(graph, None, None, 0, params))
    assert ok(driver.cuGraphGetNodes(graph, 1))[1] == 1
    ok(driver.cuGraphDestroy(child))


def test_getters_tell_the_parameters_of_nodes_of_both_modules(cuda, graph, function, memory):
    driver, runtime = cuda.driver, cuda.runtime
    description = kernel_description(cuda, memory, 3)
    description.kernel.func = function
    node = ok(driver.cuGraphAddNode(graph, None, None, 0, description))
    told = ok(driver.cuGraphNodeGetParams(node))
    assert (told.type, told.kernel.func, told.kernel.blockDimX) == (description.type, function, COUNT)
    told = ok(runtime.cudaGraphNodeGetParams(node))
    assert told.type is runtime.cudaGraphNodeType.cudaGraphNodeTypeKernel
    assert (told.kernel.func, told.kernel.blockDim.x) == (int(function), COUNT)
    ok(runtime.cudaGraphNodeSetParams(node, told))
    copy = ok(
        runtime.cudaGraphAddMemcpyNode1D(
            graph, [node], 1, int(memory), int(memory) + 32, 16, runtime.cudaMemcpyKind.cudaMemcpyDeviceToDevice
        )
    )
    told = ok(runtime.cudaGraphNodeGetParams(copy))
    assert told.type is runtime.cudaGraphNodeType.cudaGraphNodeTypeMemcpy
    assert told.memcpy.copyParams.extent.width == 16
    failed(runtime.cudaGraphNodeGetParams(0), "cudaErrorInvalidValue", 1)


def test_room_for_more_than_there_is_stays_empty(cuda, graph):
    driver = cuda.driver
    first = ok(driver.cuGraphAddEmptyNode(graph, None, 0))
    second = ok(driver.cuGraphAddEmptyNode(graph, [first], 1))
    from_, to, data, count = ok(driver.cuGraphGetEdges(graph, 3))
    assert ([int(node) for node in from_], [int(node) for node in to]) == ([int(first), 0, 0], [int(second), 0, 0])
    assert ([type(edge) for edge in data], count) == ([driver.CUgraphEdgeData] * 3, 1)
    nodes, data, count = ok(cuda.runtime.cudaGraphNodeGetDependencies(second, 2))
    assert ([int(node) for node in nodes], len(data), count) == ([int(first), 0], 2, 1)
    failed(driver.cuGraphGetEdges(0, 2), "CUDA_ERROR_INVALID_VALUE", 4)


def test_a_captured_host_function_is_the_programs(cuda, stream):
    driver, runtime = cuda.driver, cuda.runtime
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)
    pointer = driver.CUhostFn(_ptr=ctypes.addressof(function))
    ok(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED))
    ok(driver.cuLaunchHostFunc(stream, pointer, 7))
    graph = ok(driver.cuStreamEndCapture(stream))
    node = ok(driver.cuGraphGetNodes(graph, 1))[0][0]
    for params in (ok(driver.cuGraphNodeGetParams(node)), ok(runtime.cudaGraphNodeGetParams(int(node)))):
        assert (int(params.host.fn), params.host.userData) == (int(pointer), 7)
    ok(driver.cuGraphDestroy(graph))
