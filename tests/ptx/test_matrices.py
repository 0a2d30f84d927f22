"""Products of matrices in PTX modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.writer import translate
from tests.ptx.texts import kernel

PROGRAM = Path(__file__).resolve().parent / "matrices.py"
ROUND = "{%f1, %f2, %f3, %f4}"


def test_a_warp_multiplies(any_shim_python):
    assert any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM) == "right\n"


def test_an_amd_gpu_is_told_which_instruction_it_lacks():
    text = kernel(
        f"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {ROUND}, {{%r1, %r2, %r3, %r4}}, {{%r5, %r6}}, {ROUND};"
    )
    (reason,) = translate(text).hosts_only
    assert "'mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32'" in reason.reason
    assert reason.line == 21


def test_registers_are_counted():
    with pytest.raises(PtxError, match="Arguments mismatch"):
        translate(
            kernel(f"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {ROUND}, {{%r1}}, {{%r5, %r6}}, {ROUND};")
        )
