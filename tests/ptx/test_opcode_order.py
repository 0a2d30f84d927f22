"""Modifiers in another order than the PTX ISA's: NVIDIA's assembler takes them, and so does the translation."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.opcode_order import documented_order
from cuda_shim.translate.ptx.writer import translate
from tests.ptx.assembler import refusal
from tests.ptx.texts import kernel

#: Instructions as they are written, and their opcodes in the documented order.
WRITTEN = {
    "vote.ballot.sync.b32 %r1, %p1, -1;": "vote.sync.ballot.b32",
    "vote.all.sync.pred %p1, %p2, -1;": "vote.sync.all.pred",
    "vote.any.sync.pred %p1, %p2, -1;": "vote.sync.any.pred",
    "vote.uni.sync.pred %p1, %p2, -1;": "vote.sync.uni.pred",
    "shfl.up.sync.b32 %r1, %r2, 1, 0, -1;": "shfl.sync.up.b32",
    "match.sync.any.b32 %r1, %r2, -1;": "match.any.sync.b32",
    "redux.add.sync.s32 %r1, %r2, -1;": "redux.sync.add.s32",
    "barrier.aligned.sync 0;": "barrier.sync.aligned",
    "add.s32.sat %r1, %r2, %r3;": "add.sat.s32",
    "mul.f32.ftz %f1, %f2, %f3;": "mul.ftz.f32",
    "fma.ftz.rn.f32 %f1, %f2, %f3, %f1;": "fma.rn.ftz.f32",
    "setp.ftz.lt.f32 %p1, %f1, %f2;": "setp.lt.ftz.f32",
    "cvt.f32.rn.s32 %f1, %r1;": "cvt.rn.f32.s32",
    "cvt.sat.rzi.s32.f32 %r1, %f1;": "cvt.rzi.sat.s32.f32",
    "testp.f32.finite %p1, %f1;": "testp.finite.f32",
}


@pytest.mark.parametrize("written", WRITTEN)
def test_it_means_the_documented_opcode(written: str) -> None:
    opcode, _, operands = written.partition(" ")
    assert documented_order(opcode) == WRITTEN[written]
    documented = f"{WRITTEN[written]} {operands}"
    assert translate(kernel(written)).source == translate(kernel(documented)).source


def test_other_opcodes_stay_as_they_are() -> None:
    for opcode in ("add.sat.s32", "add.sat.s33", "nothing.at.all", "mma.sync.aligned", "bra.uni"):
        assert documented_order(opcode) == opcode
    with pytest.raises(PtxError, match=r"'add\.f16\.ballot'"):
        translate(kernel("add.f16.ballot %r1, %r2, %r3;"))


def test_the_assembler_takes_them(assembler: Path, tmp_path: Path) -> None:
    for written in WRITTEN:
        file = tmp_path / "written.ptx"
        file.write_text(kernel(written), encoding="utf-8")
        assert refusal(assembler, file) == "", written
