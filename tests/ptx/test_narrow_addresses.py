"""Addresses of 32 bits in a PTX module with addresses of 64."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.writer import translate
from tests.ptx.texts import kernel

PROGRAM = Path(__file__).resolve().parent / "narrow_addresses_program.py"


@pytest.mark.parametrize("mode", [{}, {"CUDA_SHIM_CPU_CHECK": "1"}, {"CUDA_SHIM_CPU_SPLIT": "0"}], ids=str)
def test_a_threads_own_memory(any_shim_python, mode):
    assert any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM, **mode) == "right\n"


def test_a_number_that_is_no_local_address_is_refused():
    with pytest.raises(PtxError, match="an address of 32 bits in a space of 64"):
        translate(kernel("ld.local.u32 %r1, [%r2];"))
