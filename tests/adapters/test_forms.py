"""The forms of graph, capture and texture calls in CUDA 11 and CUDA 13, which the tests for CUDA 12 do not see."""

import ctypes

import pytest

import cuda_shim
from tests.adapters.answers import failed, ok
from tests.adapters.kernels import compile_code


@pytest.fixture
def eleven():
    with cuda_shim.enable(backend="cpu", cuda="11.8"):
        from cuda.bindings import driver

        ok(driver.cuInit(0))
        ok(driver.cuCtxPushCurrent(ok(driver.cuDevicePrimaryCtxRetain(0))))
        yield driver
        ok(driver.cuCtxPopCurrent())


@pytest.fixture
def thirteen():
    with cuda_shim.enable(backend="cpu", cuda="13.5"):
        from cuda.bindings import driver

        ok(driver.cuInit(0))
        ok(driver.cuCtxPushCurrent(ok(driver.cuDevicePrimaryCtxRetain(0))))
        yield driver
        ok(driver.cuCtxPopCurrent())


def test_instantiation_in_11_reports_the_node_at_fault(eleven):
    graph = ok(eleven.cuGraphCreate(0))
    executable, node = ok(eleven.cuGraphInstantiate(graph, b" " * 64, 64))
    assert (type(executable), type(node)) == (eleven.CUgraphExec, eleven.CUgraphNode)
    ok(eleven.cuGraphExecDestroy(executable))
    ok(eleven.cuGraphExecDestroy(ok(eleven.cuGraphInstantiateWithFlags(graph, 0))))
    ok(eleven.cuGraphDestroy(graph))


def test_updates_in_11_tell_node_and_reason_of_a_failure(eleven):
    graph, other = ok(eleven.cuGraphCreate(0)), ok(eleven.cuGraphCreate(0))
    executable, _ = ok(eleven.cuGraphInstantiate(graph, b" ", 1))
    reasons = eleven.CUgraphExecUpdateResult
    assert eleven.cuGraphExecUpdate(executable, other)[2] is reasons.CU_GRAPH_EXEC_UPDATE_SUCCESS
    ok(eleven.cuGraphAddEmptyNode(other, [], 0))
    status, node, reason = eleven.cuGraphExecUpdate(executable, other)
    assert status is eleven.CUresult.CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE
    assert (type(node), reason) == (eleven.CUgraphNode, reasons.CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED)
    ok(eleven.cuGraphExecDestroy(executable))


def test_capture_in_11_reports_status_and_id(eleven):
    stream = ok(eleven.cuStreamCreate(1))
    status, number = ok(eleven.cuStreamGetCaptureInfo(stream))
    assert status is eleven.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_NONE
    assert (type(number), int(number)) == (eleven.cuuint64_t, 0)
    assert len(ok(eleven.cuStreamGetCaptureInfo_v2(stream))) == 5
    ok(eleven.cuStreamDestroy(stream))


def test_the_longer_description_of_a_texture_in_11(eleven):
    from cuda.bindings import runtime

    kind = runtime.cudaChannelFormatKind.cudaChannelFormatKindUnsigned
    array = ok(runtime.cudaMallocArray(ok(runtime.cudaCreateChannelDesc(8, 0, 0, 0, kind)), 16, 16, 0))
    resource, sampling = runtime.cudaResourceDesc(), runtime.cudaTextureDesc_v2()
    resource.resType = runtime.cudaResourceType.cudaResourceTypeArray
    resource.res.array.array = array
    sampling.maxAnisotropy = 2
    texture = ok(runtime.cudaCreateTextureObject_v2(resource, sampling, None))
    reported = ok(runtime.cudaGetTextureObjectTextureDesc_v2(texture))
    assert (type(reported), reported.maxAnisotropy) == (runtime.cudaTextureDesc_v2, 2)
    ok(runtime.cudaDestroyTextureObject(texture))
    ok(runtime.cudaFreeArray(array))


def test_edges_in_13_have_data(thirteen):
    driver = thirteen
    graph = ok(driver.cuGraphCreate(0))
    a, b = (ok(driver.cuGraphAddEmptyNode(graph, None, 0)) for _ in range(2))
    ok(driver.cuGraphAddDependencies(graph, [a], [b], None, 1))
    from_, to, data, count = ok(driver.cuGraphGetEdges(graph, 1))
    assert (from_, to, [edge.type for edge in data], count) == ([a], [b], [0], 1)
    assert ok(driver.cuGraphNodeGetDependencies(b))[1:] == [[], 1]
    assert ok(driver.cuGraphNodeGetDependentNodes(a))[1:] == [[], 1]
    # These calls look at no lengths; CUDA refuses a missing list.
    failed(driver.cuGraphAddDependencies(graph, [a], [b], None, 2), "CUDA_ERROR_INVALID_VALUE")
    ok(driver.cuGraphRemoveDependencies(graph, [a], [b], None, 1))
    assert ok(driver.cuGraphGetEdges(graph)) == [[], [], [], 0]
    ok(driver.cuGraphDestroy(graph))


