"""Programs that other packages hand to NVRTC: a sample, chosen by a seed, of those that can be drawn here.

They are drawn from a CuPy in an environment of its own, or are in the folder that CUDA_SHIM_TEST_DRAWN names; `python
-m tests.kernels.others.measure` compiles all of them.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import filelock
import pytest

from tests import environments
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.interpreters import PACKAGE_ROOT
from tests.kernels import compilers
from tests.kernels.others import measure

DRAW = Path(measure.__file__).with_name("draw_cupy.py")
#: CuPy, the version of NVRTC that it asks for, and headers that its programs include.
CUPY = ("cupy-cuda12x>=14", "nvidia-cuda-nvrtc-cu12", "nvidia-cuda-cccl-cu12", "nvidia-curand-cu12")
#: Programs that run drawn kernels: their arguments, the pattern of their last line, and the least number in it.
RUNS = {
    "run_numpy": (["-n", "30"], r"(?:\d+ not for numpy, )?(\d+) numpy's results of \d+ that numpy has", 25),
    "run_numpy_made": ([], r"(\d+) of \1 as numpy", 20),
    "run_numpy_indexing": (["-n", "1"], r"(\d+) of \1 calls of 40 kernels as numpy", 40),
    "run_numpy_partition": ([], r"(\d+) of \1 as numpy", 10),
    "run_numpy_random": ([], r"of_random_state: (\d+) of \1 as numpy\nof_generator: 45 of 45 as numpy", 30),
}
TAKE_MINUTES = ("run_numpy_made", "run_numpy_partition", "run_numpy_random")
KERNEL = 'extern "C" __global__ void %s(int* x) { x[threadIdx.x] = %s; }'


@pytest.fixture(scope="session")
def drawn(shared_folder):
    """The folder of the programs, drawn once for all workers."""
    given = os.environ.get("CUDA_SHIM_TEST_DRAWN")
    if given:
        return Path(given)
    if platform.machine() != "x86_64":
        pytest.skip("CuPy's wheel for CUDA 12 is for x86-64")
    folder = shared_folder / "drawn"
    python = environments.make(shared_folder / "drawing", *CUPY)
    with filelock.FileLock(folder.with_suffix(".lock")):
        if not folder.exists():
            part = folder.with_suffix(".part")
            done = python.start_for(300, DRAW, part)
            assert done.returncode == 0, done.stderr
            part.rename(folder)
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
    # Features that HIP lacks are refused by name.
    marks = ("no counterpart", "is not translated") if compiler == "gfx90a" else ()
    named = {name for name, reason in refused.items() if any(mark in reason for mark in marks)}
    assert {name: reason for name, reason in refused.items() if name not in named} == {}
    assert len(named) <= 1


def run(*words):
    """Run a program under the shim on the CPU backend."""
    return subprocess.run(
        [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", "--cuda", measure.LAYOUT, *words],
        cwd=PACKAGE_ROOT, env={**os.environ, "CUDA_SHIM_QUIET": "1"}, capture_output=True, encoding="utf-8", timeout=600,
        check=False,
    )  # fmt: skip


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "program", [pytest.param(name, marks=[pytest.mark.long] if name in TAKE_MINUTES else []) for name in RUNS]
)
def test_cupys_kernels_give_numpys_numbers(drawn, program):
    words, last, least = RUNS[program]
    done = run("-m", f"tests.kernels.others.{program}", str(drawn), *words)
    assert done.returncode == 0, done.stderr
    told = re.search(f"(?:^|\n){last}\n$", done.stdout)
    assert told, done.stdout
    assert int(told[1]) >= least


def test_distributions_are_told_apart():
    """The check of random numbers refuses those that are a little too wide, too high, or too often the same."""
    done = run(
        "-c",
        """
from tests.kernels.others.run_numpy_random import COUNT, apart, wanted
normal, poisson, uniform = (wanted(name) for name in ("standard_normal", "poisson", "random_uniform"))
print([bool(apart(of[:COUNT], other)) for of, other in (
    (normal, wanted("standard_normal")), (poisson, wanted("poisson")), (uniform, wanted("random_uniform")),
    (normal * 1.1, wanted("standard_normal")), (poisson + 1, wanted("poisson")),
    ((uniform * 32).round() / 32, wanted("random_uniform")))])
""",
    )
    assert done.stdout.strip() == "[False, False, False, True, True, True]", done.stdout + done.stderr


def test_what_is_measured(tmp_path, capsys, monkeypatch):
    """The tables have the programs that a compiler takes, and the reasons for refusals."""
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
    for _ in range(2):  # the second time from the kept results
        measure.main()
        told = capsys.readouterr().out
        assert "| cupy ufunc complex | 1 | 0 | 0 |" in told
        assert "| cupy ufunc real | 1 | 1 | 1 |" in told
        assert "| numba | 3 | 2 | 1 |" in told
        assert f"{compiler}: 1 of 3 refused" in told
        assert "numba-five" in told
        monkeypatch.setattr(measure, "compile_some", lambda *_: pytest.fail("compiled again"))
