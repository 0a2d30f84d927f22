"""Executable graphs: how they are made, updated and run; clones."""

from tests.adapters.answers import failed, not_a, ok, raising
from tests.adapters.graphs.nodes import adding, empty, run


def test_clones_keep_their_nodes_apart(cuda, graph):
    node = empty(cuda, graph)
    clone = ok(cuda.driver.cuGraphClone(graph))
    found = ok(cuda.driver.cuGraphNodeFindInClone(node, clone))
    assert found != node
    ok(cuda.driver.cuGraphDestroyNode(found))
    assert ok(cuda.driver.cuGraphGetNodes(clone)) == [[], 0]
    ok(cuda.driver.cuGraphDestroy(clone))


def test_updates_of_an_executable(cuda, graph, function, memory, stream):
    driver = cuda.driver
    ok(driver.cuGraphAddKernelNode(graph, None, 0, adding(cuda, function, memory, 1)))
    executable = ok(driver.cuGraphInstantiate(graph, 0))
    other = ok(driver.cuGraphCreate(0))
    ok(driver.cuGraphAddKernelNode(other, None, 0, adding(cuda, function, memory, 5)))
    info = ok(driver.cuGraphExecUpdate(executable, other))
    assert type(info) is driver.CUgraphExecUpdateResultInfo
    assert info.result is driver.CUgraphExecUpdateResult.CU_GRAPH_EXEC_UPDATE_SUCCESS
    assert (int(info.errorNode), int(info.errorFromNode)) == (0, 0)
    assert run(cuda, executable, stream, memory) == 5
    empty(cuda, other)
    failed(driver.cuGraphExecUpdate(executable, other), "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", 1)
    failed(cuda.runtime.cudaGraphExecUpdate(executable, other), "cudaErrorGraphExecUpdateFailure", 1)
    ok(driver.cuGraphExecDestroy(executable))
    ok(driver.cuGraphDestroy(other))


def test_instantiation_tells_its_outcome_in_the_parameters(cuda, graph, stream):
    driver = cuda.driver
    empty(cuda, graph)
    params = driver.CUDA_GRAPH_INSTANTIATE_PARAMS()
    params.hErrNode_out = driver.CUgraphNode(5)
    params.result_out = driver.CUgraphInstantiateResult.CUDA_GRAPH_INSTANTIATE_ERROR
    params.flags = driver.CUgraphInstantiate_flags.CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD
    params.hUploadStream = stream
    executable = ok(driver.cuGraphInstantiateWithParams(graph, params))
    assert params.result_out is driver.CUgraphInstantiateResult.CUDA_GRAPH_INSTANTIATE_SUCCESS
    assert (int(params.hErrNode_out), params.hUploadStream) == (0, stream)
    ok(driver.cuGraphExecDestroy(executable))
    failed(driver.cuGraphInstantiateWithParams(graph, None), "CUDA_ERROR_INVALID_VALUE", 1)
    with raising(TypeError, not_a("driver.CUDA_GRAPH_INSTANTIATE_PARAMS", "instantiateParams", "int")):
        driver.cuGraphInstantiateWithParams(graph, 0)