def test_capture_in_13_reports_edge_data(thirteen):
    driver = thirteen
    stream = ok(driver.cuStreamCreate(1))
    ok(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
    graph = ok(driver.cuStreamGetCaptureInfo(stream))[2]
    node = ok(driver.cuGraphAddEmptyNode(graph, None, 0))
    ok(driver.cuStreamUpdateCaptureDependencies(stream, [node], None, 1, 1))
    _, _, _, nodes, data, count = ok(driver.cuStreamGetCaptureInfo(stream))
    assert (nodes, len(data), count) == ([node], 1, 1)
    ok(driver.cuGraphDestroy(ok(driver.cuStreamEndCapture(stream))))
    ok(driver.cuStreamDestroy(stream))


def test_nodes_in_13_tell_their_parameters_whatever_their_type(thirteen):
    driver = thirteen
    kinds, graph = driver.CUgraphNodeType, ok(driver.cuGraphCreate(0))
    fill = driver.CUDA_MEMSET_NODE_PARAMS()
    memory = ok(driver.cuMemAlloc(64))
    fill.dst, fill.value, fill.elementSize, fill.width, fill.height = memory, 1, 1, 64, 1
    event = ok(driver.cuEventCreate(0))
    copy = driver.CUDA_MEMCPY3D()
    copy.srcMemoryType = copy.dstMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE
    copy.srcDevice, copy.dstDevice = memory, int(memory) + 32
    copy.WidthInBytes, copy.Height, copy.Depth = 32, 1, 1
    nodes = {
        "MEMSET": ok(driver.cuGraphAddMemsetNode(graph, None, 0, fill, 0)),
        "MEMCPY": ok(driver.cuGraphAddMemcpyNode(graph, None, 0, copy, 0)),
        "EVENT_RECORD": ok(driver.cuGraphAddEventRecordNode(graph, None, 0, event)),
        "EMPTY": ok(driver.cuGraphAddEmptyNode(graph, None, 0)),
    }
    reported = {name: ok(driver.cuGraphNodeGetParams(node)) for name, node in nodes.items()}
    for name, params in reported.items():
        assert params.type is getattr(kinds, f"CU_GRAPH_NODE_TYPE_{name}")
    assert int(reported["MEMSET"].memset.dst) == int(memory)
    assert reported["MEMCPY"].memcpy.copyParams.WidthInBytes == 32
    assert reported["EVENT_RECORD"].eventRecord.event == event
    ok(driver.cuGraphNodeSetParams_v2(nodes["MEMSET"], reported["MEMSET"]))
    failed(driver.cuGraphNodeGetParams(0), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(driver.cuGraphGetId(graph), "CUDA_ERROR_NOT_SUPPORTED", 1)
    ok(driver.cuGraphDestroy(graph))
    ok(driver.cuEventDestroy(event))
    ok(driver.cuMemFree(memory))


def test_attributes_are_copied_in_13_from_the_second_to_the_first(thirteen):
    from cuda.bindings import nvrtc, runtime

    driver = thirteen
    module = ok(driver.cuModuleLoadData(compile_code(nvrtc)))
    params = driver.CUDA_KERNEL_NODE_PARAMS()
    params.func = ok(driver.cuModuleGetFunction(module, b"first"))
    params.gridDimX = params.gridDimY = params.gridDimZ = 1
    params.blockDimX = params.blockDimY = params.blockDimZ = 1
    params.kernelParams = ((0,), (ctypes.c_void_p,))
    graph, priority = ok(driver.cuGraphCreate(0)), driver.CUkernelNodeAttrID.CU_LAUNCH_ATTRIBUTE_PRIORITY
    to, from_ = (ok(driver.cuGraphAddKernelNode(graph, None, 0, params)) for _ in range(2))
    value = driver.CUkernelNodeAttrValue()
    value.priority = -1
    ok(driver.cuGraphKernelNodeSetAttribute(from_, priority, value))
    ok(runtime.cudaGraphKernelNodeCopyAttributes(to, from_))
    assert ok(driver.cuGraphKernelNodeGetAttribute(to, priority)).priority == -1
    ok(driver.cuGraphDestroy(graph))
    ok(driver.cuModuleUnload(module))
