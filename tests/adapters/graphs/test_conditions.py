"""Conditional nodes: which bodies run, how often, and the uses that CUDA's documentation allows."""

from __future__ import annotations

import ctypes
import textwrap

import pytest

from tests.adapters.answers import failed, ok
from tests.adapters.graphs.conditions import POINTER, SOURCE, WORD, Program
from tests.adapters.kernels import compile_code
from tests.interpreters import run_code
from tests.program_files import read_program

LAYOUT = "13.5"


@pytest.fixture(scope="module")
def kernels(cuda):
    module = ok(cuda.driver.cuModuleLoadData(compile_code(cuda.nvrtc, SOURCE)))
    yield {name: ok(cuda.driver.cuModuleGetFunction(module, name)) for name in (b"put", b"count", b"add")}
    ok(cuda.driver.cuModuleUnload(module))


@pytest.fixture
def program(cuda, kernels):
    memory = ok(cuda.runtime.cudaMallocManaged(64, cuda.runtime.cudaMemAttachGlobal))
    yield Program(cuda, kernels, int(memory))
    ok(cuda.runtime.cudaFree(memory))


@pytest.mark.parametrize(
    ("kind", "size", "value", "chosen"),
    [
        ("IF", 1, 0, None),
        ("IF", 1, 1, 0),
        ("IF", 2, 0, 1),
        ("IF", 2, 7, 0),
        ("SWITCH", 3, 0, 0),
        ("SWITCH", 3, 2, 2),
        ("SWITCH", 3, 3, None),
        ("SWITCH", 1, 0xFFFFFFFF, None),
    ],
)
def test_the_graph_that_the_value_says_runs_once(program, kind, size, value, chosen):
    graph = program.graph()
    handle = program.handle(graph)
    node, bodies = program.conditional(graph, handle, kind, size, program.put(graph, handle, 0))
    assert len(bodies) == size
    for number, body in enumerate(bodies):
        program.add(body, 1 + number, 1)
    program.add(graph, 10, 1, node)
    instance = program.instance(graph)
    ctypes.c_uint.from_address(program.word(0)).value = value
    for launches in (1, 2):
        program.run(instance)
        assert list(program.words[1 : 1 + size]) == [launches * (number == chosen) for number in range(size)]
        assert program.words[10] == launches
    ok(program.driver.cuGraphExecDestroy(instance))
    ok(program.driver.cuGraphDestroy(graph))


@pytest.mark.parametrize("rounds", [0, 1, 50])
def test_while_runs_as_long_as_the_value_is_true(program, rounds):
    graph = program.graph()
    handle = program.handle(graph)
    first = program.put(graph, handle, 0)
    _, (body,) = program.conditional(graph, handle, "WHILE", 1, first)
    program.count(body, handle, 0, 1)
    program.words[0] = rounds
    program.run(program.instance(graph))
    assert list(program.words[:2]) == [0, rounds]
    ok(program.driver.cuGraphDestroy(graph))


def test_nested_and_captured(program, stream):
    """WHILE around an IF around a SWITCH, with a child graph and work that a stream captured inside."""
    driver, graph, child = program.driver, program.graph(), program.graph()
    program.add(child, 6, 1)
    outer, inner, choice = (program.handle(graph, default) for default in (1, 1, 1))
    _, (loop,) = program.conditional(graph, outer, "WHILE", 1)
    counted = program.count(loop, outer, 0, 1)
    node, (often, seldom) = program.conditional(loop, inner, "IF", 2, counted)
    program.put(loop, inner, 0, node)  # the last round takes the other branch
    _, cases = program.conditional(often, choice, "SWITCH", 2)
    mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
    ok(driver.cuStreamBeginCaptureToGraph(stream, cases[1], None, None, 0, mode))
    ok(driver.cuMemsetD32Async(program.word(5), 77, 1, stream))
    assert ok(driver.cuStreamEndCapture(stream)) == cases[1]
    ok(driver.cuGraphAddChildGraphNode(cases[1], None, 0, child))
    program.add(seldom, 7, 1)
    program.words[0] = 4
    instance = program.instance(graph)
    ok(driver.cuGraphDestroy(graph))  # the instance has its own copy
    program.run(instance)
    assert list(program.words[:8]) == [0, 4, 0, 0, 0, 77, 4, 0]
    program.words[0] = 4
    program.words[2] = 0
    program.run(instance)
    assert list(program.words[:8]) == [0, 8, 0, 0, 0, 77, 8, 0]
    ok(driver.cuGraphExecDestroy(instance))


