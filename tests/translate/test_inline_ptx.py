"""Inline PTX becomes C++, or is refused by name."""

from __future__ import annotations

import re

import pytest

from cuda_shim.translate.assembly import Untranslatable, Wrong, read_statement
from cuda_shim.translate.lexer import Text
from cuda_shim.translate.ptx.inline import to_expression


def translated(source):
    statement = read_statement(Text(source.encode()), 0)
    assert statement is not None
    return to_expression(statement)


def refused(source):
    with pytest.raises(Untranslatable) as caught:
        translated(source)
    return str(caught.value)


@pytest.mark.parametrize(
    ("source", "expression"),
    [
        (
            'asm volatile("mov.u32 %0, %%laneid;" : "=r"(ret))',
            "(cuda_shim_ptx::put<'r'>(ret, cuda_shim_ptx::as<unsigned>((unsigned)(__lane_id() & 31))))",
        ),
        (
            'asm("mov.u32 %0, %tid.x;" : "=r"(a.b[i]))',
            "(cuda_shim_ptx::put<'r'>(( a . b [ i ] ), cuda_shim_ptx::as<unsigned>(threadIdx.x)))",
        ),
        ('asm volatile("bar.sync 0;")', "(__syncthreads())"),
        ('asm volatile("bar.sync 0;" ::: "memory")', "(__syncthreads())"),
        ('asm volatile("bar.sync 1, 64;")', "(cuda_shim_ptx::named_sync((unsigned)1, (unsigned)64, false))"),
        (
            'asm volatile("barrier.sync %0;" :: "r"(n))',
            "(cuda_shim_ptx::named_sync(cuda_shim_ptx::as<unsigned, 'r'>(n), false))",
        ),
        (
            'asm volatile("bar.arrive %0, %1;" :: "r"(n), "n"(96))',
            "(cuda_shim_ptx::named_arrive(cuda_shim_ptx::as<unsigned, 'r'>(n), cuda_shim_ptx::as<unsigned>(96)))",
        ),
        ('__asm__ __volatile__("membar.gl;")', "(__threadfence())"),
        ('asm("prefetch.global.L2 [%0];" :: "l"(p + 1))', "((void)cuda_shim_ptx::at<unsigned char>(( p + 1 ), 0))"),
        ('asm("trap;")', "(__builtin_trap())"),
    ],
)
def test_single_instructions(source, expression):
    assert translated(source) == expression


@pytest.mark.parametrize(
    "source",
    [
        'asm volatile("" ::: "memory")',
        'asm("// nothing but a comment")',
        'asm volatile("s_nop 0")',
        'asm volatile("v_mov_b32 %0, %1" : "=v"(a) : "v"(b))',
    ],
)
def test_what_stays(source):
    assert translated(source) is None


@pytest.mark.parametrize(
    ("source", "named"),
    [
        (
            'asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0}, {%1}, {%2}, {%3};" : "=f"(a) : "r"(b), "r"(c), "f"(d))',
            "Arguments mismatch for instruction 'mma'",
        ),
        ('asm("tcgen05.fence::before_thread_sync;")', "tcgen05.fence::before_thread_sync"),
        (
            'asm("frobnicate.u32 %0, %1;" : "=r"(a) : "r"(b))',
            "'frobnicate.u32' is not translated: tables/ptx.yaml has no row for it",
        ),
        ('asm("add.cc.f32 %0, %1, %2;" : "=f"(a) : "f"(b), "f"(c))', "does not have .f32"),
        ('asm("add.b16 %0, %1, %2;" : "=h"(a) : "h"(b), "h"(c))', "does not have .b16"),
        ('asm("mov.u32 %0, %%pm0;" : "=r"(a))', "'%%pm0'"),
        ('asm("bar.sync 1, 63;")', "multiple of warp size"),
        ('asm("barrier.sync 16;")', "Barrier number '16' out of range"),
        ('asm("bar.arrive 1;")', "Arguments mismatch for instruction 'bar'"),
        ('asm("bar.arrive 0, 64;")', "'bar.arrive' at barrier 0 has no counterpart; use another number"),
        ('asm("ld.local.f32 %0, [%1];" : "=f"(a) : "r"(b))', "because of .local"),
        ('asm("add.u32 %0|p, %1, %2;" : "=r"(a) : "r"(b), "r"(c))', "two results"),
        ('asm("add.u32 %0, %1;" : "=r"(a) : "r"(b))', "Arguments mismatch for instruction 'add'"),
        ('asm("add.u32 %0, %1, %0;" : "=r"(a) : "0"(b))', "ties an input"),
        ('asm(TEMPLATE : "=r"(a))', "macros"),
        ('asm("bra DONE;")', "jumps, and Unknown symbol 'DONE'"),
        ('asm("X: bra X; X: trap;")', "has the label 'X' twice"),
        ('asm("{ L: @q bra L; }")', "'q' is not translated"),
        ('asm("{ .reg .f16x2 t; }")', ".f16x2"),
    ],
)
def test_what_is_refused(source, named):
    assert named in refused(source)


