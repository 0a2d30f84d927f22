"""Result of an instance's update for each kind of difference, and the node that it names."""

import ctypes

from _device import good, module, runtime_device
from _show import call, show
from cuda.bindings import driver, runtime

runtime_device()
memory = [int(good(runtime.cudaMalloc(4096))) for _ in range(3)]
pinned = int(good(runtime.cudaMallocHost(4096)))
kernels = module(
    """extern "C" __global__ void one(int* out) { *out = 1; }
    extern "C" __global__ void two(int* out, int value) { *out = value; }"""
)
kinds = runtime.cudaMemcpyKind


def graph(*steps):
    """A graph of steps, each a function that adds a node behind some earlier ones."""
    made = good(runtime.cudaGraphCreate(0))
    nodes: list[runtime.cudaGraphNode_t] = []
    for add, *after in steps:
        before = [nodes[number] for number in after]
        nodes.append(good(add(made, before or None, len(before))))
    return made, nodes


def empty(made, before, count):
    return runtime.cudaGraphAddEmptyNode(made, before, count)


def copy(dst, src, size, kind):
    return lambda made, before, count: runtime.cudaGraphAddMemcpyNode1D(made, before, count, dst, src, size, kind)


def fill(dst, value, width, height=1, pitch=0, element=1):
    params = runtime.cudaMemsetParams()
    params.dst, params.value, params.width, params.height = dst, value, width, height
    params.pitch, params.elementSize = pitch, element
    return lambda made, before, count: runtime.cudaGraphAddMemsetNode(made, before, count, params)


def launch(name, block, *values):
    params = driver.CUDA_KERNEL_NODE_PARAMS()
    params.func = good(driver.cuModuleGetFunction(kernels, name))
    params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimY = params.blockDimZ = 1
    params.blockDimX = block
    params.kernelParams = (values, (ctypes.c_void_p, ctypes.c_int)[: len(values)])
    return lambda made, before, count: driver.cuGraphAddKernelNode(made, before, count, params)


def child(*steps):
    inner, _ = graph(*steps)
    return lambda made, before, count: runtime.cudaGraphAddChildGraphNode(made, before, count, inner)


def compare(note, old, new):
    first, _ = graph(*old)
    second, nodes = graph(*new)
    instance = good(runtime.cudaGraphInstantiate(first, 0))
    answer = runtime.cudaGraphExecUpdate(instance, second)
    told = answer[1]
    at = (
        None
        if told is None or not int(told.errorNode)
        else [int(node) for node in nodes].index(int(told.errorNode))
        if int(told.errorNode) in map(int, nodes)
        else "another"
    )
    result = None if told is None else told.result.name
    print(f"cudaGraphExecUpdate [{note}]: {answer[0].name}, {result}, {at}", flush=True)
    runtime.cudaGetLastError()


a, b, c = memory
down, up, on, by = (
    kinds.cudaMemcpyHostToDevice,
    kinds.cudaMemcpyDeviceToHost,
    kinds.cudaMemcpyDeviceToDevice,
    kinds.cudaMemcpyDefault,
)
compare("nothing", [(empty,)], [(empty,)])
compare("one node more", [(empty,)], [(empty,), (empty, 0)])
compare("one node fewer", [(empty,), (empty, 0)], [(empty,)])
compare("more last nodes", [(empty,), (empty, 0)], [(empty,), (empty,)])
compare("fewer last nodes", [(empty,), (empty,)], [(empty,), (empty, 0)])
compare(
    "another dependency",
    [(empty,), (empty,), (empty, 0), (empty, 1, 2)],
    [(empty,), (empty,), (empty, 1), (empty, 0, 2)],
)
compare(
    "one dependency more",
    [(empty,), (empty,), (empty, 0), (empty, 1, 2)],
    [(empty,), (empty,), (empty, 0, 1), (empty, 1, 2)],
)
compare("another type", [(fill(a, 1, 8),)], [(copy(a, b, 8, on),)])
compare("another copy", [(copy(a, b, 64, on),)], [(copy(b, c, 32, on),)])
compare("by address", [(copy(a, b, 64, on),)], [(copy(a, b, 64, by),)])
compare("from the host", [(copy(a, b, 64, on),)], [(copy(a, pinned, 64, down),)])
compare("to the host", [(copy(a, b, 64, on),)], [(copy(pinned, b, 64, up),)])
compare("from the host by address", [(copy(a, b, 64, by),)], [(copy(a, pinned, 64, by),)])
compare("another set", [(fill(a, 1, 64),)], [(fill(b, 2, 32),)])
compare("set by other elements", [(fill(a, 1, 64),)], [(fill(a, 1, 64, element=4),)])
compare("same plane", [(fill(a, 1, 8, 3, 16),)], [(fill(a, 1, 8, 3, 16),)])
compare("plane of another value", [(fill(a, 1, 8, 3, 16),)], [(fill(a, 2, 8, 3, 16),)])
compare("plane elsewhere", [(fill(a, 1, 8, 3, 16),)], [(fill(b, 1, 8, 3, 16),)])
compare("plane of another shape", [(fill(a, 1, 8, 3, 16),)], [(fill(a, 1, 8, 2, 16),)])
compare("a row becomes a plane", [(fill(a, 1, 8),)], [(fill(a, 1, 8, 2, 16),)])
compare("other parameters", [(launch(b"one", 1, a),)], [(launch(b"one", 2, b),)])
compare("another kernel", [(launch(b"one", 1, a),)], [(launch(b"two", 1, a, 5),)])
compare("inside of a child", [(child((fill(a, 1, 8),)),)], [(child((fill(b, 2, 8),)),)])
compare("another type in a child", [(child((empty,)),)], [(child((fill(a, 1, 8),)),)])
compare("a longer child", [(child((empty,)),)], [(child((empty,), (empty, 0)),)])

made, nodes = graph((fill(a, 1, 8, 1, 32),), (fill(a, 1, 8, 1, 0),), (fill(a, 1, 8, 2, 24),))
for number, node in enumerate(nodes):
    told = call(runtime.cudaGraphMemsetNodeGetParams, node, note=str(number))
    show(f"pitch {number}", told.pitch)
call(runtime.cudaGraphAddMemcpyNode, made, None, 0, runtime.cudaMemcpy3DParms(), note="not filled in")
for flags in (1, 2, 4, 8, 16, 0xFFFF):
    call(runtime.cudaGraphInstantiate, made, flags, note=str(flags))
stream = good(runtime.cudaStreamCreate())
window = runtime.cudaStreamAttrID.cudaLaunchAttributeAccessPolicyWindow
for note, hit, ratio, miss, size in (
    ("fine", 2, 0.5, 1, 4096),
    ("ratio", 2, 1.5, 0, 4096),
    ("negative", 2, -0.5, 0, 4096),
    ("persisting misses", 2, 0.5, 2, 4096),
    ("size", 2, 0.5, 0, 1 << 40),
):
    value = runtime.cudaStreamAttrValue()
    policy = value.accessPolicyWindow
    policy.base_ptr, policy.num_bytes, policy.hitRatio = a, size, ratio
    policy.hitProp, policy.missProp = runtime.cudaAccessProperty(hit), runtime.cudaAccessProperty(miss)
    value.accessPolicyWindow = policy
    call(runtime.cudaStreamSetAttribute, stream, window, value, note=note)
told = call(runtime.cudaStreamGetAttribute, stream, window)
show("ratio", told.accessPolicyWindow.hitRatio)
show("size", told.accessPolicyWindow.num_bytes)
