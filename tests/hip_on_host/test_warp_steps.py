"""Warp-synchronous code of old samples gives the results that an H200 gives (driver 580, sm_90: 2016 for 0 to 63)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from tests.hip_on_host import hiprtc_program
from tests.hip_on_host.hiprtc_program import Kernels
from tests.program_files import read_program

SOURCE = read_program(__file__, "warp_steps.cu")
CUDA = ("--cuda-shim-cuda=13050", "-D__CUDA_ARCH__=800")
SUMS = {"in_kernel": 32, "in_function": 64, "in_template<64>": 64, "with_barriers": 64}


@pytest.fixture(scope="module", params=["--cuda-shim-split=1", "--cuda-shim-split=0"], ids=["split", "as-written"])
def module(request: pytest.FixtureRequest, programs: Kernels) -> hiprtc_program.Module:
    return programs.load(SOURCE, *CUDA, request.param, names=("in_template<64>",))


def numbers(kind: str) -> npt.NDArray[np.int32]:
    random = np.random.default_rng(7).integers(-1000, 1000, 64)
    return np.arange(64, dtype=np.int32) if kind == "counted" else random.astype(np.int32)


@pytest.mark.parametrize("kind", ["counted", "random"])
@pytest.mark.parametrize("kernel", SUMS)
def test_a_sum(module: hiprtc_program.Module, kernel: str, kind: str) -> None:
    x, out = numbers(kind), np.zeros(1, np.int32)
    module.launch(kernel, 1, SUMS[kernel], x, out, shared=65 * 4 * 2)
    assert out[0] == x.sum()


@pytest.mark.parametrize("kernel", ["scan", "by_conditions"])
def test_a_scan(module: hiprtc_program.Module, kernel: str) -> None:
    x, out = numbers("random")[:32].copy(), np.zeros(32, np.int32)
    module.launch(kernel, 1, 32, x, out)
    assert (out == x.cumsum(dtype=np.int32)).all()


def test_barriers_are_not_added_to_code_that_has_them(programs: Kernels) -> None:
    kernel = SOURCE[SOURCE.index('extern "C" __global__ void with_barriers') :]
    compiled = programs.compile(kernel, *CUDA)
    assert hiprtc_program.forms(compiled)["with_barriers"] == (True, True)
    assert "syncwarp" not in hiprtc_program.reasons(compiled).get("with_barriers", "")
