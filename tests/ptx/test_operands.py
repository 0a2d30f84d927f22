"""Each instruction of the table has the operands that its row lists, in PTX modules and in inline PTX."""

from __future__ import annotations

import pytest

from cuda_shim.mapping.text_tables import load_text
from cuda_shim.scan import device_code
from cuda_shim.scan.device_names import instruction
from cuda_shim.translate.assembly import Statement, Untranslatable, Wrong
from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.inline import to_expression
from cuda_shim.translate.ptx.writer import translate
from tests.kernels import compilers
from tests.ptx.texts import kernel

ROWS = load_text("ptx")["instructions"]
#: Rows with operands of their own number: not those of matrices and video instructions, whose opcodes say it.
COUNTED = [name for name, row in ROWS.items() if "operands" in row]
#: Opcodes of rows that are no opcodes by themselves.
_IN_FULL = {
    "applypriority": "applypriority.global.L2::evict_normal", "cvta.to": "cvta.to.global.u64", "discard": "discard.global.L2",
    "prefetch": "prefetch.global.L1", "prefetchu": "prefetchu.L1", "fence.proxy": "fence.proxy.alias",
    "cp.reduce.async.bulk.tensor.global.shared": "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group",
}  # fmt: skip


def opcode_of(name: str) -> str:
    """Return an opcode with the types that a row has first."""
    row = ROWS[name]
    reduction = "add" if name.startswith(("cp.reduce", "red.async")) else ""
    parts = [name, reduction, *row.get("types", [])[:1], *row.get("from", [])[:1]]
    return _IN_FULL.get(name) or ".".join(filter(None, parts))


def wrong_counts(name: str) -> list[int]:
    """Return the number of operands that is one too many, and the one that is one too few."""
    kinds = ROWS[name]["operands"]
    least = sum(not kind.endswith("?") for kind in kinds)
    return [len(kinds) + 1, *([least - 1] if least else [])]


def operand_of(kinds: list[str], place: int) -> str:
    kind = kinds[place].removesuffix("?") if place < len(kinds) else "S"
    if kind in ("address", "generic", "shared"):
        return "[{at}]"
    return "[{at}, {{{word}}}]" if kind == "box" else "{word}"


def said(name: str) -> str:
    return f"Arguments mismatch for instruction '{name.partition('.')[0]}'"


@pytest.mark.parametrize("name", COUNTED)
def test_another_number_of_operands_is_refused(name):
    for count in wrong_counts(name):
        operands = ", ".join(operand_of(ROWS[name]["operands"], place) for place in range(count))
        text = f"{opcode_of(name)} {operands.format(at='%rd1', word='%r1')};"
        with pytest.raises(PtxError, match=said(name)):
            translate(kernel(text))
        template = f"{opcode_of(name)} {operands.format(at='%1', word='%0')};"
        with pytest.raises(Wrong, match=said(name)):
            to_expression(
                Statement(template, ("x", "p"), ("n", "l"), {}, is_volatile=True, clobbers_memory=False, begin=0, end=0)
            )


@pytest.mark.parametrize(
    "statement",
    [
        'float r; asm("add.f32 %0, %1;" : "=f"(r) : "f"(a)); *o = r;',
        'int r; asm("add.s32 %0, 1, 2, 3;" : "=r"(r)); *o = r;',
        'asm volatile("st.global.u32 [%0];" ::"l"(o));',
        'asm volatile("membar.gl %0;" ::"f"(a));',
        'asm volatile("cp.async.wait_group;");',
        'asm volatile("cp.async.commit_group 1;");',
    ],
)
def test_nvrtc_refuses_them_too(statement):
    nvrtc = compilers.nvrtc().get(max(compilers.WHEELS.values()))
    if nvrtc is None:
        pytest.skip("NVRTC is not installed")
    text = f"__global__ void k(float* o, float a) {{ {statement} }}"
    assert nvrtc.compile(text.encode(), b"k.cu", [b"--gpu-architecture=sm_90"]).status
    template = statement.partition('"')[2].partition('"')[0]
    with pytest.raises(Untranslatable, match="Arguments mismatch for instruction"):
        to_expression(
            Statement(template, ("r", "a"), ("f", "f"), {}, is_volatile=True, clobbers_memory=False, begin=0, end=0)
        )


