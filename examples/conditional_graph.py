"""A graph that decides for itself how often it runs a kernel: square roots by Newton's method, until none changes.

The condition is set on the device, so the host launches once and does not look at values in between.
"""

import ctypes
from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc

SOURCE = rb"""
extern "C" __device__ __cudart_builtin__ void CUDARTAPI cudaGraphSetConditional(
    cudaGraphConditionalHandle handle, unsigned int value);

extern "C" __global__ void improve(const double *x, double *root, int *changes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double better = 0.5 * (root[i] + x[i] / root[i]);
    if (fabs(better - root[i]) > 1e-12 * better) atomicAdd(changes, 1);
    root[i] = better;
}

extern "C" __global__ void decide(cudaGraphConditionalHandle handle, int *changes, int *rounds)
{
    ++*rounds;
    cudaGraphSetConditional(handle, *changes > 0);
    *changes = 0;
}
"""


def check(result: tuple[Any, ...]) -> Any:
    """The outputs of a call, or an exception that names the status it returned."""
    status, *outputs = result
    if status != 0:
        raise RuntimeError(f"{type(status).__name__}: {status.name}")
    return outputs[0] if len(outputs) == 1 else outputs


def compiled(source: bytes) -> Any:
    """The module of a program in CUDA C++."""
    program = check(nvrtc.nvrtcCreateProgram(source, b"newton.cu", 0, [], []))
    (status,) = nvrtc.nvrtcCompileProgram(program, 0, [])
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        log = b" " * check(nvrtc.nvrtcGetProgramLogSize(program))
        check(nvrtc.nvrtcGetProgramLog(program, log))
        raise RuntimeError(log.decode(errors="replace"))
    image = b" " * check(nvrtc.nvrtcGetPTXSize(program))
    check(nvrtc.nvrtcGetPTX(program, image))
    return check(driver.cuModuleLoadData(bytes(image)))


def add_kernel(graph: Any, after: list[Any], kernel: Any, blocks: int, threads: int, arguments: tuple[Any, Any]) -> Any:
    """A node of a graph that launches a kernel; the arguments are values and their ctypes."""
    node = driver.CUDA_KERNEL_NODE_PARAMS()
    node.func = kernel
    node.gridDimX, node.gridDimY, node.gridDimZ = blocks, 1, 1
    node.blockDimX, node.blockDimY, node.blockDimZ = threads, 1, 1
    node.kernelParams = arguments
    return check(driver.cuGraphAddKernelNode(graph, after, len(after), node))


def main() -> None:
    check(driver.cuInit(0))
    context = check(driver.cuDevicePrimaryCtxRetain(check(driver.cuDeviceGet(0))))
    check(driver.cuCtxSetCurrent(context))
    module = compiled(SOURCE)
    improve, decide = (check(driver.cuModuleGetFunction(module, name)) for name in (b"improve", b"decide"))

    n = 10_000
    x = np.linspace(1, 1e6, n)
    values, roots = check(driver.cuMemAlloc(x.nbytes)), check(driver.cuMemAlloc(x.nbytes))
    counters = check(driver.cuMemAlloc(8))
    check(driver.cuMemcpyHtoD(values, x, x.nbytes))
    check(driver.cuMemcpyHtoD(roots, x, x.nbytes))  # the first guess
    check(driver.cuMemsetD8(counters, 0, 8))
    changes, rounds = int(counters), int(counters) + 4

    graph = check(driver.cuGraphCreate(0))
    # 1: the loop is entered again at each launch of the graph.
    handle = check(driver.cuGraphConditionalHandleCreate(graph, context, 1, 1))
    loop = driver.CUgraphNodeParams()
    loop.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
    loop.conditional.handle = handle
    loop.conditional.type = driver.CUgraphConditionalNodeType.CU_GRAPH_COND_TYPE_WHILE
    loop.conditional.size = 1
    loop.conditional.ctx = context
    check(driver.cuGraphAddNode(graph, None, None, 0, loop))
    body = loop.conditional.phGraph_out[0]
    pointer, integer = ctypes.c_void_p, ctypes.c_int
    arguments = ((int(values), int(roots), changes, n), (pointer, pointer, pointer, integer))
    improved = add_kernel(body, [], improve, (n + 255) // 256, 256, arguments)
    add_kernel(body, [improved], decide, 1, 1, ((handle, changes, rounds), (None, pointer, pointer)))

    check(driver.cuGraphLaunch(check(driver.cuGraphInstantiate(graph, 0)), 0))
    check(driver.cuCtxSynchronize())

    result, counted = np.empty_like(x), np.zeros(2, np.int32)
    check(driver.cuMemcpyDtoH(result, roots, result.nbytes))
    check(driver.cuMemcpyDtoH(counted, counters, counted.nbytes))
    assert np.allclose(result, np.sqrt(x), rtol=1e-12)
    print(f"{n} roots after {counted[1]} rounds of one launch: ok")


if __name__ == "__main__":
    main()
