"""The shim in this process, on the CPU-hosted runtime, for tests of single calls."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import cuda_shim
from cuda_shim.binding.outcome import Outcome
from tests.adapters.answers import ok


class Cuda(NamedTuple):
    """The three modules, of the layout that the test module names in LAYOUT."""

    driver: ModuleType
    runtime: ModuleType
    nvrtc: ModuleType


@pytest.fixture(scope="module")
def cuda(request: pytest.FixtureRequest) -> Iterator[Cuda]:
    with cuda_shim.enable(backend="cpu", cuda=getattr(request.module, "LAYOUT", "12.9")):
        modules = Cuda(*(importlib.import_module(f"cuda.bindings.{name}") for name in Cuda._fields))
        assert modules.driver.cuInit(0) == (0,)
        yield modules


@pytest.fixture(autouse=True)
def nothing_was_told() -> None:
    """Every test finds its own lines in the log, whatever was told before it."""
    Outcome.told.clear()


@pytest.fixture(scope="module")
def stream(cuda: Cuda) -> Iterator[Any]:
    made = ok(cuda.driver.cuStreamCreate(0))
    yield made
    ok(cuda.driver.cuStreamDestroy(made))
