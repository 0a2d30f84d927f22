"""Conditional nodes of graphs: their bodies, refused calls, and updates."""

import ctypes

from _device import context, good, module
from _show import call, show
from cuda.bindings import driver, runtime

context()
kernels = module(
    """extern "C" __device__ __cudart_builtin__ void CUDARTAPI cudaGraphSetConditional(
        cudaGraphConditionalHandle handle, unsigned int value);
    extern "C" __global__ void put(cudaGraphConditionalHandle handle, unsigned int *value) {
        cudaGraphSetConditional(handle, *value);
    }
    extern "C" __global__ void count(cudaGraphConditionalHandle handle, int *left, int *rounds) {
        ++*rounds;
        cudaGraphSetConditional(handle, --*left > 0);
    }
    extern "C" __global__ void add(int *at, int value) { *at += value; }"""
)
put, count, add = (good(driver.cuModuleGetFunction(kernels, name)) for name in (b"put", b"count", b"add"))
memory = int(good(runtime.cudaMallocManaged(64, runtime.cudaMemAttachGlobal)))
words = (ctypes.c_int * 16).from_address(memory)
types = driver.CUgraphNodeType
kinds = driver.CUgraphConditionalNodeType
IF, WHILE, SWITCH = kinds.CU_GRAPH_COND_TYPE_IF, kinds.CU_GRAPH_COND_TYPE_WHILE, kinds.CU_GRAPH_COND_TYPE_SWITCH
here = good(driver.cuCtxGetCurrent())


def launch(graph, function, values, kinds_of_values, *after):
    params = driver.CUDA_KERNEL_NODE_PARAMS()
    params.func = function
    params.gridDimX = params.gridDimY = params.gridDimZ = 1
    params.blockDimX = params.blockDimY = params.blockDimZ = 1
    params.kernelParams = (values, kinds_of_values)
    return good(driver.cuGraphAddKernelNode(graph, list(after), len(after), params))


def putting(graph, handle, word, *after):
    return launch(graph, put, (handle, memory + 4 * word), (None, ctypes.c_void_p), *after)


def adding(graph, word, value, *after):
    return launch(graph, add, (memory + 4 * word, value), (ctypes.c_void_p, ctypes.c_int), *after)


def counting(graph, handle, left, rounds, *after):
    values = (handle, memory + 4 * left, memory + 4 * rounds)
    return launch(graph, count, values, (None, ctypes.c_void_p, ctypes.c_void_p), *after)


def description(handle, kind, size):
    params = driver.CUgraphNodeParams()
    params.type = types.CU_GRAPH_NODE_TYPE_CONDITIONAL
    params.conditional.handle, params.conditional.type, params.conditional.size = handle, kind, size
    params.conditional.ctx = here
    return params


def handle_of(graph, default=0, flags=1):
    return good(driver.cuGraphConditionalHandleCreate(graph, here, default, flags))


def conditional(graph, handle, kind, size, *after):
    params = description(handle, kind, size)
    node = good(driver.cuGraphAddNode(graph, list(after), None, len(after), params))
    return node, params.conditional.phGraph_out


def run(note, instance, shown):
    call(driver.cuGraphLaunch, instance, 0, note=note)
    call(driver.cuCtxSynchronize, note=note)
    show(note, list(words[:shown]))
    words[:] = [0] * 16


for kind, size, values in ((IF, 1, (0, 1, 7)), (IF, 2, (0, 1)), (SWITCH, 3, (0, 1, 2, 3, -1))):
    graph = good(driver.cuGraphCreate(0))
    handle = handle_of(graph)
    node, bodies = conditional(graph, handle, kind, size, putting(graph, handle, 0))
    for number, body in enumerate(bodies):
        adding(body, 1 + number, 1)
    adding(graph, 8, 1, node)
    instance = good(driver.cuGraphInstantiate(graph, 0))
    for value in values:
        words[0] = value
        run(f"{kind.name} of {size}, {value}", instance, 9)

graph = good(driver.cuGraphCreate(0))
handle = handle_of(graph, 1)
node, (body,) = conditional(graph, handle, WHILE, 1)
counting(body, handle, 0, 1)
instance = good(driver.cuGraphInstantiate(graph, 0))
for rounds in (1, 5):
    words[0] = rounds
    run(f"WHILE, {rounds}", instance, 2)
call(driver.cuGraphNodeGetType, node)

