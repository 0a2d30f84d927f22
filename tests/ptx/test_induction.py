"""Loops that count are written with a head where that is proven, and compute the same as plain dispatch."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim.translate.ptx.writer import translate
from tests.ptx.random_counting import module

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
    {behind}
    st.global.f32 [%a], %g;
END:
    ret;
}}
"""


def written(before, behind):
    return translate(LOOP.format(before=before, behind=behind)).source


@pytest.mark.parametrize(("before", "step", "test", "head"), [
    ("mov.u32 %i, 0;", "add.s32 %i, %i, 4;", "setp.ne.s32 %c, %i, 128;", "= 0; reg_i_1 != 128; reg_i_1 += 4"),
    ("mov.u32 %i, 9;", "sub.s32 %i, %i, 1;", "setp.gt.s32 %c, %i, 0;", "= 9; reg_i_1 > 0; reg_i_1 += (-1)"),
    ("mov.u32 %i, 0; setp.lt.s32 %d, %n, 1; @%d bra END;", "add.s32 %i, %i, 1;", "setp.lt.s32 %c, %i, %n;", "= 0; reg_i_1 < (int)reg_n; reg_i_1 += 1"),
    ("mov.u32 %i, %tid.x; setp.ge.s32 %d, %i, %n; @%d bra END;", "add.s32 %i, %i, 256;", "setp.gt.s32 %c, %n, %i;", "= (int)threadIdx.x; reg_i_1 < (int)reg_n; reg_i_1 += 256"),
])  # fmt: skip
def test_a_proven_test_comes_to_the_front(before, step, test, head):
    text = written(before, f"add.s64 %p, %p, 4; {step} {test} @%c bra AGAIN;")
    assert f"for (int reg_i_1 {head})" in text
    assert "do {" not in text


@pytest.mark.parametrize(("before", "step", "test"), [
    # The limit may be 0, and the loop goes round once.
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
def test_what_is_not_proven_stays_behind(before, step, test):
    text = written(before, f"add.s64 %p, %p, 4; {step} {test} @%c bra AGAIN;")
    assert "for (" not in text
    assert "do {" in text


def test_an_address_that_moves_along_is_computed_from_the_counter():
    text = written("mov.u32 %i, 0;", "add.s64 %p, %p, 16; add.s32 %i, %i, 4; setp.ne.s32 %c, %i, 128; @%c bra AGAIN;")
    assert "(unsigned long long)(unsigned)reg_i_1 * 4ull" in text
    assert "+ 16" not in text


@pytest.mark.parametrize(("first", "by", "test"), [
    ("4294967280", "4", "setp.ne.u32 %c, %i, 16;"),  # passes 0, so that the widened counter would jump
    ("0", "3", "setp.ne.s32 %c, %i, 128;"),  # is never 128
    ("0", "8", "setp.lt.s32 %c, %i, 2147483647;"),
])  # fmt: skip
def test_a_counter_that_may_wrap_gives_no_wider_address(first, by, test):
    text = written(
        f"mov.u32 %i, {first};", f"add.s64 %p, %p, {int(by) * 4}; add.s32 %i, %i, {by}; {test} @%c bra AGAIN;"
    )
    assert f"+ {int(by) * 4}" in text


INDEX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 n)
{{
    .reg .b32 %r<8>; .reg .b64 %a<8>;
    ld.param.u64 %a0, [in];
    ld.param.u64 %a1, [n];
    mov.u32 %r0, {register};
    cvt.s64.s32 %a2, %r0;
    shr.s64 %a3, %a2, 63;
    and.b64 %a4, %a3, %a1;
    add.s64 %a5, %a4, %a2;
    shl.b64 %a6, %a5, 2;
    add.s64 %a7, %a0, %a6;
    st.global.u32 [%a7], 1;
    ret;
}}
"""


@pytest.mark.parametrize(("register", "kept"), [("%tid.x", False), ("%ctaid.y", False), ("%clock", True)])
def test_an_index_of_a_thread_is_not_below_zero(register, kept):
    """Numba's correction of an index that may count from the end is left out for an index that cannot."""
    assert (">> 63" in translate(INDEX.format(register=register)).source) is kept


def compared(python, folder, seeds, module=module):
    for first in range(seeds.start, seeds.stop, IN_ONE):
        text = module(range(first, first + IN_ONE))
        (folder / f"{first:06}.ptx").write_text(text, encoding="utf-8")
    said = python.start_for(14_000, "-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM, "plain", folder)
    assert said.stdout.strip() == f"{len(seeds)} kernels, 0 differ", said.stdout + said.stderr


def test_most_loops_of_random_kernels_are_found():
    text = translate(module(range(100))).source
    assert text.count("for (") > 100


def test_random_loops_compute_what_dispatch_does(any_shim_python, tmp_path):
    compared(any_shim_python, tmp_path, range(100))


@pytest.mark.long
def test_ten_thousand_random_loops(any_shim_python, tmp_path):
    compared(any_shim_python, tmp_path, range(1000, 11_000))