def test_each_launch_begins_with_the_default_where_that_is_asked_for(program):
    for assigned, after_the_second in ((True, 4), (False, 0)):
        graph = program.graph()
        handle = program.handle(graph, 1, assigned)
        _, (body,) = program.conditional(graph, handle, "IF", 1)
        program.add(body, 0, 2)
        instance = program.instance(graph)
        program.words[0] = 0
        program.run(instance)
        program.run(instance)
        assert program.words[0] == after_the_second
        ok(program.driver.cuGraphDestroy(graph))


def test_descriptions(program):
    driver, graph = program.driver, program.graph()
    handle = program.handle(graph)
    node, bodies = program.conditional(graph, handle, "SWITCH", 3)
    kind = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
    assert ok(driver.cuGraphNodeGetType(node)) is kind
    if hasattr(driver, "cuGraphNodeGetParams"):
        told = ok(driver.cuGraphNodeGetParams(node))
        assert told.type is kind
        assert int(told.conditional.handle) == int(handle)
        assert told.conditional.type is driver.CUgraphConditionalNodeType.CU_GRAPH_COND_TYPE_SWITCH
        assert (told.conditional.size, told.conditional.phGraph_out) == (3, bodies)
    ok(driver.cuGraphDestroy(graph))


def test_handles_are_for_one_node_of_their_graph_or_inside_of_it(program):
    graph, other = program.graph(), program.graph()
    handle, foreign = program.handle(graph), program.handle(other)
    node, (body,) = program.conditional(graph, handle, "IF", 1)
    for wrong in (handle, foreign, 0, 0x1000):
        failed(program.try_add(graph, program.description(wrong, "IF", 1)), "CUDA_ERROR_INVALID_VALUE", 1)
    within = program.handle(body)
    failed(program.try_add(graph, program.description(within, "IF", 1)), "CUDA_ERROR_INVALID_VALUE", 1)
    program.conditional(body, program.handle(graph), "IF", 1)
    program.conditional(body, within, "IF", 1)
    ok(program.driver.cuGraphDestroyNode(node))
    program.conditional(graph, handle, "IF", 1)  # no graph uses the handle any more
    for made in (graph, other):
        ok(program.driver.cuGraphDestroy(made))


@pytest.mark.parametrize(("kind", "size"), [("IF", 0), ("IF", 3), ("WHILE", 0), ("WHILE", 2), ("SWITCH", 0)])
def test_numbers_of_graphs_that_a_node_cannot_have(program, kind, size):
    graph = program.graph()
    params = program.description(program.handle(graph), kind, size)
    failed(program.try_add(graph, params), "CUDA_ERROR_INVALID_VALUE", 1)
    assert [int(one) for one in params.conditional.phGraph_out] == [0] * size  # as in NVIDIA's wheel
    ok(program.driver.cuGraphDestroy(graph))


def test_what_cannot_be_instantiated_cloned_or_a_child(program):
    driver, graph, other = program.driver, program.graph(), program.graph()
    handle = program.handle(graph)
    params = driver.CUDA_GRAPH_INSTANTIATE_PARAMS()
    failed(driver.cuGraphInstantiateWithParams(graph, params), "CUDA_ERROR_INVALID_VALUE", 1)
    assert params.result_out is driver.CUgraphInstantiateResult.CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED
    _, (body,) = program.conditional(graph, handle, "IF", 1)
    failed(driver.cuGraphClone(graph), "CUDA_ERROR_NOT_SUPPORTED", 1)
    failed(driver.cuGraphAddChildGraphNode(other, None, 0, graph), "CUDA_ERROR_NOT_SUPPORTED", 1)
    failed(driver.cuGraphInstantiate(body, 0), "CUDA_ERROR_NOT_SUPPORTED", 1)
    failed(driver.cuGraphDestroy(body), "CUDA_ERROR_INVALID_VALUE")
    event = ok(driver.cuEventCreate(0))
    ok(driver.cuGraphAddEventRecordNode(body, None, 0, event))
    failed(driver.cuGraphInstantiateWithParams(graph, params), "CUDA_ERROR_INVALID_VALUE", 1)
    assert params.result_out == driver.CUgraphInstantiateResult.CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED
    for made in (graph, other):
        ok(driver.cuGraphDestroy(made))
    ok(driver.cuEventDestroy(event))


