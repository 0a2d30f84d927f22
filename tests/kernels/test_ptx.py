"""The corpus once more, from PTX that NVIDIA's own NVRTC makes of it: the same answers as from its C++.

The releases of NVRTC take turns, so that each program runs once; `-m long` runs them all with each.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cuda_shim.translate.ptx.parser import parse
from tests.kernels import compilers
from tests.kernels.corpus import cases, program_of, programs
from tests.kernels.nvcc_modules import STOPS

FOLDER = Path(__file__).resolve().parent
LAYOUTS = sorted(compilers.nvrtc())


def compiled(folder, layout, chosen):
    """Write the PTX of programs, and which kernel each case is; the cases that there are."""
    kernels = {}
    for number, (name, program) in enumerate(programs().items()):
        if not chosen(number):
            continue
        options = ["--gpu-architecture=compute_80", *program.options]
        if program.toolkit:
            options += [f"-I{folder}" for folder in compilers.toolkit_folders(layout)]
        made = compilers.nvrtc()[layout].ptx(
            program.source.encode(), program.file.encode(), [option.encode() for option in options],
            {header.encode(): text.encode() for header, text in program.headers.items()},
            [kernel.encode() for kernel in program.kernels],
        )  # fmt: skip
        if made is None:  # it needs a newer NVRTC, or headers of a toolkit
            continue
        if _calls_others(made[0].decode()):  # this NVRTC lacks functions that the program calls
            continue
        file = f"{layout}-{number}.ptx"
        (folder / file).write_bytes(made[0])
        for case in cases().values():
            if program_of(case) == name:
                kernels[case.name] = (file, made[1][case.kernel.encode()])
    return kernels


def _calls_others(text):
    module, _ = parse(text)
    return any(function.body is None and function.name.startswith("_Z") for function in module.functions.values())


def run_all(python, folder, kernels):
    """Return the outcome of each case that could be compiled."""
    (folder / "kernels.json").write_text(json.dumps(kernels), encoding="utf-8")
    found = {}
    waiting = [name for name in kernels if name not in STOPS]
    while waiting:
        some = waiting[:40]
        done = python.start_for(
            600, "-m", "cuda_shim", "run", "--backend", "cpu", FOLDER / "ptx_worker.py", folder, *some
        )
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"case"')]
        assert lines, done.stderr
        found.update({line["case"]: line["error"] for line in lines if "error" in line})
        crashed = [line["case"] for line in lines if line["case"] not in found]
        found.update(dict.fromkeys(crashed, f"exit status {done.returncode}\n{done.stderr}"))
        waiting = [name for name in waiting if name not in found]
    return found


@pytest.mark.skipif(not LAYOUTS, reason="no wheel of NVRTC is installed")
def test_ptx_gives_what_its_source_gives(any_shim_python, tmp_path):
    """A half of the programs, each by one of the releases in turns; test_ptx_of_each_release has all."""
    kernels: dict[Any, Any] = {}
    turns = 2 * len(LAYOUTS)
    for turn, layout in enumerate(reversed(LAYOUTS)):
        kernels |= compiled(tmp_path, layout, lambda number, turn=turn: number % turns == 2 * turn)
    # The newest NVRTC takes the programs that an older one refuses.
    newest = compiled(tmp_path, LAYOUTS[-1], lambda number: number % turns in range(2, turns, 2))
    kernels |= {name: made for name, made in newest.items() if name not in kernels}
    outcomes = run_all(any_shim_python, tmp_path, kernels)
    assert len(outcomes) > 75
    failures = [f"{name}: {error.strip().splitlines()[-1]}" for name, error in outcomes.items() if error]
    assert failures == []


@pytest.mark.long
@pytest.mark.parametrize("layout", LAYOUTS)
def test_ptx_of_each_release(layout, any_shim_python, tmp_path):
    kernels = compiled(tmp_path, layout, lambda number: True)
    outcomes = run_all(any_shim_python, tmp_path, kernels)
    failures = [f"{name}: {error.strip().splitlines()[-1]}" for name, error in outcomes.items() if error]
    assert failures == []