def test_explain_asks_the_decoder():
    answers = instruction("add.rn.f32x2", ROWS["add"])
    assert {answer.problem for answer in answers} == {True}
    assert not any(answer.problem for answer in instruction("add.rn.f32", ROWS["add"]))


#: Statements about registers that NVRTC refuses; `x` is a 32-bit output and `f` an input of single precision.
WRONG = [
    'asm("add.s32 %0, %1, 1;" : "=r"(x) : "f"(f));',
    'asm("add.f32 %0, %1, 1;" : "=r"(x) : "f"(f));',
    'asm("add.s32 %0, 1, 1.0;" : "=r"(x));',
    'asm("mov.b64 %0, 1;" : "=r"(x));',
    'asm("mov.b32 %0, 1;" : "=l"(wide));  asm("mov.b32 %0, 1;" : "=h"(half));',
    'asm("{ .reg .f32 t; mov.b32 t, %1; add.s32 %0, t, 1; }" : "=r"(x) : "f"(f));',
    'asm("{ .reg .b32 p; mov.b32 p, 1; @p mov.b32 %0, 1; }" : "=r"(x));',
    'asm("{ .reg .pred p; setp.eq.s32 p, 1, 1; mov.b32 %0, p; }" : "=r"(x));',
    'asm("{ .reg .b32 t; mov.b32 t, 1; } mov.b32 %0, t;" : "=r"(x));',
    'asm("{ .reg .b32 32t; mov.b32 %0, 1; }" : "=r"(x));',
    'asm("mov.b32 %0, 1" : "=r"(x));',
    'asm("cvt.u64.u32 %0, 1;" : "=r"(x));',
    'asm("popc.b64 %0, %1;" : "=l"(wide) : "l"(wide));',
    'asm("bfe.u64 %0, %1, %1, 1;" : "=l"(wide) : "l"(wide));',
    'asm("vote.sync.ballot.b32 %0, %0, -1;" : "+r"(x));',
    'asm volatile("st.global.u32 [%0], %1;" ::"l"(o), "h"(half));',
]
TAKEN = [
    'asm("add.f32 %0, %1, 0f3F800000;" : "=r"(x) : "f"(f));',
    'asm("cvt.u32.u16 %0, %1;" : "=r"(x) : "r"(x));',
    'asm("ld.global.u8 %0, [%1];" : "=l"(wide) : "l"(o));',
    'asm("ld.global.f32 %0, [%1];" : "=l"(wide) : "l"(o));',
    'asm("shfl.sync.idx.b32 %0, %1, 0, 31, -1;" : "=f"(f) : "f"(f));',
    'asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "r"(x));',
    'asm("{ .reg .b32 t; mov.b32 t, 1; { .reg .f32 t; mov.b32 t, %1; } mov.b32 %0, t; }" : "=r"(x) : "f"(f));',
    'asm("mov.b32 %0, 1;" : "=" "r"(x));',
]


@pytest.mark.parametrize("statement", [*WRONG, *TAKEN])
def test_registers_are_judged_as_by_nvrtc(statement):
    nvrtc = compilers.nvrtc().get(max(compilers.WHEELS.values()))
    if nvrtc is None:
        pytest.skip("NVRTC is not installed")
    text = (
        "__global__ void k(unsigned* o, float f) { unsigned x = 0; unsigned long long wide = 0; short half = 0; "
        f"{statement} *o = x + wide + half + f; }}"
    )
    is_taken = statement in TAKEN
    assert (nvrtc.compile(text.encode(), b"k.cu", [b"--gpu-architecture=sm_90"]).status == 0) == is_taken
    refusals = [spot for spot in device_code.find(text.encode()) if "PTX" in str(spot)]
    assert (refusals == []) == is_taken
