"""The video instructions in all their forms: NVIDIA's assembler takes them, and results are those of an H100."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim.translate.ptx.errors import PtxError
from cuda_shim.translate.ptx.writer import translate
from tests.amd import toolchain
from tests.amd.test_corpus import check
from tests.ptx.assembler import ptxas, refusal
from tests.ptx.video_forms import statements

FOLDER = Path(__file__).resolve().parent
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
#: Every SAMPLE-th statement runs in the ordinary suite; the number has no factor in common with the loops over forms.
SAMPLE = 13
INVALID = [
    ("vadd.s32.u32.s32.add %d.b0, %a, %b, %c;", "not allowed on destination"),
    ("vadd.s32.u32.s32 %d.b0, %a, %b;", "not allowed on destination"),
    ("vadd.s32.u32.s32 %d, -%a, %b;", "negation not allowed"),
    ("vadd.s32.u32 %d, %a, %b;", "types"),
    ("vadd.s32.s32.s32.shr7 %d, %a, %b;", "Illegal modifier '.shr7'"),
    ("vadd.s32.s32.s32.add.max %d, %a, %b, %c;", "Illegal combination"),
    ("vadd.s32.s32.s32.add %d, %a, %b;", "Arguments mismatch"),
    ("vadd.s32.s32.s32 %d, %a.h21, %b;", "Incorrect video selector for operand 1"),
    ("vset.s32.u32.s32.lt %d, %a, %b;", "types"),
    ("vset.u32.s32 %d, %a, %b;", "required"),
    ("vshl.u32.u32.s32.clamp %d, %a, %b;", "types"),
    ("vshl.u32.u32.u32 %d, %a, %b;", "required"),
    ("vmad.s32.s32.s32 %d, -%a, %b, -%c;", "negation not allowed"),
    ("vmad.s32.s32.s32.po %d, -%a, %b, %c;", "negation not allowed"),
    ("vmad.s32.s32.s32 %d.b0, %a, %b, %c;", "not allowed on destination"),
    ("vmad.s32.s32.s32 %d, %a, %b;", "Arguments mismatch"),
    ("vadd2.s32.s32.s32 %d, %a, %b;", "Arguments mismatch"),
    ("vadd2.s32.s32.s32.sat.add %d, %a, %b, %c;", "Illegal combination"),
    ("vadd2.u32.u32.u32 %d, %a.h0, %b, %c;", "Incorrect video selector for operand 1"),
    ("vadd4.u32.u32.u32 %d.b01, %a, %b, %c;", "Incorrect video selector for operand 0"),
    ("vset2.u32.u32.ge.sat %d, %a, %b, %c;", "Illegal modifier '.sat'"),
]


def module(lines):
    """A kernel of statements whose results are stored."""
    body = "\n".join(f"{line} st.global.u32 [%o], %d;" for line in lines)
    return (
        f"{HEAD}.visible .entry k(.param .u64 out) {{ .reg .b32 %d, %a, %b, %c; .reg .b64 %o; ld.param.u64 %o, [out];\n"
        f"ld.global.u32 %a, [%o]; ld.global.u32 %b, [%o+4]; ld.global.u32 %c, [%o+8];\n{body}\nret; }}\n"
    )


@pytest.fixture(scope="module")
def assembler(shared_folder):
    return ptxas(shared_folder)


def test_the_assembler_takes_the_statements(assembler, tmp_path):
    file = tmp_path / "video.ptx"
    file.write_text(module(statements()[::SAMPLE]), encoding="utf-8")
    assert refusal(assembler, file) == ""


def test_the_assembler_refuses_the_others(assembler, tmp_path):
    taken = []
    for statement, _ in INVALID:
        file = tmp_path / "video.ptx"
        file.write_text(module([statement]), encoding="utf-8")
        taken += [] if refusal(assembler, file) else [statement]
    assert taken == []


@pytest.mark.parametrize(("statement", "reason"), INVALID)
def test_errors_name_the_instruction_and_its_line(statement, reason):
    with pytest.raises(PtxError, match=reason) as caught:
        translate(module([statement]))
    assert (type(caught.value), caught.value.line) == (PtxError, 6)
    assert f"'{statement.partition('.')[0]}'" in caught.value.reason


def compared(python, kind, step):
    file = FOLDER / "recorded_video.npz"
    words = ("-m", "cuda_shim", "run", "--backend", "cpu", FOLDER / "video_program.py", kind, file, str(step))
    process = python.start_for(3600, *words)
    count = len(statements()[::step])
    assert process.stdout.splitlines()[-1:] == [f"{count} statements, 0 differ"], process.stdout + process.stderr


@pytest.mark.parametrize("kind", ["module", "inline"])
def test_a_sample_as_recorded_on_an_nvidia_gpu(any_shim_python, kind):
    compared(any_shim_python, kind, SAMPLE)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["module", "inline"])
def test_all_as_recorded_on_an_nvidia_gpu(any_shim_python, kind):
    compared(any_shim_python, kind, 1)


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_a_sample_becomes_amd_s_code(target, shared_folder, tmp_path):
    compiler = toolchain.Compiler(toolchain.rocm_header(shared_folder))
    text = module(statements()[::SAMPLE])
    check(compiler.compile_ptx(text, b"video.ptx", target, folder=tmp_path), None)
