"""Lowered names of name expressions are NVRTC's, with every host compiler, and kernels load by them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hip_on_host.hiprtc_program import find_compiler
from tests.kernels import compilers
from tests.program_files import read_program

SOURCE = read_program(__file__, "lowered_names.cu")
NAMES = {
    "st": "_Z2stPi",
    "&::st": "_Z2stPi",
    "st2": "_Z3st2P4L2stS_",
    "ns::hidden": "_ZN2ns6hiddenEPi",
    "ns::inner::deep": "_ZN2ns5inner4deepEPiS1_",
    "typed<int>": "_Z5typedIiEvPT_",
    "static_cast<void(*)(float*)>(typed)": "_Z5typedIfEvPT_",
    "of_value<3>": "_Z8of_valueILi3EEvPi",
    "of_value<'x'>": "_Z8of_valueILc120EEvPi",
    "of_value<ns::E::b>": "_Z8of_valueILN2ns1EE1EEvPi",
    "of_deduced<5u>": "_Z10of_deducedILj5EEvPi",
    "static_cast<void(*)(int*)>(of_value<4>)": "_Z8of_valueILi4EEvPi",
    "static_cast<void (*)(float*)>(&overloaded)": "_Z10overloadedPf",
    "(void(*)(int*))overloaded": "_Z10overloadedPi",
    "ns::sized<Box<int>,(3+4)>": "_ZN2ns5sizedI3BoxIiELi7EEEvPT_",
    "ns::versioned": "_ZN2ns2v19versionedEPi",
    "&ns::constants": "_ZN2ns9constantsE",
    "&variable": "variable",
    "shares": "_Z6sharesPi",
    "plain": "plain",
    "calls<inc>": "_Z5callsIXadL_Z3inciEEEvPi",
    "pack<int,float>": "_Z4packIJifEEvDpT_",
    "nested<Box>": "_Z6nestedI3BoxEvPi",
    "literals<true,'a',-5,7u>": "_Z8literalsILb1ELc97ELxn5ELj7EEvPi",
}
NAMES_20 = {
    "abbreviated<int,float>": "_Z11abbreviatedIifEvT_PT0_",
    "static_cast<void(*)(int,float*)>(abbreviated)": "_Z11abbreviatedIifEvT_PT0_",
    "mixed<int,long>": "_Z5mixedIilEvPT_T0_",
    "(void(*)(int*,int,int))variadic": "_Z8variadicIJiiEEvPiDpT_",
}
STANDARDS = {"-std=c++17": NAMES, "-std=c++20": {**NAMES, **NAMES_20}}


#: Prints the lowered names, whether the module has a function or variable of that name, and the static shared memory
#: of the kernel `shares`, which is named after it.
PROGRAM = read_program(__file__, "lowered_names.py")


@pytest.mark.parametrize("layout", sorted(compilers.WHEELS.values()))
@pytest.mark.parametrize("standard", sorted(STANDARDS))
def test_nvrtc_lowers_the_names_so(layout: str, standard: str) -> None:
    if layout not in compilers.nvrtc() or (layout, standard) == ("11.8", "-std=c++20"):
        pytest.skip(f"NVRTC {layout} is not installed, or lacks {standard}")
    names = [name.encode() for name in STANDARDS[standard]]
    compiled = compilers.nvrtc()[layout].ptx(SOURCE.encode(), b"probe.cu", [standard.encode()], {}, names)
    assert compiled is not None
    assert {name.decode(): text for name, text in compiled[1].items()} == STANDARDS[standard]


@pytest.mark.parametrize("compiler", ["clang++-19", "g++", "zig"])
@pytest.mark.parametrize("standard", sorted(STANDARDS))
def test_names_are_lowered_as_by_nvrtc(compiler: str, standard: str) -> None:
    if not find_compiler(compiler):
        pytest.skip(f"{compiler} is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "cuda_shim", "run", "--backend", "cpu", "-c", PROGRAM],
        input=json.dumps([SOURCE, standard, list(STANDARDS[standard])]),
        capture_output=True, text=True, check=False, cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, "CUDA_SHIM_CPU_CXX": find_compiler(compiler)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    names, found, shared = json.loads(done.stdout.splitlines()[-1])
    assert dict(zip(STANDARDS[standard], names, strict=True)) == STANDARDS[standard]
    assert all(found), found
    assert shared == 400
