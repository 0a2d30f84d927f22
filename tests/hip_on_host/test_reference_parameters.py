"""Parameters of kernels that are references: a launch gives the address, as NVRTC has it, and all threads see one object."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.hip_on_host import hiprtc_program
from tests.hip_on_host.hiprtc_program import Kernels, rows
from tests.program_files import read_program

SOURCE = read_program(__file__, "reference_parameters.cu")


@pytest.fixture(scope="module")
def module(programs: Kernels) -> hiprtc_program.Module:
    return programs.load(SOURCE, names=("generic<int&>", "generic<int>"))


def test_they_are_read(module: hiprtc_program.Module) -> None:
    out = np.zeros(8, np.float32)
    module.launch("reads", 1, 8, np.array([1.5], np.float32), out, np.array([3], np.int8), np.array([4, 5], np.int32))
    assert (out == np.arange(8) * 1.5 + 8).all()
    out = np.zeros(8, np.int32)
    module.launch("by_array", 1, 8, np.array([3, 1, 4, 1], np.int32), out)
    assert out.tolist() == [3, 1, 4, 1, 3, 1, 4, 1]


def test_what_one_thread_writes_the_others_see(module: hiprtc_program.Module) -> None:
    v, out = np.zeros(1, np.int32), np.zeros(8, np.int32)
    module.launch("writes", 1, 8, v, out)
    assert (v[0], out.tolist()) == (9, list(range(7, 15)))
    module.launch("changes", 1, 1, v)
    assert v[0] == 50


@pytest.mark.parametrize("expression, after", [("generic<int&>", 9), ("generic<int>", None)])
def test_a_template_may_make_them(module: hiprtc_program.Module, expression: str, after: int | None) -> None:
    v, out = np.array([4], np.int32), np.zeros(1, np.int32)
    argument = v if after else ctypes.c_int(4)
    module.launch(expression, 1, 1, argument, out)
    assert (v[0], out[0]) == (4, 4)
    if after:
        module.launch(expression, 1, 2, v, np.zeros(2, np.int32))
        assert v[0] == after


def test_a_launch_gives_addresses(programs: Kernels) -> None:
    reads = rows(programs.compile(SOURCE))["reads"]
    sizes = (ctypes.c_uint32 * 4).from_address(reads.sizes)
    assert list(sizes) == [8, 8, 8, 8]