def test_flags_and_contexts_of_handles(program):
    driver, graph = program.driver, program.graph()
    here = ok(driver.cuCtxGetCurrent())
    failed(driver.cuGraphConditionalHandleCreate(graph, here, 0, 2), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(driver.cuGraphConditionalHandleCreate(graph, None, 0, 1), "CUDA_ERROR_INVALID_CONTEXT", 1)
    failed(driver.cuGraphConditionalHandleCreate(None, None, 0, 1), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(
        driver.cuGraphConditionalHandleCreate(graph, driver.CUcontext(0x1000), 0, 1), "CUDA_ERROR_INVALID_CONTEXT", 1
    )
    ok(driver.cuGraphDestroy(graph))


def test_updates_take_over_bodies_and_defaults(program):
    driver = program.driver

    def build(default, value, nodes=1, kind="IF"):
        graph = program.graph()
        _, bodies = program.conditional(graph, program.handle(graph, default), kind, 1)
        for _ in range(nodes):
            program.add(bodies[0], 0, value)
        return graph

    first, second = build(0, 1), build(1, 10)
    instance = program.instance(first)
    program.run(instance)
    assert program.words[0] == 0
    ok(driver.cuGraphExecUpdate(instance, second))
    ok(driver.cuGraphDestroy(second))
    program.run(instance)
    assert program.words[0] == 10
    for changed in (build(1, 10, nodes=2), build(1, 10, kind="SWITCH")):
        failed(driver.cuGraphExecUpdate(instance, changed), "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", 1)
        ok(driver.cuGraphDestroy(changed))
    program.run(instance)
    assert program.words[0] == 20
    ok(driver.cuGraphDestroy(first))


def test_a_kernel_inside_is_changed_in_the_instance_alone(program):
    graph = program.graph()
    _, (body,) = program.conditional(graph, program.handle(graph, 1), "IF", 1)
    node = program.add(body, 0, 1)
    instance = program.instance(graph)
    changed = program.launch(b"add", (program.word(0), 5), (POINTER, WORD))
    ok(program.driver.cuGraphExecKernelNodeSetParams(instance, node, changed))
    program.run(instance)
    assert program.words[0] == 5
    ok(program.driver.cuGraphDestroy(graph))


def test_instances_of_one_graph_do_not_disturb_each_other(program, cuda):
    driver, graph = program.driver, program.graph()
    handle = program.handle(graph, 1)
    _, (body,) = program.conditional(graph, handle, "WHILE", 1)
    program.count(body, handle, 0, 1)
    instances = [program.instance(graph) for _ in range(2)]
    streams = [ok(driver.cuStreamCreate(1)) for _ in range(2)]
    for round_number in range(20):
        program.words[0], program.words[1] = 100, 0
        for instance, stream in zip(instances, streams, strict=True):
            ok(driver.cuGraphLaunch(instance, stream))
        ok(driver.cuCtxSynchronize())
        # One of them counts all down, the other one runs the body once with nothing left.
        assert list(program.words[:2]) == [-1, 101], round_number
    for stream in streams:
        ok(driver.cuStreamDestroy(stream))
    ok(driver.cuGraphDestroy(graph))


def test_a_graph_is_no_child_of_itself(program):
    driver, graph = program.driver, program.graph()
    failed(driver.cuGraphAddChildGraphNode(graph, None, 0, graph), "CUDA_ERROR_INVALID_VALUE", 1)
    params = driver.CUgraphNodeParams()
    params.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_GRAPH
    params.graph.graph = graph
    failed(program.try_add(graph, params), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(program.cuda.runtime.cudaGraphAddChildGraphNode(graph, None, 0, graph), "cudaErrorInvalidValue", 1)
    ok(driver.cuGraphDestroy(graph))


def test_of_the_runtime(program):
    runtime, graph = program.cuda.runtime, ok(program.cuda.runtime.cudaGraphCreate(0))
    flags = runtime.cudaGraphConditionalHandleFlags.cudaGraphCondAssignDefault
    handle = ok(runtime.cudaGraphConditionalHandleCreate(graph, 1, flags))
    assert type(handle) is runtime.cudaGraphConditionalHandle
    params = runtime.cudaGraphNodeParams()
    params.type = runtime.cudaGraphNodeType.cudaGraphNodeTypeConditional
    params.conditional.handle, params.conditional.size = handle, 1
    params.conditional.type = runtime.cudaGraphConditionalNodeType.cudaGraphCondTypeIf
    add = getattr(runtime, "cudaGraphAddNode_v2", runtime.cudaGraphAddNode)
    node = ok(add(graph, [], None, 0, params))
    assert ok(runtime.cudaGraphNodeGetType(node)) is params.type
    (body,) = params.conditional.phGraph_out
    assert type(body) is runtime.cudaGraph_t
    program.add(body, 0, 3)
    instance = ok(runtime.cudaGraphInstantiate(graph, 0))
    ok(runtime.cudaGraphLaunch(instance, 0))
    ok(runtime.cudaDeviceSynchronize())
    assert program.words[0] == 3
    if hasattr(runtime, "cudaGraphConditionalHandleCreate_v2"):
        assert int(ok(runtime.cudaGraphConditionalHandleCreate_v2(graph, None, 0, 0)))
    ok(runtime.cudaGraphDestroy(graph))


START = read_program(__file__, "conditions_start.py")


def run(text: str) -> str:
    return run_code(START + textwrap.dedent(text), CUDA_SHIM_CPU_LOG="off", CUDA_SHIM_LOG="off")


def test_a_reset_ends_a_loop_that_goes_on_for_ever():
    said = run("""
    p = program()
    graph = p.graph()
    _, (body,) = p.conditional(graph, p.handle(graph, 1), "WHILE", 1)
    ok(driver.cuGraphAddEmptyNode(body, None, 0))
    stream = ok(driver.cuStreamCreate(0))
    ok(driver.cuGraphLaunch(p.instance(graph), stream))
    print(int(driver.cuStreamQuery(stream)[0]), int(runtime.cudaDeviceReset()[0]))
    """)
    assert said.split() == ["600", "0"]


def test_a_handle_that_is_none_is_a_fault_of_the_kernel():
    said = run("""
    p = program()
    graph = p.graph()
    p.put(graph, driver.CUgraphConditionalHandle(0x1000), 0)
    ok(driver.cuGraphLaunch(p.instance(graph), 0))
    print(int(driver.cuCtxSynchronize()[0]))
    """)
    assert said.split() == ["700"]


def test_a_library_without_them_is_told_by_name():
    said = run("""
    from cuda_shim.errors import UnsupportedAPI
    real = native.function
    def without(name, *types):
        if name.startswith("hipExtGraph"):
            raise UnsupportedAPI(name)
        return real(name, *types)
    native.function = without
    graph = ok(driver.cuGraphCreate(0))
    print(driver.cuGraphConditionalHandleCreate(graph, None, 0, 0)[0].name)
    params = driver.CUgraphNodeParams()
    params.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
    params.conditional.size = 1
    print(driver.cuGraphAddNode(graph, None, None, 0, params)[0].name)
    cuda_shim.disable()
    cuda_shim.enable(backend="cpu", cuda="13.5", strict=True)
    from cuda.bindings import driver
    try:
        driver.cuGraphConditionalHandleCreate(graph, None, 0, 0)
    except UnsupportedAPI as error:
        print("no conditional nodes" in str(error))
    """)
    assert said.split() == ["CUDA_ERROR_NOT_SUPPORTED", "CUDA_ERROR_NOT_SUPPORTED", "True"]
