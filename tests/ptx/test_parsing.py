"""Reading PTX: the parts of a module, and errors in a text that is not PTX, with their place."""

from __future__ import annotations

import pytest

from cuda_shim.translate.ptx.errors import PtxError, UnsupportedPtx
from cuda_shim.translate.ptx.parser import parse
from cuda_shim.translate.ptx.writer import translate
from tests.ptx.malformed import RICH, mutations
from tests.ptx.texts import HEAD, SAXPY, kernel


def test_a_module_with_its_types():
    module, _ = parse(
        HEAD
        + """
.extern .func (.param .b32 r) helper (.param .b64 a, .param .align 8 .b8 s[24]);
.visible .global .align 16 .v4 .f32 points[8];
.const .b32 table[2][2] = {{1, -2}, {0x10U, 0b11}};
.extern .shared .align 16 .b8 dynamic[];
.weak .func again() { ret; }
"""
        + SAXPY.removeprefix(HEAD)
    )
    assert module.version == (8, 0)
    assert module.target == "sm_80"
    points, table = module.variables["points"], module.variables["table"]
    assert (points.size, points.align, points.vector, points.linkage) == (128, 16, 4, "visible")
    assert table.initial is not None
    assert [getattr(item, "value", None) for item in table.initial] == [1, -2, 16, 3]
    assert module.variables["dynamic"].size == 0
    helper = module.functions["helper"]
    assert [(p.name, p.size, p.align) for p in helper.parameters] == [("a", 8, 8), ("s", 24, 8)]
    saxpy = module.functions["saxpy"]
    assert saxpy.entry
    assert saxpy.directives["maxntid"] == (256, 1, 1)
    assert module.functions["again"].linkage == "weak"


def test_scopes_hide_names():
    text = kernel("{ .reg .b32 t; mov.u32 t, 1; bra L; L: { .reg .b32 t; mov.u32 t, 2; L: } }\nL:")
    function = parse(text)[0].functions["test"]
    assert function.body is not None
    assert {"t", "t.1"} <= set(function.registers)
    assert [item.name for item in function.body if hasattr(item, "name")] == ["L", "L.1", "L.2"]


@pytest.mark.parametrize(
    ("body", "line", "reason"),
    [
        ("add.u32 %r1, %r2", 22, "Parsing error near 'ret'"),
        ("add.u32 %r1, %r99, %r2;", 21, "Unknown symbol '%r99'"),
        ("bra NOWHERE;", 21, "Unknown symbol 'NOWHERE'"),
        ("ld.global.u32 %r1, [nothing];", 21, "Unknown symbol 'nothing'"),
        ("ld.shared.u32 %r1, [out];", 21, "State space mismatch: 'out' is in .param"),
        ("add.u32 %r1, %r2;", 21, "Arguments mismatch for instruction 'add'"),
        ("call unknown;", 21, "Unknown symbol 'unknown'"),
        ("mov.u32 %r1, %pm0;", 21, "is not translated"),
        ("L: L: ret;", 21, "Duplicate definition of label 'L'"),
        ("#", 21, "Parsing error near '#'"),
        ("mov.b64 {%r1, %r2, %r3}, %rd1;", 21, "does not fit a register"),
    ],
)
def test_errors_have_their_place(body, line, reason):
    with pytest.raises(PtxError) as caught:
        translate(kernel(body))
    assert reason in caught.value.reason
    assert (caught.value.line, caught.value.column > 0) == (line, True)
    assert f"ptxas my.ptx, line {line}, column " in caught.value.message("my.ptx")


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("mma.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32 {%f1}, {%r1}, {%r2}, {%f2};", "mma.sync"),
        ("wmma.load.a.sync.aligned.row.m16n16k8.f16 {%r1}, [%rd1];", "wmma.load"),
        ("multimem.red.add.u32 [%rd1], %r1;", "multimem.red.add.u32"),
        ("frobnicate.b32 %r1, %r2;", "frobnicate.b32"),
        ("add.b17 %r1, %r2, %r3;", "add.b17"),
    ],
)
def test_instructions_without_translation_are_refused_by_name(body, named):
    with pytest.raises(UnsupportedPtx) as caught:
        translate(kernel(body))
    assert named in caught.value.reason
    assert caught.value.line == 21


def test_texts_that_are_not_ptx():
    for text, reason in (
        ("", "Missing .version"),
        (".version 8.0\n", "Missing .target"),
        ("hello", "Missing .version"),
    ):
        with pytest.raises(PtxError, match=reason):
            translate(text)


def outcome(text):
    """None where a text is taken; else the error, which must be one of PTX."""
    try:
        translate(text)
    except PtxError as error:
        return error
    return None


def test_every_prefix_is_an_error_or_a_module():
    assert outcome(RICH) is None
    end = RICH.rindex("}")
    for length in range(end):
        prefix = RICH[:length]
        if outcome(prefix) is None:
            # A module may end behind its head and between declarations.
            head = prefix.strip().startswith(".version") and len(prefix) <= len(HEAD)
            assert head or (prefix.count("{") == prefix.count("}") and prefix.rstrip()[-1] in ";}"), prefix


def test_mutations_never_crash():
    assert sum(outcome(text) is None for text in mutations(14, 1000)) > 20


def test_a_sum_that_begins_with_a_short_number_is_widened_by_cxx():
    """It is cut to 16 bits before they are taken for a half's: as an int it would be converted to one."""
    body = "ld.global.b16 %rs1, [%rd2]; add.f16 %rs2, %rs1, %rs1; add.u16 %rs2, 15, %rs1; add.f16 %rs2, %rs2, %rs1; st.global.b16 [%rd1], %rs2;"
    text = translate(kernel(body)).source
    assert "cuda_shim_ptx::as<_Float16>(((unsigned short)((unsigned short)15 + " in text


def test_two_comparisons_of_pairs():
    text = translate(
        kernel("setp.lt.f16x2 %p1|%p2, %r1, %r2; setp.gt.f16x2 %p3|%p4, %r1, %r2; @%p1 st.global.u32 [%rd1], %r1;")
    ).source
    assert text.count("const bool cuda_shim_second") == 2
    assert "{\n        const bool cuda_shim_second" in text


@pytest.mark.parametrize(
    "opcode", ["fence.sc.gpu", "fence.gpu.sc", "fence.cta.acq_rel", "fence.sys", "fence.acquire.cluster"]
)
def test_a_fence_says_its_scope_before_its_order_or_behind_it(opcode):
    """The core libraries' atomics have the one, compilers the other."""
    assert "__threadfence_system();" in translate(kernel(f"{opcode};")).source
