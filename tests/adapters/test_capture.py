"""Stream capture: its state, the changes that it lets a program make, and the mode of a thread."""

import pytest

from tests.adapters.answers import failed, not_a_list, ok, raising


@pytest.fixture
def stream(cuda):
    made = ok(cuda.driver.cuStreamCreate(cuda.driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
    yield made
    ok(cuda.driver.cuStreamDestroy(made))


@pytest.fixture
def capturing(cuda, stream):
    """A stream in capture, with one node captured, and the memory that it fills."""
    driver = cuda.driver
    memory = ok(driver.cuMemAlloc(64))
    ok(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED))
    ok(driver.cuMemsetD8Async(memory, 1, 64, stream))
    yield stream
    if ok(driver.cuStreamIsCapturing(stream)):
        ok(driver.cuGraphDestroy(ok(driver.cuStreamEndCapture(stream))))
    ok(driver.cuMemFree(memory))


def test_a_stream_that_captures_nothing(cuda, stream):
    driver, runtime = cuda.driver, cuda.runtime
    status, number, graph, nodes, count = ok(driver.cuStreamGetCaptureInfo(stream))
    assert status is driver.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_NONE
    assert (type(number), int(number), type(graph), int(graph)) == (driver.cuuint64_t, 0, driver.CUgraph, 0)
    assert (nodes, count) == ([], 0)
    answer = ok(runtime.cudaStreamGetCaptureInfo(stream))
    assert answer[0] is runtime.cudaStreamCaptureStatus.cudaStreamCaptureStatusNone
    assert (type(answer[1]), type(answer[2])) == (int, runtime.cudaGraph_t)
    assert ok(driver.cuStreamGetCaptureInfo_v3(stream))[4:] == [[], 0]


def test_what_is_captured_is_told(cuda, capturing):
    driver = cuda.driver
    status, number, graph, nodes, count = ok(driver.cuStreamGetCaptureInfo(capturing))
    assert status is driver.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_ACTIVE
    assert int(number) > 0
    assert (len(nodes), count, type(nodes[0])) == (1, 1, driver.CUgraphNode)
    assert ok(driver.cuGraphGetNodes(graph, 1)) == [nodes, 1]
    assert [type(edge) for edge in ok(driver.cuStreamGetCaptureInfo_v3(capturing))[4]] == [driver.CUgraphEdgeData]
    ended = ok(driver.cuStreamEndCapture(capturing))
    assert (type(ended), ended) == (driver.CUgraph, graph)
    ok(driver.cuGraphDestroy(ended))


def test_dependencies_of_what_comes_next_are_set(cuda, capturing):
    driver = cuda.driver
    flags = driver.CUstreamUpdateCaptureDependencies_flags
    graph, before = ok(driver.cuStreamGetCaptureInfo(capturing))[2:4]
    node = ok(driver.cuGraphAddEmptyNode(graph, None, 0))
    update = driver.cuStreamUpdateCaptureDependencies
    ok(update(capturing, [node], 1, flags.CU_STREAM_ADD_CAPTURE_DEPENDENCIES))
    assert set(ok(driver.cuStreamGetCaptureInfo(capturing))[3]) == {node, *before}
    ok(update(capturing, [node], 1, flags.CU_STREAM_SET_CAPTURE_DEPENDENCIES))
    assert ok(driver.cuStreamGetCaptureInfo(capturing))[3] == [node]
    ok(driver.cuStreamUpdateCaptureDependencies_v2(capturing, before, [driver.CUgraphEdgeData()], 1, 1))
    assert ok(driver.cuStreamGetCaptureInfo(capturing))[3] == before
    with raising(TypeError, not_a_list("dependencies", "cydriver.CUgraphNode,")):
        update(capturing, [graph], 1, 0)
    with raising(RuntimeError, "List is too small: 1 < 2"):
        update(capturing, [node], 2, 0)


def test_capture_into_a_graph_that_is_there(cuda, stream):
    driver = cuda.driver
    graph = ok(driver.cuGraphCreate(0))
    first = ok(driver.cuGraphAddEmptyNode(graph, None, 0))
    mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
    ok(driver.cuStreamBeginCaptureToGraph(stream, graph, [first], None, 1, mode))
    assert ok(driver.cuStreamGetCaptureInfo(stream))[2:4] == [graph, [first]]
    assert ok(driver.cuStreamEndCapture(stream)) == graph
    ok(driver.cuStreamBeginCaptureToGraph(stream, graph, [first], [driver.CUgraphEdgeData()], 1, mode))
    ok(driver.cuStreamEndCapture(stream))
    with raising(TypeError, not_a_list("dependencyData", "cydriver.CUgraphEdgeData,")):
        driver.cuStreamBeginCaptureToGraph(stream, graph, [first], [first], 1, mode)
    ok(driver.cuGraphDestroy(graph))


@pytest.mark.parametrize("joined", [True, False])
def test_a_stream_that_took_part_may_be_destroyed(cuda, capturing, joined):
    driver = cuda.driver
    memory, event, other = ok(driver.cuMemAlloc(64)), ok(driver.cuEventCreate(0)), ok(driver.cuStreamCreate(1))
    ok(driver.cuEventRecord(event, capturing))
    ok(driver.cuStreamWaitEvent(other, event, 0))
    ok(driver.cuMemsetD8Async(memory, 2, 64, other))
    if joined:
        ok(driver.cuEventRecord(event, other))
        ok(driver.cuStreamWaitEvent(capturing, event, 0))
    ok(driver.cuStreamDestroy(other))
    ok(driver.cuEventDestroy(event))
    active = driver.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_ACTIVE
    assert ok(driver.cuStreamIsCapturing(capturing)) is active
    if joined:
        graph = ok(driver.cuStreamEndCapture(capturing))
        assert ok(driver.cuGraphGetNodes(graph))[1] == 2
        ok(driver.cuGraphDestroy(graph))
    else:
        failed(driver.cuStreamEndCapture(capturing), "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", 1)
    ok(driver.cuMemFree(memory))


def test_a_capture_is_lost_with_its_first_stream(cuda):
    driver = cuda.driver
    first, other, event = ok(driver.cuStreamCreate(1)), ok(driver.cuStreamCreate(1)), ok(driver.cuEventCreate(0))
    ok(driver.cuStreamBeginCapture(first, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED))
    ok(driver.cuEventRecord(event, first))
    ok(driver.cuStreamWaitEvent(other, event, 0))
    ok(driver.cuStreamDestroy(first))
    lost = driver.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_INVALIDATED
    assert ok(driver.cuStreamIsCapturing(other)) is lost
    ok(driver.cuStreamDestroy(other))
    ok(driver.cuEventDestroy(event))


def test_the_mode_of_a_thread_is_exchanged(cuda):
    driver, runtime = cuda.driver, cuda.runtime
    modes = driver.CUstreamCaptureMode
    was = ok(driver.cuThreadExchangeStreamCaptureMode(modes.CU_STREAM_CAPTURE_MODE_RELAXED))
    assert was is modes.CU_STREAM_CAPTURE_MODE_GLOBAL
    assert ok(driver.cuThreadExchangeStreamCaptureMode(int(was))) is modes.CU_STREAM_CAPTURE_MODE_RELAXED
    name = runtime.cudaStreamCaptureMode.cudaStreamCaptureModeGlobal
    assert ok(runtime.cudaThreadExchangeStreamCaptureMode(name)) is name
    failed(driver.cuThreadExchangeStreamCaptureMode(9), "CUDA_ERROR_INVALID_VALUE", 1)
    with raising(TypeError, "Argument 'mode' must not be None"):
        driver.cuThreadExchangeStreamCaptureMode(None)


def test_what_is_no_stream(cuda):
    with raising(TypeError, "an integer is required"):
        cuda.driver.cuStreamGetCaptureInfo("stream")
    with raising(TypeError, "int() argument must be a string, a bytes-like object or a real number, not 'list'"):
        cuda.driver.cuStreamBeginCapture(0, [])
    failed(cuda.driver.cuStreamEndCapture(0), "CUDA_ERROR_ILLEGAL_STATE", 1)


def test_captured_copies_have_the_drivers_parameters(cuda, stream):
    """Each end is the memory that the call names, and a plain copy has no pitches."""
    driver, count = cuda.driver, 24
    types = driver.CUmemorytype
    host, device, either = types.CU_MEMORYTYPE_HOST, types.CU_MEMORYTYPE_DEVICE, types.CU_MEMORYTYPE_UNIFIED
    near, far = (int(ok(driver.cuMemAlloc(64))) for _ in range(2))
    pinned = int(ok(driver.cuMemAllocHost(64)))
    copies = [
        (driver.cuMemcpyDtoDAsync, (far, device), (near, device)),
        (driver.cuMemcpyHtoDAsync, (far, device), (pinned, host)),
        (driver.cuMemcpyDtoHAsync, (pinned, host), (near, device)),
        (driver.cuMemcpyAsync, (far, either), (near, either)),
        (driver.cuMemcpyAsync, (far, either), (pinned, either)),
    ]
    ok(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED))
    for copy, to, source in copies:
        ok(copy(to[0], source[0], count, stream))
    graph = ok(driver.cuStreamEndCapture(stream))
    nodes = ok(driver.cuGraphGetNodes(graph, len(copies)))[0]
    for node, (copy, to, source) in zip(nodes, copies, strict=True):
        params = ok(driver.cuGraphMemcpyNodeGetParams(node))
        for end, (address, kind) in (("dst", to), ("src", source)):
            place = f"{end}Host" if kind is host else f"{end}Device"
            assert getattr(params, f"{end}MemoryType") == kind, (copy.__name__, end)
            assert int(getattr(params, place)) == address, (copy.__name__, end)
            assert (getattr(params, f"{end}Pitch"), getattr(params, f"{end}Height")) == (0, 0), (copy.__name__, end)
        assert (params.WidthInBytes, params.Height, params.Depth) == (count, 1, 1)
        ok(driver.cuGraphMemcpyNodeSetParams(node, params))  # the node takes its own parameters
    ok(driver.cuGraphDestroy(graph))
    ok(driver.cuMemFreeHost(pinned))
    for memory in (near, far):
        ok(driver.cuMemFree(memory))
