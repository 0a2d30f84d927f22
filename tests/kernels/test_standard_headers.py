"""A header of CUDA's C++ library compiles with every host compiler and its standard library."""

from __future__ import annotations

import pytest

from tests.hip_on_host.hiprtc_program import find_compiler
from tests.kernels import world_worker

#: Their host headers ask the compiler about type information and exceptions, which kernels are compiled without.
HEADERS = ("array", "complex", "functional")


@pytest.mark.parametrize("compiler", ["clang++-19", "g++", "zig"])
def test_each_of_them(compiler: str) -> None:
    if not find_compiler(compiler):
        pytest.skip(f"{compiler} is not installed")
    options = ["--cuda-shim-cuda=13050", "-D__CUDA_ARCH__=800"]
    kernel = 'extern "C" __global__ void kernel() {}\n'
    programs = [(options, f"#include <cuda/std/{name}>\n{kernel}") for name in HEADERS]
    answers = dict(zip(HEADERS, world_worker.run(compiler, programs), strict=True))
    assert {name: log[:500] for name, (status, log) in answers.items() if status} == {}