def test_two_results_and_carries():
    two = translated('asm("{ .reg .pred p; shfl.sync.idx.b32 %0|p, %1, %2, 31, -1; }" : "=r"(a) : "r"(b), "r"(c))')
    assert "cuda_shim_ptx::put(cuda_shim_r_p, cuda_shim_second)" in two
    carried = translated(
        'asm("add.cc.u32 %0, %1, %2; addc.u32 %3, %4, 0;" : "=r"(a), "=r"(d) : "r"(b), "r"(c), "r"(e))'
    )
    assert carried.startswith("({ unsigned cuda_shim_carry = 0; ")


def test_operands_by_name():
    expression = translated('asm("add.u32 %[sum], %[a], 3;" : [sum] "=r"(x) : [a] "r"(y))')
    assert expression == "(cuda_shim_ptx::put(x, cuda_shim_ptx::as<unsigned>(y) + (unsigned)3))"


def test_declared_registers_and_predicates_become_variables():
    expression = translated(
        'asm("{ .reg .pred p; .reg .b32 t<2>; setp.ne.b32 p, %1, 0; @!p mov.b32 t1, 7; mov.b32 %0, t1; }" : "=r"(x) : "r"(y))'
    )
    assert expression.startswith("({ bool cuda_shim_r_p; unsigned cuda_shim_r_t0, cuda_shim_r_t1; ")
    assert "if (!cuda_shim_r_p) cuda_shim_ptx::put(cuda_shim_r_t1, (unsigned)7);" in expression


def test_pieces_of_a_template_are_joined():
    assert (
        translated('asm("mov.u32 "  /* a comment */ "%0,"\n " 5;\\n\\t" : "=r"(x))')
        == "(cuda_shim_ptx::put<'r'>(x, (unsigned)5))"
    )


def test_floating_point_bits():
    assert "0x3f800000u" in translated('asm("mov.f32 %0, 0f3f800000;" : "=f"(x))')


def test_what_only_looks_like_a_statement():
    assert read_statement(Text(b"asm + 1"), 0) is None
    assert read_statement(Text(b'asm("never closed"'), 0) is None


def test_branches_are_loops_and_ifs():
    counting = 'asm("{ .reg .pred p; L%=: add.u32 %0, %0, 1; setp.lt.u32 p, %0, %1; @p bra L%=; }" : "+r"(a) : "r"(b))'
    assert translated(counting) == (
        "({ bool cuda_shim_r_p; do { cuda_shim_ptx::put<'r'>(a, cuda_shim_ptx::as<unsigned, 'r'>(a) + (unsigned)1); "
        "cuda_shim_ptx::put(cuda_shim_r_p, (bool)(cuda_shim_ptx::as<unsigned, 'r'>(a) < cuda_shim_ptx::as<unsigned, 'r'>(b))); "
        "} while (cuda_shim_r_p); })"
    )
    waiting = translated(
        'asm("{ .reg .pred p; WAIT: ld.volatile.global.u32 %0, [%1]; setp.ne.u32 p, %0, 0; @p bra DONE; bra WAIT; DONE: }"'
        ' : "=r"(a) : "l"(b))'
    )
    assert "while (true) { " in waiting
    assert "if (cuda_shim_r_p) { break; }" in waiting
    assert "goto" not in waiting


def test_names_of_the_program_are_not_taken_by_branches():
    twisted = translated(
        'asm("{ .reg .pred p; setp.gt.u32 p, %1, 3; @p bra B; A: add.u32 %0, %0, 1; B: add.u32 %0, %0, 2; '
        'setp.lt.u32 p, %0, 50; @p bra A; }" : "+r"(sum) : "r"(block))'
    )
    assert "cuda_shim_ptx::as<unsigned, 'r'>(block)" in twisted
    assert twisted.startswith("({ __label__ cuda_shim_end; bool cuda_shim_r_p; int cuda_shim_block = ")


@pytest.mark.parametrize(
    ("operands", "words"),
    [
        (':"r"(x)', "an asm output operand must have one of the '=' or '+' modifiers"),
        (':"=r"(x):"=r"(1)', "an asm input operand may not have the '=' or '+' modifiers"),
        ('::"+r"(x)', "an asm input operand may not have the '=' or '+' modifiers"),
        (':"="(x)', "asm operand has no constraint letter"),
        (':"=rl"(x)', "an asm operand may specify only one constraint letter in a __device__/__global__ function"),
        (':"=n"(x)', "an asm operand must be an integral constant expression."),
        (':"=x"(x)', "asm operand type does not match type/size implied by constraint 'x'"),
        (':"=r"(x)::"cc"', "The cc clobber constraint is not supported in device code"),
    ],
)
def test_what_nvrtc_refuses_is_refused_in_its_words(operands: str, words: str) -> None:
    with pytest.raises(Wrong, match=f"^{re.escape(words)}$"):
        read_statement(Text(f'asm("mov.b32 %0, 1;"{operands});'.encode()), 0)


def test_what_nvrtc_takes_is_read() -> None:
    for operands in (':"=r"(x)::"memory"', ':"+l"(x)', ':"=&r"(x):"n"(3)', ':"=q"(x):"d"(y), "h"(z)'):
        assert read_statement(Text(f'asm volatile("mov.b32 %0, 1;"{operands});'.encode()), 0) is not None
