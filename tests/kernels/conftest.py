"""Programs whose kernels one of the host's compilers compiles."""

from __future__ import annotations

import pytest

from tests.hip_on_host.hiprtc_program import find_compiler


@pytest.fixture(params=["clang++-19", "g++"])
def host_compiler(request):
    if not find_compiler(request.param):
        pytest.skip(f"{request.param} is not installed")
    return request.param


@pytest.fixture
def run_on_cpu(any_shim_python, host_compiler):
    """Runs a program under the shim on the CPU backend; returns the finished process."""

    def run(*words, **keywords):
        command = ("-m", "cuda_shim", "run", "--backend", "cpu", *words)
        return any_shim_python.start_for(600, *command, CUDA_SHIM_CPU_CXX=host_compiler, **keywords)

    return run
