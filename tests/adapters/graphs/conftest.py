"""A graph, a kernel and memory to run it on."""

from __future__ import annotations

import pytest

from tests.adapters.answers import ok
from tests.adapters.graphs.nodes import ADD, COUNT
from tests.adapters.kernels import compile_code


@pytest.fixture(scope="module")
def function(cuda):
    module = ok(cuda.driver.cuModuleLoadData(compile_code(cuda.nvrtc, ADD)))
    yield ok(cuda.driver.cuModuleGetFunction(module, b"add"))
    ok(cuda.driver.cuModuleUnload(module))


@pytest.fixture
def memory(cuda):
    pointer = ok(cuda.driver.cuMemAlloc(4 * COUNT))
    ok(cuda.driver.cuMemsetD32(pointer, 0, COUNT))
    yield pointer
    ok(cuda.driver.cuMemFree(pointer))


@pytest.fixture
def graph(cuda):
    made = ok(cuda.driver.cuGraphCreate(0))
    assert type(made) is cuda.driver.CUgraph
    yield made
    ok(cuda.driver.cuGraphDestroy(made))


@pytest.fixture(scope="module")
def stream(cuda):
    made = ok(cuda.driver.cuStreamCreate(0))
    yield made
    ok(cuda.driver.cuStreamDestroy(made))
