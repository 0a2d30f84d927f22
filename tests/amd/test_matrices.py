"""mma, ldmatrix and stmatrix of inline PTX on AMD GPUs: machine code, and its results in the emulator."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.amd.emulated import matrices
from tests.amd.emulated.toolchain import digest
from tests.amd.toolchain import OPTIMISED_CODE
from tests.kernels import compilers

RECORDED = json.loads(matrices.RECORDED.read_text(encoding="utf-8"))


def test_the_emulator_had_numpys_results() -> None:
    assert RECORDED.keys() == {f"{of} {name}" for of in matrices.ARCHITECTURES for name in matrices.PROGRAMS}
    assert {outcome["result"] for outcome in RECORDED.values()} == {"right"}


@pytest.mark.parametrize("architecture", matrices.ARCHITECTURES)
def test_the_recorded_translations_are_those_of_now(architecture: str) -> None:
    old = [
        name
        for name in matrices.PROGRAMS
        if digest(matrices.translated(name, architecture)) != RECORDED[f"{architecture} {name}"]["translation"]
    ]
    if old:
        pytest.skip(f"not those of now: {', '.join(old)}; run python -m tests.amd.emulated.matrices")


@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"])
@pytest.mark.parametrize("name", matrices.PROGRAMS)
def test_lanes_fetch_the_registers_of_others(name, target, compiler, tmp_path):
    source = matrices.PROGRAMS[name][0].encode()
    done = compiler.compile(source, b"matrices.cu", target, folder=tmp_path, depth=OPTIMISED_CODE)
    assert done.status == 0, done.log
    code = (tmp_path / "program.s").read_text(encoding="utf-8")
    assert 0 < len(re.findall(r"\bds_bpermute_b32\b", code)) <= 96
    assert "scratch_store" not in code  # no register of a matrix is in memory


@pytest.mark.parametrize("name", matrices.PROGRAMS)
def test_nvrtc_takes_the_programs(name):
    newest = max(compilers.WHEELS.values())
    nvrtc, folders = compilers.nvrtc().get(newest), compilers.toolkit_folders(newest)
    if nvrtc is None or not any((Path(folder) / "mma.h").exists() for folder in folders):
        pytest.skip("NVRTC is not installed, or its headers are not")
    options = [b"-arch=compute_90", *(f"-I{folder}".encode() for folder in folders)]
    done = nvrtc.compile(matrices.PROGRAMS[name][0].encode(), b"matrices.cu", options)
    assert done.status == 0, done.log
