"""The CPU-hosted runtime, built once, and hip-python on top of it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cuda_shim import settings
from cuda_shim.backends import cpu, host_libraries
from tests.hip_on_host import hip_program, hiprtc_program
from tests.hip_on_host.graph_builder import Builder
from tests.hip_on_host.hip_program import check
from tests.hip_on_host.kernel_modules import Kernels, compile_module


@pytest.fixture(scope="session")
def runtime_folder() -> Path:
    """The folder whose lib/ holds the two libraries; they are built, once for all workers, as for a user."""
    cpu.prepare_environment(settings.current())  # libhiprtc finds the kernels' headers and a compiler there
    given = os.environ.get("CUDA_SHIM_TEST_RUNTIME")  # a build with sanitizers
    return Path(given) if given else Path(host_libraries.ensure_libraries(settings.current()))


@pytest.fixture(scope="session")
def hip(runtime_folder: Path) -> ModuleType:
    """hip-python's hip module, on the CPU-hosted runtime."""
    return hip_program.load(runtime_folder)


@pytest.fixture(scope="session")
def library(hip: ModuleType, runtime_folder: Path) -> ctypes.CDLL:
    """The same library through ctypes, for calls that hip-python cannot pass or spells differently by generation."""
    loaded = ctypes.CDLL(str(runtime_folder / "lib/libamdhip64.so"))
    loaded.hipGetErrorName.restype = loaded.hipGetErrorString.restype = ctypes.c_char_p
    return loaded


@pytest.fixture
def run_hip(runtime_folder: Path) -> Callable[..., str]:
    """Return a function that runs a program with ``hip``, ``check`` and ``name``, and returns its output."""

    def run(code: str, **environment: str) -> str:
        done = hip_program.run(runtime_folder, code, **environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def kernels(hip: ModuleType) -> Kernels:
    """Load and launch kernels that are compiled beside the tests, without hiprtc."""
    return Kernels(hip)


@pytest.fixture(scope="module")
def programs(hip: ModuleType, runtime_folder: Path) -> hiprtc_program.Kernels:
    """Compile, load and launch programs."""
    return hiprtc_program.Kernels(hip, hiprtc_program.load(runtime_folder))


@pytest.fixture(params=["--cuda-shim-split=1", "--cuda-shim-split=0"], ids=["split", "as-written"])
def form(request: pytest.FixtureRequest) -> str:
    """An option of hiprtc: every kernel runs in the form that hiprtc makes of it, and as it is written."""
    return str(request.param)


@pytest.fixture(scope="module")
def basic(kernels: Kernels) -> Any:
    """The loaded module of modules/basic.cpp."""
    return kernels.load(compile_module("basic"))


@pytest.fixture
def builder(library: ctypes.CDLL) -> Iterator[Builder]:
    """An empty graph, and methods that add nodes to it."""
    made = Builder(library)
    yield made
    made.destroy()


@pytest.fixture
def memory(hip: ModuleType) -> Iterator[list[int]]:
    """Three pieces of device memory, each of 64 bytes that are zero."""
    made = [int(check(hip.hipMalloc(64))) for _ in range(3)]
    for pointer in made:
        check(hip.hipMemset(pointer, 0, 64))
    yield made
    for pointer in made:
        check(hip.hipFree(pointer))
