"""Nodes of graphs, and the memory that a launch of them writes."""

from __future__ import annotations

import ctypes

import numpy as np

from tests.adapters.answers import ok

ADD = b'extern "C" __global__ void add(int *to, int value) { to[threadIdx.x] += value; }'
COUNT = 16


def adding(cuda, function, memory, value):
    """The parameters of a kernel node that adds a value to each word."""
    params = cuda.driver.CUDA_KERNEL_NODE_PARAMS()
    params.func = function
    params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimY = params.blockDimZ = 1
    params.blockDimX = COUNT
    params.kernelParams = ((memory, value), (None, ctypes.c_int))
    return params


def run(cuda, executable, stream, memory):
    """The first word after a launch; all words must be the same."""
    ok(cuda.driver.cuGraphLaunch(executable, stream))
    ok(cuda.driver.cuStreamSynchronize(stream))
    words = np.zeros(COUNT, np.int32)
    ok(cuda.driver.cuMemcpyDtoH(words, memory, words.nbytes))
    assert len(set(words)) == 1
    return int(words[0])


def kernel_description(cuda, memory, value):
    """A node of any type that is one of that kernel, which is still to be named."""
    params = cuda.driver.CUgraphNodeParams()
    params.type = cuda.driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_KERNEL
    kernel = params.kernel
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = kernel.blockDimY = kernel.blockDimZ = 1
    kernel.blockDimX = COUNT
    kernel.kernelParams = ((memory, value), (None, ctypes.c_int))
    return params


def empty(cuda, graph, *after):
    """An empty node after others."""
    return ok(cuda.driver.cuGraphAddEmptyNode(graph, list(after), len(after)))


def allocation(cuda, params, size):
    """The description of an allocation, filled in for `size` bytes of the device."""
    driver = cuda.driver
    params.bytesize = size
    params.poolProps.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    params.poolProps.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    return params
