"""The shim in this process, on the CPU-hosted runtime, for tests of single calls."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from types import ModuleType
from typing import NamedTuple

import pytest

import cuda_shim


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
