"""A graph, a kernel and memory to run it on."""

from __future__ import annotations

import pytest

from tests.adapters.answers import ok
from tests.adapters.graphs.nodes import ADD, COUNT
from tests.adapters.kernels import compile_code, loaded_function


@pytest.fixture(scope="module")
def function(cuda):
    with loaded_function(cuda, b"add", compile_code(cuda.nvrtc, ADD)) as made:
        yield made


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
