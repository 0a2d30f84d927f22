"""The checks in front of calls that HIP cannot serve; every call's are held beside NVIDIA's in tests/adapters."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from cuda_shim.binding.catalogue import Catalogue
from cuda_shim.binding.functions import Binding
from cuda_shim.binding.functions.checks import checks
from cuda_shim.mapping.rows import FunctionRow

CATALOGUE = Catalogue("12.9", {table: f"cuda.bindings.{table}" for table in ("driver", "runtime", "nvrtc")})


def check(name: str, *arguments: Any) -> None:
    row = CATALOGUE.row("driver", name)
    assert isinstance(row, FunctionRow)
    checks(Binding(row, CATALOGUE.scope("driver")))(*arguments)


def made(name: str) -> Any:
    return CATALOGUE.object("driver", name)


@pytest.mark.parametrize("parameters", [None, 0, ((1,), (ctypes.c_int,)), bytearray(8)])
def test_a_launch_takes_its_parameters_in_every_form(parameters: Any) -> None:
    check("cuLaunchKernelEx", made("CUlaunchConfig")(), 0, parameters, 0)


def test_a_launch_with_a_list_of_parameters_is_an_error() -> None:
    with pytest.raises(TypeError, match="Argument 'kernelParams' is not a valid type"):
        check("cuLaunchKernelEx", made("CUlaunchConfig")(), 0, [1], 0)


def test_lists_must_be_as_long_as_their_count() -> None:
    with pytest.raises(RuntimeError, match="List is too small: 1 < 2"):
        check("cuStreamBatchMemOp", 0, 2, [made("CUstreamBatchMemOpParams")()], 0)


def test_numbers_are_looked_at_before_everything_else() -> None:
    with pytest.raises(TypeError, match="an integer is required"):
        check("cuLaunchKernel", "no function", None, 1, 1, 1, 1, 1, 0, 0, None, 0)
