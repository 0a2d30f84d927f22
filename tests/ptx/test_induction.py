"""Counted loops: only proven ones get a head, and they compute the same as plain dispatch (see golden/induction.ptx)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim.translate.ptx.writer import translate
from tests.ptx.loop_passes import run_loop_passes
from tests.ptx.random_induction import module

PROGRAM = Path(__file__).resolve().parent / "random_program.py"
IN_ONE = 25
LOOP = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u32 n)
{{
    .reg .b32 %i, %n, %x, %m; .reg .b64 %a, %p; .reg .f32 %f, %g; .reg .pred %c, %d;
    ld.param.u64 %a, [in];
    ld.param.u32 %n, [n];
    mov.b64 %p, %a;
    mov.f32 %g, 0f00000000;
    mov.u32 %m, %tid.x;
    {before}
AGAIN:
    ld.global.f32 %f, [%p];
    add.f32 %g, %g, %f;
    {after}
    st.global.f32 [%a], %g;
END:
    ret;
}}
"""


@pytest.mark.parametrize(("before", "step", "test"), [
    # The limit may be 0, and the loop has one iteration.
    ("mov.u32 %i, 0;", "add.s32 %i, %i, 1;", "setp.lt.s32 %c, %i, %n;"),
    # Another comparison than the loop's: of numbers without a sign.
    ("mov.u32 %i, 0; setp.lt.u32 %d, %n, 1; @%d bra END;", "add.s32 %i, %i, 1;", "setp.lt.s32 %c, %i, %n;"),
    # The limit changes between the branch and the loop.
    ("mov.u32 %i, 0; setp.lt.s32 %d, %n, 1; @%d bra END; sub.s32 %n, %n, 5;", "add.s32 %i, %i, 1;", "setp.lt.s32 %c, %i, %n;"),
    # The branch goes the other way.
    ("mov.u32 %i, 0; setp.ge.s32 %d, %n, 1; @%d bra END;", "add.s32 %i, %i, 1;", "setp.lt.s32 %c, %i, %n;"),
    # The limit changes in the loop.
    ("mov.u32 %i, 0;", "add.s32 %i, %i, 1; mov.u32 %x, 7;", "setp.lt.s32 %c, %i, %x;"),
    # The counter is read once it has moved on.
    ("mov.u32 %i, 0;", "add.s32 %i, %i, 1; st.global.u32 [%a], %i;", "setp.ne.s32 %c, %i, 9;"),
    # The first value is no less than the limit.
    ("mov.u32 %i, 9;", "add.s32 %i, %i, 1;", "setp.lt.s32 %c, %i, 9;"),
    # The step has a guard.
    ("mov.u32 %i, 0; setp.eq.s32 %d, %n, 1;", "@%d add.s32 %i, %i, 1;", "setp.lt.s32 %c, %i, 9;"),
])  # fmt: skip
def test_a_test_that_is_not_proven_stays_behind_the_body(before, step, test):
    program = LOOP.format(before=before, after=f"add.s64 %p, %p, 4; {step} {test} @%c bra AGAIN;")
    assert run_loop_passes(program).counted == []
    assert "do {" in translate(program).source


def compared(python, folder, seeds, module=module):
    for first in range(seeds.start, seeds.stop, IN_ONE):
        text = module(range(first, first + IN_ONE))
        (folder / f"{first:06}.ptx").write_text(text, encoding="utf-8")
    process = python.start_for(14_000, "-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM, "plain", folder)
    assert process.stdout.strip() == f"{len(seeds)} kernels, 0 differ", process.stdout + process.stderr


def test_most_loops_of_random_kernels_are_found():
    assert len(run_loop_passes(module(range(100))).counted) > 100


def test_random_loops_compute_what_dispatch_does(any_shim_python, tmp_path):
    compared(any_shim_python, tmp_path, range(100))


@pytest.mark.long
def test_ten_thousand_random_loops(any_shim_python, tmp_path):
    compared(any_shim_python, tmp_path, range(1000, 11_000))
