"""The shim in this process, on the CPU-hosted runtime, for tests of single calls."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import cuda_shim
from cuda_shim.binding.outcome import Outcome
from tests.adapters.answers import ok
from tests.adapters.rocm_refusals import reason_for

FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With AMD's manners, the tests that cannot hold there are expected to fail."""
    if not os.environ.get("CUDA_SHIM_CPU_ROCM"):
        return
    for item in items:
        if item.path.is_relative_to(FOLDER):
            name = item.nodeid.partition("::")[2]
            reason, must_fail = reason_for(f"{item.path.relative_to(FOLDER)}::{name}")
            if reason:
                item.add_marker(pytest.mark.xfail(reason=reason, strict=must_fail))


class Cuda(NamedTuple):
    """The three modules, of the layout that the test module names in LAYOUT."""

    driver: ModuleType
    runtime: ModuleType
    nvrtc: ModuleType


@pytest.fixture(scope="module")
def cuda(request: pytest.FixtureRequest) -> Iterator[Cuda]:
    with cuda_shim.enable(backend="cpu", cuda=getattr(request.module, "LAYOUT", "12.9")):
        modules = Cuda(*(importlib.import_module(f"cuda.bindings.{name}") for name in Cuda._fields))
        driver = modules.driver
        ok(driver.cuInit(0))
        ok(driver.cuCtxPushCurrent(ok(driver.cuDevicePrimaryCtxRetain(0))))
        yield modules
        while not driver.cuCtxPopCurrent()[0]:
            pass  # modules of tests begin without a context of others
        ok(driver.cuDevicePrimaryCtxRelease(0))


@pytest.fixture(autouse=True)
def nothing_was_told() -> None:
    """Every test finds its own lines in the log: lines that an earlier test logged are logged again."""
    Outcome.logged.clear()


@pytest.fixture(scope="module")
def stream(cuda: Cuda) -> Iterator[Any]:
    made = ok(cuda.driver.cuStreamCreate(0))
    yield made
    ok(cuda.driver.cuStreamDestroy(made))
