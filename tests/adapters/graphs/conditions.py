"""Graphs with conditional nodes, in the forms of CUDA 12 and 13."""

from __future__ import annotations

import ctypes
from typing import Any

from tests.adapters.answers import ok

SOURCE = b"""
extern "C" __device__ __cudart_builtin__ void CUDARTAPI cudaGraphSetConditional(
    cudaGraphConditionalHandle handle, unsigned int value);
extern "C" __global__ void put(cudaGraphConditionalHandle handle, unsigned int *value) {
    cudaGraphSetConditional(handle, *value);
}
extern "C" __global__ void count(cudaGraphConditionalHandle handle, int *left, int *rounds) {
    ++*rounds;
    cudaGraphSetConditional(handle, --*left > 0);
}
extern "C" __global__ void add(int *at, int value) { *at += value; }
"""
WORD, POINTER = ctypes.c_int, ctypes.c_void_p


class Program:
    """Kernels and memory, and short methods to make nodes of them."""

    def __init__(self, cuda: Any, kernels: dict[bytes, Any], memory: int) -> None:
        self.cuda, self.driver, self.kernels, self.memory = cuda, cuda.driver, kernels, memory
        self.words = (WORD * 16).from_address(memory)
        self.words[:] = [0] * 16

    def word(self, number: int) -> int:
        """The address of a word."""
        return self.memory + 4 * number

    def graph(self) -> Any:
        return ok(self.driver.cuGraphCreate(0))

    def handle(self, graph: Any, default: int = 0, assigned: bool = True) -> Any:
        return ok(
            self.driver.cuGraphConditionalHandleCreate(graph, ok(self.driver.cuCtxGetCurrent()), default, int(assigned))
        )

    def launch_node(self, graph: Any, name: bytes, values: tuple[Any, ...], types: tuple[Any, ...], *after: Any) -> Any:
        return ok(self.driver.cuGraphAddKernelNode(graph, list(after), len(after), self.launch(name, values, types)))

    def launch(self, name: bytes, values: tuple[Any, ...], types: tuple[Any, ...]) -> Any:
        params = self.driver.CUDA_KERNEL_NODE_PARAMS()
        params.func = self.kernels[name]
        params.gridDimX = params.gridDimY = params.gridDimZ = 1
        params.blockDimX = params.blockDimY = params.blockDimZ = 1
        params.kernelParams = (values, types)
        return params

    def put(self, graph: Any, handle: Any, word: int, *after: Any) -> Any:
        """A kernel that makes a word the condition."""
        return self.launch_node(graph, b"put", (handle, self.word(word)), (None, POINTER), *after)

    def add(self, graph: Any, word: int, value: int, *after: Any) -> Any:
        """A kernel that adds to a word."""
        return self.launch_node(graph, b"add", (self.word(word), value), (POINTER, WORD), *after)

    def count(self, graph: Any, handle: Any, left: int, rounds: int, *after: Any) -> Any:
        """A kernel that counts a word down, the rounds up, and is true until nothing is left."""
        values = (handle, self.word(left), self.word(rounds))
        return self.launch_node(graph, b"count", values, (None, POINTER, POINTER), *after)

    def conditional(self, graph: Any, handle: Any, kind: str, size: int, *after: Any) -> tuple[Any, list[Any]]:
        """A conditional node and its graphs."""
        params = self.description(handle, kind, size)
        node = ok(self.try_add(graph, params, *after))
        return node, params.conditional.phGraph_out

    def description(self, handle: Any, kind: str, size: int) -> Any:
        params = self.driver.CUgraphNodeParams()
        params.type = self.driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
        params.conditional.handle = handle
        params.conditional.type = getattr(self.driver.CUgraphConditionalNodeType, f"CU_GRAPH_COND_TYPE_{kind}")
        params.conditional.size = size
        params.conditional.ctx = ok(self.driver.cuCtxGetCurrent())
        return params

    def try_add(self, graph: Any, params: Any, *after: Any) -> tuple[Any, ...]:
        if hasattr(self.driver, "cuGraphAddNode_v2"):
            return self.driver.cuGraphAddNode_v2(graph, list(after), None, len(after), params)
        return self.driver.cuGraphAddNode(graph, list(after), None, len(after), params)

    def instance(self, graph: Any) -> Any:
        return ok(self.driver.cuGraphInstantiate(graph, 0))

    def run(self, instance: Any) -> None:
        ok(self.driver.cuGraphLaunch(instance, 0))
        ok(self.driver.cuCtxSynchronize())
