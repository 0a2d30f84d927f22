"""Code objects, as nvrtc gives them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.adapters.answers import ok

SOURCE = b"""
extern "C" {
__device__ int table[4];
__constant__ float factor;
__global__ void put(int *out, int value) { *out = value; }
__global__ void first(int *out) { *out = table[0]; }
}
"""


def compile_code(nvrtc: Any, source: bytes = SOURCE, *options: bytes) -> bytes:
    program = ok(nvrtc.nvrtcCreateProgram(source, b"kernels.cu", 0, [], []))
    ok(nvrtc.nvrtcCompileProgram(program, len(options), list(options)))
    code = b" " * ok(nvrtc.nvrtcGetPTXSize(program))
    ok(nvrtc.nvrtcGetPTX(program, code))
    ok(nvrtc.nvrtcDestroyProgram(program))
    return code


def compile_object(nvrtc: Any, source: bytes = SOURCE) -> bytes:
    """The code object itself, without a text around it."""
    program = ok(nvrtc.nvrtcCreateProgram(source, b"kernels.cu", 0, [], []))
    ok(nvrtc.nvrtcCompileProgram(program, 1, [b"-arch=sm_80"]))
    code = b" " * ok(nvrtc.nvrtcGetCUBINSize(program))
    ok(nvrtc.nvrtcGetCUBIN(program, code))
    ok(nvrtc.nvrtcDestroyProgram(program))
    return code


@contextmanager
def loaded_function(cuda: Any, name: bytes, code: bytes) -> Iterator[Any]:
    """A kernel of a code object, whose module is there until the end."""
    module = ok(cuda.driver.cuModuleLoadData(code))
    yield ok(cuda.driver.cuModuleGetFunction(module, name))
    ok(cuda.driver.cuModuleUnload(module))
