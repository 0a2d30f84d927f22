"""Loops that count down, as Numba's range does: proven ones count up, and others stay as they are."""

from __future__ import annotations

import re

import pytest

from cuda_shim.translate.ptx.writer import translate

LOOP = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .{number} n)
{{
    .reg .b64 %a, %now, %ahead, %kept, %one, %x, %p; .reg .{number} %remain, %two, %n; .reg .f32 %f, %g; .reg .pred %c, %d;
    ld.param.u64 %a, [in];
    ld.param.{number} %n, [n];
    mov.f32 %g, 0f00000000;
    mov.b64 %now, 0;
    mov.b64 %ahead, {ahead};
    {before}
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
NARROW = SUMS.replace("b64 %two", "b32 %two").replace("s64 %remain", "s32 %remain")


def written(before="mov.b64 %remain, %n;", test=WIDE, sums=SUMS, behind="", number="b64", ahead="1"):
    text = LOOP.format(before=before, test=test, sums=sums, behind=behind, number=number, ahead=ahead)
    return translate(text).source


@pytest.mark.parametrize(("changed", "limit"), [
    ({}, r"<= \(unsigned long long\)reg_round\d"),
    ({"test": "setp.ne.s64 %c, %remain, 0;"}, "<= (reg_round|reg_n)"),
    ({"test": WIDE.replace("64", "32"), "sums": NARROW, "number": "b32"}, r"<= reg_round\d"),
    ({"before": "mov.b64 %remain, 31;"}, "< 32ull"),
])  # fmt: skip
def test_what_remains_is_counted_from_zero(changed, limit):
    text = written(**changed)
    assert re.search(rf"for \(unsigned long long (reg_round\d_1) = 0ull; \1 {limit}.*; \1 \+= 1ull\)", text), text
    assert "do {" not in text
    loop = text.partition("for (")[2]
    assert "?" not in loop
    assert "reg_remain = " not in loop


def test_its_number_is_computed_from_the_counter():
    loop = written().partition("for (")[2]
    assert "reg_now = " not in loop
    assert "reg_ahead = " not in loop
    assert re.search(r"reg_in \+ .*reg_round\d_1 << 2u", loop)


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
    # Two sums in one round.
    {"sums": f"{SUMS} add.s64 %remain, %remain, %two;"},
])  # fmt: skip
def test_what_is_not_proven_stays_as_it_is(changed):
    assert "reg_round" not in written(**changed).partition("do {")[2]
    assert "do {" in written(**changed)


def test_a_number_that_does_not_follow_the_next_one_keeps_its_own():
    loop = written(ahead="7").partition("for (")[2]
    assert "reg_now = " in loop


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


def test_questions_between_the_copies_of_a_body_are_answered():
    text = translate(UNROLLED.format(remain=31, sign="ne")).source
    assert re.search(r"reg_round\d_1 < 16ull", text)
    assert " ? " not in text.partition("for (")[2]


@pytest.mark.parametrize(("remain", "sign"), [(30, "gt"), (20001, "ne")])
def test_those_that_are_answered_differently_or_too_often_stay(remain, sign):
    """With an odd number of rounds the last answer is another one; and longer loops are not tried out."""
    assert " ? " in translate(UNROLLED.format(remain=remain, sign=sign)).source
