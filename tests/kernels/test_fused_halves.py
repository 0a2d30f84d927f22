"""The prelude's fused operation of halves rounds once, in each of the forms that processors and options choose."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest

from tests.kernels.prelude_functions import PRELUDE, any_compiler, require, with_mistake

SOURCE = Path(__file__).with_name("fused_halves.cpp")
FLAGS = ("-std=c++17", "-O3", "-w", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast")
FAST_MATH = ("-ffast-math", "-fno-finite-math-only", "-DCUDA_SHIM_FAST_MATH")
#: The whole processor, its conversions without its arithmetic of halves, conversions by arithmetic, and -use_fast_math.
WITHOUT_INSTRUCTIONS = ("-march=x86-64",)
FORMS = (
    ("-march=native",),
    ("-march=native", "-mno-avx512fp16"),
    WITHOUT_INSTRUCTIONS,
    ("-march=native", "-mno-avx512fp16", *FAST_MATH),
)
pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the forms are those of x86-64 processors")
COUNT = 2_000_000


def wrong_results(compiler: str, form: tuple[str, ...], folder: Path, prelude: Path = PRELUDE) -> str:
    program = folder / "fused_halves"
    own = ("-frounding-math",) if compiler == "g++" else ()
    command = [compiler, *FLAGS, *own, *form, f"-I{prelude}", str(SOURCE), "-o", str(program)]
    built = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if "unrecognized" in built.stderr or "unknown argument" in built.stderr or "not valid" in built.stderr:
        pytest.skip(f"{compiler} does not know an option of {' '.join(form)}")
    assert built.returncode == 0, built.stderr
    return subprocess.run([str(program), str(COUNT)], capture_output=True, encoding="utf-8", check=True).stdout


@pytest.mark.parametrize("form", FORMS, ids=" ".join)
@pytest.mark.parametrize("compiler", ["clang++-19", "g++"])
def test_they_round_once(compiler, form, tmp_path):
    require(compiler)
    assert wrong_results(compiler, form, tmp_path) == "0\n"


def test_a_sum_that_is_rounded_twice_is_seen(tmp_path):
    compiler = any_compiler()
    prelude = with_mistake(tmp_path, "half_arithmetic.h", "? towards : 0u", "? 0u : 0u")
    assert wrong_results(compiler, WITHOUT_INSTRUCTIONS, tmp_path, prelude) != "0\n"
