"""Count-down loops, as of Numba's range: only proven ones count up (see golden/countdown_loops.ptx)."""

from __future__ import annotations

import pytest

from cuda_shim.translate.ptx.writer import translate
from tests.ptx.loop_passes import run_loop_passes

LOOP = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .b64 n)
{{
    .reg .b64 %a, %now, %ahead, %kept, %one, %x, %p, %remain, %two, %n; .reg .f32 %f, %g; .reg .pred %c, %d;
    ld.param.u64 %a, [in];
    ld.param.b64 %n, [n];
    mov.f32 %g, 0f00000000;
    mov.b64 %now, 0;
    mov.b64 %ahead, 1;
    mov.b64 %remain, %n;
AGAIN:
    mov.b64 %kept, %ahead;
    shl.b64 %x, %now, 2;
    add.s64 %p, %a, %x;
    ld.global.f32 %f, [%p];
    add.f32 %g, %g, %f;
    {test}
    {sums}
    mov.b64 %now, %kept;
    @%c bra AGAIN;
    st.global.f32 [%a], %g;
    {behind}
    ret;
}}
"""
WIDE = "setp.gt.s64 %c, %remain, 0;"
SUMS = "selp.b64 %one, 1, 0, %c; add.s64 %ahead, %kept, %one; selp.b64 %two, -1, 0, %c; add.s64 %remain, %remain, %two;"


def program(test=WIDE, sums=SUMS, behind=""):
    return LOOP.format(test=test, sums=sums, behind=behind)


def test_the_unchanged_loop_counts_up():
    passes = run_loop_passes(program())
    assert len(passes.counted_down) == 1
    assert len(passes.counted_from(passes.counted_down[0])) == 1


@pytest.mark.parametrize("changed", [
    # The remaining count is used behind the loop, so that the last choice matters.
    {"behind": "st.global.u64 [%a], %remain;"},
    # It is compared with another number than zero.
    {"test": "setp.gt.s64 %c, %remain, 5;"},
    # A comparison of numbers without a sign that goes on below.
    {"test": "setp.lt.u64 %c, %remain, 7;"},
    # It goes down by two.
    {"sums": SUMS.replace("-1, 0, %c", "-2, 0, %c")},
    # The condition is computed again behind the choices.
    {"sums": f"{SUMS} setp.lt.s64 %c, %x, %n;"},
    # The sum has a guard.
    {"sums": f"setp.eq.s64 %d, %n, 1; {SUMS.replace('add.s64 %remain', '@%d add.s64 %remain')}"},
    # Two sums in one iteration.
    {"sums": f"{SUMS} add.s64 %remain, %remain, %two;"},
])  # fmt: skip
def test_a_loop_that_is_not_proven_counts_down(changed):
    assert run_loop_passes(program(**changed)).counted_down == []
    assert "do {" in translate(program(**changed)).source


UNROLLED = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in)
{{
    .reg .b64 %a, %b, %p, %q, %remain, %r1, %t<4>, %now, %kept, %next; .reg .f32 %f<4>; .reg .pred %c, %d;
    ld.param.u64 %a, [in];
    mov.f32 %f0, 0f00000000;
    mov.b64 %remain, {remain};
    mov.b64 %now, 0;
    mov.b64 %kept, 1;
AGAIN:
    shl.b64 %b, %now, 2;
    add.s64 %p, %a, %b;
    ld.global.f32 %f1, [%p];
    setp.ne.s64 %d, %remain, 0;
    selp.b64 %t0, -1, 0, %d;
    add.s64 %r1, %remain, %t0;
    selp.b64 %next, %kept, 0, %d;
    shl.b64 %b, %next, 2;
    add.s64 %q, %a, %b;
    ld.global.f32 %f2, [%q];
    add.f32 %f1, %f1, %f2;
    add.f32 %f0, %f0, %f1;
    add.s64 %now, %kept, 1;
    setp.{sign}.s64 %c, %r1, 0;
    selp.b64 %t1, -1, 0, %c;
    add.s64 %remain, %r1, %t1;
    add.s64 %kept, %now, 1;
    @%c bra AGAIN;
    st.global.f32 [%a], %f0;
    ret;
}}
"""


def test_choices_between_the_copies_of_a_body_are_folded():
    passes = run_loop_passes(UNROLLED.format(remain=31, sign="ne"))
    assert len(passes.counted_down) == 1
    assert passes.folded_choices == 3


@pytest.mark.parametrize(("remain", "sign"), [(30, "gt"), (20001, "ne")])
def test_choices_with_several_results_or_in_long_loops_stay(remain, sign):
    """With an odd number of iterations the last choice has another result, and longer loops are not run."""
    text = UNROLLED.format(remain=remain, sign=sign)
    assert run_loop_passes(text).folded_choices < 3
    assert " ? " in translate(text).source
