"""Forms of inline PTX that NVRTC takes, with the values of the PTX ISA's text."""

from __future__ import annotations

from pathlib import Path

from tests.environments import missing
from tests.kernels import compilers

PROGRAM = Path(__file__).with_name("inline_forms_program.py")


def test_values_are_the_isa_s(any_shim_python):
    done = any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM)
    assert done.split() == ["shared", "match", "setp", "cvt.pack", "xorsign", "cp.async"]


def test_nvrtc_takes_them():
    nvrtc = compilers.nvrtc().get(max(compilers.WHEELS.values()))
    if nvrtc is None:
        missing("NVRTC is not installed")
    source = PROGRAM.read_text(encoding="utf-8").partition('r"""')[2].partition('"""')[0]
    outcome = nvrtc.compile(source.encode(), b"program.cu", [b"--gpu-architecture=sm_90"])
    assert outcome.status == 0, outcome.log
