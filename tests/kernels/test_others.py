"""Programs that other packages hand to NVRTC: a sample, chosen by a seed, of those that can be drawn here.

They are drawn from an installed CuPy (`pip install --group drawn`), or lie in the folder that CUDA_SHIM_TEST_DRAWN names;
`python -m tests.kernels.others.measure` compiles all of them.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cpu_runtime.hiprtc_program import find_compiler
from tests.interpreters import PACKAGE_ROOT
from tests.kernels import compilers
from tests.kernels.others import measure

DRAW = Path(measure.__file__).with_name("draw_cupy.py")
KERNEL = 'extern "C" __global__ void %s(int* x) { x[threadIdx.x] = %s; }'


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    given = os.environ.get("CUDA_SHIM_TEST_DRAWN")
    if given:
        return Path(given)
    if importlib.util.find_spec("cupy") is None:
        pytest.skip("neither CuPy nor CUDA_SHIM_TEST_DRAWN is there")
    folder = tmp_path_factory.mktemp("drawn")
    subprocess.run([sys.executable, DRAW, folder], check=True, capture_output=True, timeout=120)
    return folder


@pytest.fixture(scope="module")
def sample(drawn):
    """A program of each kind that NVRTC takes; those with CUB are left to the script, since they take seconds."""
    if measure.LAYOUT not in compilers.nvrtc():
        pytest.skip("NVRTC is not installed")
    programs = [
        one for one in measure.drawn(drawn, 3, compilers.toolkit_folders(measure.LAYOUT)) if "cub" not in one.kind
    ]
    taken = measure.compile_some("nvrtc", programs)
    kinds: dict[str, measure.Drawn] = {}
    for program in programs:
        if taken[program.file].status == 0:
            kinds.setdefault(program.kind, program)
    return list(kinds.values())


@pytest.mark.timeout(600)
@pytest.mark.parametrize("compiler", ["clang++-19", "gfx90a"])
def test_a_sample_compiles(sample, compiler):
    if compiler == "clang++-19" and not find_compiler(compiler):
        pytest.skip(f"{compiler} is not installed")
    if compiler == "gfx90a" and compilers.amd() is None:
        pytest.skip("Debian's libamdhip64-5 is not installed")
    # ROCm 5.2 declares some of std itself, which cupy/cuda_workaround.h does too.
    beyond = ("ndimage", "jit") if compiler == "gfx90a" else ()
    chosen = [program for program in sample if not any(kind in program.kind for kind in beyond)]
    assert len(chosen) >= 8
    taken = measure.compile_some(compiler, chosen)
    refused = {file.name: measure.reason(one) for file, one in taken.items() if one.status}
    # What HIP lacks is refused by its name.
    named = {name for name, reason in refused.items() if compiler == "gfx90a" and "no counterpart" in reason}
    assert {name: reason for name, reason in refused.items() if name not in named} == {}
    assert len(named) <= 1


def test_what_is_measured(tmp_path, capsys, monkeypatch):
    """The tables say which programs a compiler takes, and why not."""
    if measure.LAYOUT not in compilers.nvrtc():
        pytest.skip("NVRTC is not installed")
    texts = {
        "cupy-ufunc-one": KERNEL % ("one", "1"),
        "cupy-ufunc-two": "typedef complex<float> t;\n" + KERNEL % ("two", "2"),
        "numba-three": KERNEL % ("three", "clock64() & 1"),
        "numba-four": KERNEL % ("four", "no_such_name"),
        "numba-five": 'extern "C" __global__ void five(int* x) { asm("no.such %0;" : "=r"(x[0])); }',
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"source": text, "options": []}), encoding="utf-8")
    monkeypatch.chdir(PACKAGE_ROOT)
    compiler = next(name for name in ("clang++-19", "g++") if find_compiler(name))
    results = tmp_path / "results"
    monkeypatch.setattr(sys, "argv", ["measure", str(tmp_path), "-c", compiler, "--results", str(results)])
    for _ in range(2):  # the second time from what is kept
        measure.main()
        told = capsys.readouterr().out
        assert "| cupy ufunc complex | 1 | 0 | 0 |" in told
        assert "| cupy ufunc real | 1 | 1 | 1 |" in told
        assert "| numba | 3 | 2 | 1 |" in told
        assert f"{compiler}: 1 of 3 refused" in told
        assert "numba-five" in told
        monkeypatch.setattr(measure, "compile_some", lambda *_: pytest.fail("compiled again"))
