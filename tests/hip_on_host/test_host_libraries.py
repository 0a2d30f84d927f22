"""Programs that include headers of the host's C++ library, or of ours, compile with every compiler."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.hip_on_host.hiprtc_program import find_compiler
from tests.hip_on_host.program_outcomes import DEFAULT, Launch, Program, Runner
from tests.kernels import world, world_worker
from tests.program_files import read_program

DEVICE = world.RUNTIME / "device"
CUDA = "--cuda-shim-cuda=13050"
KERNEL = '\nextern "C" __global__ void k(float* x) { x[threadIdx.x] += 1; }\n'

#: A kernel that no rewriting takes: its local has a destructor and lives across a barrier. So the program is checked as
#: it is written too, with headers that come behind the macros that are taken back.
KEPT = """
#include <cuda_fp16.h>
struct Guard { float* p; __device__ ~Guard() { *p += 1.0f; } };
extern "C" __global__ void k(float* x) {
    Guard guard{x + threadIdx.x};
    x[threadIdx.x] = __half2float(__float2half(2.5f));
    __syncthreads();
    x[threadIdx.x] += 1.0f;
}"""
COMPLEX = read_program(__file__, "host_libraries_complex.cu")


def names(folder: str) -> list[str]:
    """The headers of a folder, as programs include them."""
    root = DEVICE / folder
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def of_cuda(name: str) -> bool:
    return not name.startswith("hip/")


@pytest.fixture(params=["clang++-19", "g++", "zig", "newer zig"])
def compiler(request):
    if not find_compiler(request.param):
        pytest.skip(f"{request.param} is not installed")
    return request.param


def test_every_header_of_cudas_library_compiles(compiler):
    headers = [*names("libcudacxx"), *names("preprocess_only")]
    assert "cuda/std/complex" in headers
    if compiler == "newer zig":  # it differs from zig in the C library's headers: one of ours that includes them
        headers = ["cuda/std/complex"]
    options = [CUDA, "-O0", *(["--gpu-architecture=compute_90"])]
    done = world_worker.run(compiler, [(options, f"#include <{name}>{KERNEL}") for name in headers])
    assert {name: log for name, (status, log) in zip(headers, done, strict=True) if status} == {}


@pytest.mark.parametrize("name", ["cstdint", "limits", "initializer_list", "algorithm", "string.h"])
def test_headers_of_the_host_compile(compiler, name):
    ((status, log),) = world_worker.run(compiler, [([CUDA, "-O0"], f"#include <{name}>{KERNEL}")])
    assert status == 0, log


def test_every_stand_in_can_be_checked_as_it_is_written(compiler):
    """-W has the program compiled once more for its warnings, without the macros that NVRTC does not have."""
    headers = [name for name in names("include") if of_cuda(name)]
    text = "".join(f"#include <{name}>\n" for name in headers) + KERNEL
    ((status, log),) = world_worker.run(compiler, [([CUDA, "-O0", "-Wall"], text)])
    assert (status, "error" in log) == (0, False), log


def test_a_kernel_that_is_left_as_it_is_written_may_use_halves(compiler):
    ((status, log),) = world_worker.run(compiler, [([CUDA, "-O0"], KEPT)])
    assert status == 0, log


@pytest.mark.parametrize("first", ["", "#include <type_traits>\n"], ids=["alone", "behind-the-hosts"])
def test_a_missing_header_is_the_first_error(compiler, first):
    text = f'{first}#include "missing.h"{KERNEL}'
    ((status, log),) = world_worker.run(compiler, [([CUDA], text)])
    line = 1 + first.count("\n")
    assert status == 6
    assert next(row for row in log.splitlines() if "error" in row).startswith(f"probe.cu({line}): "), log


def test_complex_numbers_are_right(compiler, runtime_folder: Path):
    x = np.linspace(-3, 3, 32, dtype=np.float32)
    launch = Launch("k", (x, np.zeros(160, np.float32)), block=(32, 1, 1))
    runner = Runner(runtime_folder, find_compiler(compiler))
    try:
        outcome = runner.outcomes(Program(COMPLEX, (launch,), (CUDA,)), DEFAULT)["k"]
    finally:
        runner.close()
    assert not isinstance(outcome, str), outcome
    one, other = x + 1j, 2 + 1j * x
    product, quotient = one * other, one / other
    expected = [product.real + product.imag, quotient.real, quotient.imag, np.abs(one * one), np.angle(one)]
    np.testing.assert_allclose(outcome[1].reshape(32, 5), np.stack(expected, axis=1), rtol=1e-5, atol=1e-6)
