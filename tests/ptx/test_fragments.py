"""wmma in PTX modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim.translate.ptx.errors import PtxError, UnsupportedPtx
from cuda_shim.translate.ptx.writer import translate
from tests.kernels import compilers
from tests.ptx.fragment_programs import KINDS, forms, source
from tests.ptx.texts import kernel

PROGRAM = Path(__file__).resolve().parent / "fragments_program.py"
NEWEST = max(compilers.WHEELS.values())
FOUR, EIGHT = ("{" + ", ".join(f"%r{i}" for i in range(count)) + "}" for count in (4, 8))
PRODUCT = f"{EIGHT}, {FOUR}, {FOUR}, {EIGHT};"


@pytest.mark.skipif(NEWEST not in compilers.nvrtc(), reason="no wheel of the newest NVRTC is installed")
@pytest.mark.skipif(not compilers.toolkit_folders(NEWEST), reason="no headers of a toolkit are installed")
def test_ptx_of_nvrtc_gives_what_its_source_gives(any_shim_python, tmp_path):
    options = ["--gpu-architecture=compute_80", *(f"-I{folder}" for folder in compilers.toolkit_folders(NEWEST))]
    for kind in KINDS:
        ptx = compilers.nvrtc()[NEWEST].ptx(
            source(kind).encode(), b"wmma.cu", [option.encode() for option in options], {}, []
        )
        assert ptx is not None, kind
        (tmp_path / f"{kind}.ptx").write_bytes(ptx[0])
    output = any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM, tmp_path)
    assert output.splitlines() == [form.name for kind in KINDS for form in forms(kind)]


def test_an_amd_gpu_is_told_which_instruction_it_lacks():
    opcode = "wmma.load.c.sync.aligned.row.m16n16k16.f32"
    (reason,) = translate(kernel(f"{opcode} {EIGHT}, [%rd1];")).hosts_only
    assert f"'{opcode}': in PTX modules matrices are translated for host cores alone" in reason.reason
    assert reason.line == 21


@pytest.mark.parametrize(
    ("body", "function"),
    [
        (f"wmma.load.a.sync.aligned.row.m16n16k16.bf16 {FOUR}, [%rd1];", ", rd1, 16u, "),
        ("wmma.load.b.sync.aligned.row.m32n8k16.s8 {%r1}, [%rd1];", ", rd1, 8u, "),
        ("wmma.load.b.sync.aligned.col.m8n8k32.u4 {%r1}, [%rd1];", ", rd1, 32u, "),
        (f"wmma.load.c.sync.aligned.col.m8n32k16.f32 {EIGHT}, [%rd1];", ", rd1, 8u, "),
        (f"wmma.store.d.sync.aligned.row.m8n32k16.f16 [%rd1], {FOUR};", ", rd1, 32u, "),
        (f"wmma.store.d.sync.aligned.row.m8n32k16.f16 [%rd1], {FOUR}, 48;", ", rd1, 48u, "),
    ],
)
def test_lines_lie_side_by_side_where_no_stride_is_given(body, function):
    assert function in translate(kernel(body)).source


@pytest.mark.parametrize(
    "body",
    [
        f"wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32 {PRODUCT}",
        f"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite {PRODUCT}",
        f"wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f16 {PRODUCT}",
        f"wmma.mma.sync.aligned.row.col.m16n16k8.f32.bf16.bf16.f32 {PRODUCT}",
        f"wmma.mma.sync.aligned.row.row.m8n8k32.s32.s4.s4.s32 {PRODUCT}",
        f"wmma.mma.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {PRODUCT}",
        f"wmma.mma.sync.aligned.row.col.m8n8k4.rz.f64.f64.f64.f64 {PRODUCT}",
        f"wmma.load.a.sync.aligned.col.m8n8k32.s4 {FOUR}, [%rd1];",
        f"wmma.load.a.sync.aligned.row.m16n16k16.const.f16 {EIGHT}, [%rd1];",
        f"wmma.load.c.sync.aligned.row.m16n16k8.f16 {FOUR}, [%rd1];",
        f"wmma.store.d.sync.aligned.row.m16n16k16.bf16 [%rd1], {FOUR};",
    ],
)
def test_other_forms_are_refused_by_name(body):
    with pytest.raises(UnsupportedPtx) as caught:
        translate(kernel(body))
    assert f"'{body.partition(' ')[0]}'" in caught.value.reason


@pytest.mark.parametrize(
    "body",
    [
        f"wmma.load.a.sync.aligned.row.m16n16k16.f16 {FOUR}, [%rd1];",
        "wmma.load.a.sync.aligned.row.m8n8k4.f64 %fd1, [%rd1];",
        f"wmma.store.d.sync.aligned.row.m16n16k16.f32 [%rd1], {EIGHT}, 1, 2;",
        f"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {EIGHT}, {EIGHT}, {EIGHT};",
    ],
)
def test_registers_are_counted(body):
    with pytest.raises(PtxError, match="Arguments mismatch"):
        translate(kernel(body))