child = good(driver.cuGraphCreate(0))
adding(child, 6, 1)
graph = good(driver.cuGraphCreate(0))
outer, inner, choice = (handle_of(graph, 1) for _ in range(3))
_, (loop,) = conditional(graph, outer, WHILE, 1)
node, (often, seldom) = conditional(loop, inner, IF, 2, counting(loop, outer, 0, 1))
putting(loop, inner, 0, node)
_, cases = conditional(often, choice, SWITCH, 2)
stream = good(driver.cuStreamCreate(0))
mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
call(driver.cuStreamBeginCaptureToGraph, stream, cases[1], None, None, 0, mode)
call(driver.cuMemsetD32Async, memory + 20, 77, 1, stream)
call(driver.cuStreamEndCapture, stream)
call(driver.cuGraphAddChildGraphNode, cases[1], None, 0, child)
adding(seldom, 7, 1)
instance = good(driver.cuGraphInstantiate(graph, 0))
words[0] = 4
run("nested", instance, 8)
words[0] = 4
run("nested again", instance, 8)

for flags in (1, 0):
    graph = good(driver.cuGraphCreate(0))
    handle = handle_of(graph, 1, flags)
    before = adding(graph, 9, 1) if flags else putting(graph, handle, 0)
    _, (body,) = conditional(graph, handle, IF, 1, before)
    adding(body, 1, 2)
    instance = good(driver.cuGraphInstantiate(graph, 0))
    words[0] = 1
    run(f"default, flags {flags}", instance, 2)

graph = good(driver.cuGraphCreate(0))
handle = handle_of(graph)
call(driver.cuGraphConditionalHandleCreate, graph, here, 0, 2, note="flags 2")
call(driver.cuGraphConditionalHandleCreate, None, here, 0, 1, note="no graph")
call(driver.cuGraphConditionalHandleCreate, graph, None, 0, 1, note="no context")
for kind, size in ((IF, 0), (IF, 3), (WHILE, 0), (WHILE, 2), (SWITCH, 0)):
    params = description(handle, kind, size)
    call(driver.cuGraphAddNode, graph, None, None, 0, params, note=f"{kind.name} of {size}")
params = driver.CUDA_GRAPH_INSTANTIATE_PARAMS()
made = good(driver.cuGraphCreate(0))
handle_of(made)
call(driver.cuGraphInstantiateWithParams, made, params, note="unused")
show("unused", params.result_out.name)
graph = good(driver.cuGraphCreate(0))
handle = handle_of(graph)
node, (body,) = conditional(graph, handle, IF, 1)
call(driver.cuGraphAddNode, graph, None, None, 0, description(handle, IF, 1), note="used already")
made = good(driver.cuGraphCreate(0))
within = handle_of(made)
_, (inside,) = conditional(made, within, IF, 1)
call(driver.cuGraphClone, made)
call(driver.cuGraphAddChildGraphNode, good(driver.cuGraphCreate(0)), None, 0, made, note="with a condition")
call(driver.cuGraphInstantiate, inside, 0, note="body")
call(driver.cuGraphDestroy, inside, note="body")
call(driver.cuGraphNodeSetParams, node, description(handle, IF, 1))
event = good(driver.cuEventCreate(0))
made = good(driver.cuGraphCreate(0))
_, (body,) = conditional(made, handle_of(made), IF, 1)
call(driver.cuGraphAddEventRecordNode, body, None, 0, event, note="in a body")
call(driver.cuGraphInstantiateWithParams, made, params, note="event in a body")
show("event in a body", params.result_out.name)
call(driver.cuGraphAddChildGraphNode, made, None, 0, made, note="itself")


def guarded(default, value, nodes=1, kind=IF, size=1):
    graph = good(driver.cuGraphCreate(0))
    _, bodies = conditional(graph, handle_of(graph, default), kind, size)
    node = adding(bodies[0], 0, value)
    for _ in range(nodes - 1):
        node = adding(bodies[0], 0, value)
    return graph, node


first, node = guarded(1, 1)
instance = good(driver.cuGraphInstantiate(first, 0))
run("before", instance, 1)
call(driver.cuGraphExecUpdate, instance, guarded(1, 10)[0], note="other value")
run("after", instance, 1)
call(driver.cuGraphExecUpdate, instance, guarded(0, 10)[0], note="other default")
run("off", instance, 1)
for note, changed in (
    ("more nodes", guarded(1, 10, nodes=2)),
    ("other kind", guarded(1, 10, kind=SWITCH)),
    ("other size", guarded(1, 10, size=2)),
):
    call(driver.cuGraphExecUpdate, instance, changed[0], note=note)
