"""The forms in which known kernels run are those that are recorded: none gets slower, or falls back, unseen."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.environments import Python, missing
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.kernels import compilers

FOLDER = Path(__file__).resolve().parent / "forms"
RECORDED = FOLDER / "forms.tsv"
COLLECT = "python -m cuda_shim run --backend cpu tests/kernels/forms/collect.py FOLDERS > tests/kernels/forms/forms.tsv"

Forms = dict[tuple[str, str], str]


def forms(text: str) -> Forms:
    """Return each kernel's form and the reason for it, by its program and name."""
    found = {}
    for line in text.splitlines():
        program, kernel, form, reason = line.split("\t")
        found[program, kernel] = f"{form}: {reason}" if reason else form
    return found


def collected(python: Python, *words: str) -> Forms:
    """Return the forms that the installed package gives known programs now."""
    folders = compilers.toolkit_folders(max(compilers.WHEELS.values()))
    if not find_compiler("clang++-19") or not folders:
        missing("clang++-19 and the wheels of NVIDIA's headers are needed")
    program: tuple[str | Path, ...] = (FOLDER / "collect.py", os.pathsep.join(folders), *words)
    command = ("-m", "cuda_shim", "run", "--backend", "cpu", *program)
    done = python.start_for(1400, *command, CUDA_SHIM_CPU_CXX="clang++-19", CUDA_SHIM_CPU_LOG="off")
    assert done.returncode == 0, done.stderr
    return forms(done.stdout)


def changed(current: Forms, names: Iterable[tuple[str, str]]) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the kernels whose forms are not the recorded ones, with the recorded form and that of now."""
    recorded = forms(RECORDED.read_text(encoding="utf-8"))
    return {
        name: (recorded.get(name, "not recorded"), current.get(name, "gone"))
        for name in sorted(names)
        if recorded.get(name) != current.get(name)
    }


@pytest.mark.last  # behind the tests that compile the same programs
@pytest.mark.timeout(1500)
def test_forms_are_as_recorded(any_shim_python: Python) -> None:
    current = collected(any_shim_python)
    differences = changed(current, forms(RECORDED.read_text(encoding="utf-8")).keys() | current.keys())
    assert differences == {}, f"recorded, and now; if no form got worse: {COLLECT}"


@pytest.mark.timeout(900)
def test_forms_do_not_depend_on_names_of_the_program(any_shim_python: Python) -> None:
    current = collected(any_shim_python, "hostile", "corpus/", "benchmark/")
    refused = {program for program, kernel in current if kernel == "-"}
    assert refused == {"corpus/standard.cu"}  # NVRTC refuses it too: its headers have such types
    assert changed(current, [name for name in current if name[0] not in refused]) == {}


def test_no_known_kernel_falls_back() -> None:
    recorded = forms(RECORDED.read_text(encoding="utf-8"))
    assert len(recorded) > 1000
    bad = ("does not compile", "no Clang has parsed it", "outside of its own text")
    assert {name: form for name, form in recorded.items() if any(word in form for word in bad)} == {}
    benchmark = {form for (program, _), form in recorded.items() if program.startswith("benchmark/")}
    assert benchmark == {
        "a loop over the threads",
        "loops over the threads of many blocks",
        "loops, split at the barriers",
    }
