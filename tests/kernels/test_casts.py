"""Floats become the integers that they become on an H200, in and out of range, in each form of a conversion.

`casts/recorded.json` has the numbers of the GPU (casts/record.py).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environments import ROOT
from tests.hip_on_host.hiprtc_program import find_compiler, needs_reader
from tests.interpreters import clean_environment

FOLDER = Path(__file__).with_name("casts")
RECORDED = json.loads((FOLDER / "recorded.json").read_text(encoding="utf-8"))
COMPILERS = ("clang++-19", "g++", "zig")
#: Clang makes 0 of a NaN in the conversions that are its own: those to integers of 32 bits and more.
WIDE = ("to int", "to unsigned int", "to long long", "to unsigned long long")


def of_clang(name: str, compiler: str) -> bool:
    return compiler != "g++" and name.endswith(WIDE) and not name.startswith("template")


@needs_reader
@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_integers_are_those_of_the_gpu(compiler: str, tmp_path: Path) -> None:
    command = find_compiler(compiler)
    if not command:
        pytest.skip(f"{compiler} is not installed")
    path = tmp_path / "here.json"
    words = ("--backend", "cpu", "--quiet", "--cpu-cxx", command, FOLDER / "record.py", path)
    done = subprocess.run(
        [sys.executable, "-m", "cuda_shim", "run", *words], env=clean_environment(PYTHONPATH=str(ROOT)),
        capture_output=True, encoding="utf-8", check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    here = json.loads(path.read_text(encoding="utf-8"))["results"]
    different = {
        (name, number): (found, expected)
        for name, numbers in RECORDED["results"].items()
        for number, found, expected in zip(RECORDED["values"], here[name], numbers, strict=True)
        if found != expected and not (number == "nan" and found == 0 and of_clang(name, compiler))
    }
    assert different == {}


def test_forms_do_not_differ_on_the_gpu() -> None:
    results = RECORDED["results"]
    for name, numbers in results.items():
        assert numbers == results["cast:" + name.partition(":")[2]], name
