"""Random kernels: NVIDIA's assembler takes them, and rebuilt structure computes the same as plain dispatch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ptx.assembler import refusal
from tests.ptx.forms import forms_of_the_table, judged, judged_forms
from tests.ptx.random_flow import module

FOLDER = Path(__file__).resolve().parent
PROGRAM = FOLDER / "random_program.py"
RECORDED = FOLDER / "recorded_random.npz"
IN_ONE = 25


def written(folder, seeds):
    """Modules with the kernels of some seeds."""
    files = []
    for first in range(seeds.start, seeds.stop, IN_ONE):
        file = folder / f"{first:06}.ptx"
        file.write_text(module(range(first, first + IN_ONE), judged_forms()), encoding="utf-8")
        files.append(file)
    return files


def compared(python, first, end):
    words = ("-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM, "drawn", str(first), str(end))
    process = python.start_for(40_000, *words)
    assert process.stdout.splitlines()[-1:] == [f"{end - first} kernels, 0 differ"], process.stdout + process.stderr


def test_the_forms_are_what_the_table_has_and_the_assembler_takes(assembler):
    """If this fails, run python -m tests.ptx.forms path/to/ptxas."""
    assert judged(str(assembler), forms_of_the_table()) == list(judged_forms())


def test_the_assembler_takes_random_kernels(assembler, tmp_path):
    for file in written(tmp_path, range(200)):
        assert refusal(assembler, file) == ""


def test_structure_computes_what_dispatch_does(any_shim_python):
    compared(any_shim_python, 0, 75)


@pytest.mark.long
def test_ten_thousand_times(any_shim_python, assembler, tmp_path):
    for file in written(tmp_path, range(1000, 11_000)):
        assert refusal(assembler, file) == ""
    compared(any_shim_python, 1000, 11_000)


#: Of the recorded ones one of so many is compared; all of them take minutes.
EVERY = pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.long)])


def recorded(python, program, file, every):
    words = ("-m", "cuda_shim", "run", "--backend", "cpu", program, "compare", file, str(every))
    process = python.start_for(3600, *words)
    return process.stdout.splitlines()[-1:], process.stdout + process.stderr


@EVERY
def test_as_recorded_on_an_nvidia_gpu(any_shim_python, every):
    said, everything = recorded(any_shim_python, PROGRAM, RECORDED, every)
    assert said == [f"{300 // every} kernels, 0 differ"], everything


@EVERY
def test_forms_as_recorded_on_an_nvidia_gpu(any_shim_python, every):
    said, everything = recorded(any_shim_python, FOLDER / "forms_program.py", FOLDER / "recorded_forms.npz", every)
    assert said == [f"{len(judged_forms()[::every])} forms, 0 differ"], everything
