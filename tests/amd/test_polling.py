"""Loops that wait for memory stand in AMD's machine code, and orders of PTX become its fences."""

from __future__ import annotations

import pytest

from tests.amd.toolchain import OPTIMISED_CODE
from tests.ptx.polling import inline_program, module, sources


def loads_in_loops(code: str) -> int:
    """Return how many loads of AMD's machine code stand between a label and a jump back to it."""
    lines = [line.strip() for line in code.splitlines()]
    labels = {line.partition(":")[0]: number for number, line in enumerate(lines) if line.startswith(".LBB")}
    inside: set[int] = set()
    for number, line in enumerate(lines):
        words = line.split()
        if len(words) > 1 and words[0].startswith(("s_cbranch", "s_branch")) and labels.get(words[1], number) < number:
            inside.update(range(labels[words[1]], number))
    return sum(lines[number].startswith(("global_load", "flat_load")) for number in inside)


@pytest.mark.parametrize("target", ["gfx90a", "gfx1100"])
@pytest.mark.parametrize("name", sources())
def test_amd_s_compiler_keeps_the_loop(name, target, compiler, tmp_path):
    source = sources()[name]
    if source.startswith(".version"):
        done = compiler.compile_ptx(source, b"module.ptx", target, folder=tmp_path, depth=OPTIMISED_CODE)
    else:
        done = compiler.compile(source.encode(), b"wait.cu", target, folder=tmp_path, depth=OPTIMISED_CODE)
    assert done.status == 0, done.log
    assert loads_in_loops((tmp_path / "program.s").read_text(encoding="utf-8")) > 0


@pytest.mark.parametrize("load", ["__ldcg(turn)", "__ldcv(turn)", "__ldlu(turn)"])
def test_amd_s_compiler_keeps_loops_of_cached_loads(load, compiler, tmp_path):
    source = f'extern "C" __global__ void wait(unsigned* turn, unsigned* out) {{ while ({load} != 1) {{}} *out = 1; }}'
    done = compiler.compile(source.encode(), b"wait.cu", "gfx90a", folder=tmp_path, depth=OPTIMISED_CODE)
    assert done.status == 0, done.log
    assert loads_in_loops((tmp_path / "program.s").read_text(encoding="utf-8")) > 0


@pytest.mark.parametrize("passing", ["store", "reduction", "atomic"])
@pytest.mark.parametrize("program", [inline_program, module])
def test_amd_s_compiler_writes_the_fences_of_an_order(program, passing, compiler, tmp_path):
    """gfx942 writes its caches back to release what a kernel stored, and invalidates them to acquire what others did."""
    source = program("ld.volatile.global.u32", passing)
    if program is module:
        done = compiler.compile_ptx(source, b"module.ptx", "gfx942", folder=tmp_path, depth=OPTIMISED_CODE)
    else:
        done = compiler.compile(source.encode(), b"wait.cu", "gfx942", folder=tmp_path, depth=OPTIMISED_CODE)
    assert done.status == 0, done.log
    code = (tmp_path / "program.s").read_text(encoding="utf-8")
    assert "buffer_wbl2" in code
    assert ("buffer_inv" in code) == (passing == "atomic")
