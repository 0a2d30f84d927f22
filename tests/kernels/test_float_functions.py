"""Float functions that the prelude writes out are those of the C library in double precision, rounded."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.hip_on_host.hiprtc_program import find_compiler
from tests.interpreters import PACKAGE_ROOT

SOURCE = Path(__file__).with_name("float_functions.cpp")
PRELUDE = PACKAGE_ROOT / "hip_on_host" / "device" / "prelude"
#: Clang 19 warns of what it makes of some processors itself.
OF_NATIVE = ("-march=native", "-Wno-unknown-warning-option", "-Wno-invalid-feature-combination")
FLAGS = ("-std=c++17", "-O3", *OF_NATIVE, "-fno-math-errno", "-fno-trapping-math", "-Wall", "-Wextra", "-Werror")
FUNCTIONS = 23
#: Half a unit in the last place is the cost of rounding.
MOST = 0.51


def measured(compiler, folder, step, prelude=PRELUDE, source=SOURCE):
    """Each function's greatest error in units in the last place, and its number of results that are wrong otherwise."""
    program = folder / "float_functions"
    built = subprocess.run(
        [compiler, *FLAGS, f"-I{prelude}", str(source), "-o", str(program), "-lm"], capture_output=True,
        encoding="utf-8", check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    lines = subprocess.run([str(program), str(step)], capture_output=True, encoding="utf-8", check=True).stdout
    found = [line.split() for line in lines.splitlines()]
    return {name: (float(ulps), int(wrong)) for name, ulps, wrong, *_ in found}


def are_right(found):
    assert len(found) == FUNCTIONS
    assert {name: values for name, values in found.items() if values[0] > MOST or values[1]} == {}


@pytest.mark.parametrize("compiler", ["clang++-19", "g++"])
def test_they_are_the_c_librarys(compiler, tmp_path):
    if not find_compiler(compiler):
        pytest.skip(f"{compiler} is not installed")
    are_right(measured(compiler, tmp_path, 997))


def test_an_error_in_a_coefficient_is_seen(tmp_path):
    compiler = find_compiler("clang++-19") or find_compiler("g++")
    if not compiler:
        pytest.skip("neither clang++-19 nor g++ is installed")
    prelude = tmp_path / "prelude"
    shutil.copytree(PRELUDE, prelude)
    file = prelude / "float_coefficients.h"
    text = file.read_text(encoding="utf-8")
    assert "0x1.3b2a1b" in text
    file.write_text(text.replace("0x1.3b2a1b", "0x1.3b3a1b"), encoding="utf-8")  # a coefficient of 2^t
    found = measured(compiler, tmp_path, 997, prelude)
    assert found["exp"][0] > MOST
    assert found["pow"][0] > MOST
    assert found["sin"][0] < MOST


@pytest.mark.long
def test_every_float(tmp_path):
    compiler = find_compiler("clang++-19") or find_compiler("g++")
    if not compiler:
        pytest.skip("neither clang++-19 nor g++ is installed")
    are_right(measured(compiler, tmp_path, 1))
