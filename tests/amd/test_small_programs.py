"""Small programs for AMD GPUs: their machine code, and its results in the emulator (emulated/programs.py)."""

from __future__ import annotations

import json
import re

import pytest

from tests.amd.emulated import matrix_programs, programs
from tests.amd.emulated.toolchain import digest
from tests.amd.toolchain import OPTIMISED_CODE, TARGETS

RECORDED = json.loads(programs.RECORDED.read_text(encoding="utf-8"))
PROGRAMS = programs.PROGRAMS


def test_the_emulator_had_numpys_results() -> None:
    assert RECORDED.keys() == {f"{of} {name}" for of in programs.ARCHITECTURES for name in PROGRAMS}
    assert {outcome["result"] for outcome in RECORDED.values()} == {"right"}


@pytest.mark.parametrize("architecture", programs.ARCHITECTURES)
def test_the_recorded_translations_are_those_of_now(architecture: str) -> None:
    old = [
        name
        for name in PROGRAMS
        if digest(programs.translated(name, architecture)) != RECORDED[f"{architecture} {name}"]["translation"]
    ]
    if old:
        pytest.skip(f"not those of now: {', '.join(old)}; run python -m tests.amd.emulated.programs")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_they_are_machine_code(name, target, compiler, tmp_path):
    source = PROGRAMS[name].source.encode()
    done = compiler.compile(source, b"program.cu", target, folder=tmp_path, depth=OPTIMISED_CODE)
    assert done.status == 0, done.log
    code = (tmp_path / "program.s").read_text(encoding="utf-8")
    if name in matrix_programs.PROGRAMS:
        assert 0 < len(re.findall(r"\bds_bpermute_b32\b", code)) <= 96
        assert "scratch_store" not in code  # no register of a matrix is in memory
    else:
        assert re.search(r"global_atomic_cmpswap(_b32)?\b", code)
        assert re.search(r"global_atomic_add(_u32)?\b", code)


@pytest.mark.parametrize("name", PROGRAMS)
def test_nvrtc_takes_them(name, newest_nvrtc):
    done = newest_nvrtc(PROGRAMS[name].source, b"-arch=compute_90")
    assert done.status == 0, done.log
