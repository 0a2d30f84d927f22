"""PyGPU in this process, on the CPU-hosted runtime."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import cuda_shim
from tests.adapters.answers import ok


@pytest.fixture(scope="module")
def gpu() -> Iterator[ModuleType]:
    with cuda_shim.enable(backend="cpu", cuda="12.9"):
        yield importlib.import_module("PyGPU")


@pytest.fixture(scope="module")
def cuda(gpu: ModuleType) -> Any:
    """The three modules of the same session, for a program's own launches."""

    class Cuda:
        driver = importlib.import_module("cuda.bindings.driver")
        runtime = importlib.import_module("cuda.bindings.runtime")
        nvrtc = importlib.import_module("cuda.bindings.nvrtc")

    return Cuda


@pytest.fixture(scope="module")
def double(cuda: Any) -> Callable[[int, int], None]:
    """A kernel of the program's own: it doubles a number of 64-bit integers at an address."""
    source = b'extern "C" __global__ void twice(long long *x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; }'
    ok(cuda.runtime.cudaFree(0))
    program = ok(cuda.nvrtc.nvrtcCreateProgram(source, b"twice.cu", 0, [], []))
    ok(cuda.nvrtc.nvrtcCompileProgram(program, 0, []))
    image = bytearray(ok(cuda.nvrtc.nvrtcGetPTXSize(program)))
    ok(cuda.nvrtc.nvrtcGetPTX(program, image))
    kernel = ok(cuda.driver.cuModuleGetFunction(ok(cuda.driver.cuModuleLoadData(bytes(image))), b"twice"))

    def launch(address: int, count: int) -> None:
        values = ((address, count), (ctypes.c_void_p, ctypes.c_int))
        ok(cuda.driver.cuLaunchKernel(kernel, 1, 1, 1, count, 1, 1, 0, 0, values, 0))
        ok(cuda.runtime.cudaDeviceSynchronize())

    return launch


@pytest.fixture(params=["int16", "int32", "int64", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128"])  # fmt: skip
def dtype(request: pytest.FixtureRequest) -> np.dtype[Any]:
    return np.dtype(request.param)
