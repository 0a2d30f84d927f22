"""Each function in which threads wait for each other, in a program that waits nowhere else: results are an NVIDIA GPU's."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import environments
from tests.environments import Python, missing
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.interpreters import link_programs_without_clang
from tests.kernels import compilers
from tests.kernels.waiting.programs import programs

FOLDER = Path(__file__).resolve().parent / "waiting"
LAYOUT = max(compilers.WHEELS.values())
PROGRAMS = programs()
#: Programs without a header of their own, also under hostile names.
PLAIN = [name for name, program in PROGRAMS.items() if not program.headers]
#: Programs without headers of a toolkit: a part of them, since g++ takes long, and all.
STANDALONE = [name for name, program in PROGRAMS.items() if program.standalone]
PARTS = pytest.mark.parametrize("names", [STANDALONE[::5], pytest.param(STANDALONE, marks=pytest.mark.long)], ids=len)
FACTS = FOLDER.parents[2] / "hip_on_host/src/kernel_compiler/analyse/function_facts.h"

Outcomes = dict[str, dict[str, Any]]
Run = Callable[..., Outcomes]


def runner(python: Python) -> Run:
    """Return a function that runs programs with an installed package, away from the checkout, and returns their outcomes."""

    def run_programs(names: Iterable[str] = (), folders: Iterable[str] = (), **environment: str) -> Outcomes:
        joined = os.pathsep.join(folders)
        words: tuple[str | Path, ...] = (
            "-m",
            "cuda_shim",
            "run",
            "--backend",
            "cpu",
            FOLDER / "worker.py",
            joined,
            *names,
        )
        done = python.start_for(800, *words, **environment)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"program"')]
        outcomes = {line["program"]: line for line in lines if "error" in line}
        crashed = [line["program"] for line in lines if line["program"] not in outcomes]
        assert (crashed, bool(outcomes)) == ([], True), done.stderr
        return outcomes

    return run_programs


@pytest.fixture(scope="module")
def run(any_shim_python: Python) -> Run:
    return runner(any_shim_python)


@pytest.fixture(scope="module")
def run_without_ziglang(shared_folder: Path) -> Run:
    """The same where the package is installed without its extra."""
    wheel = environments.build_wheel(shared_folder)
    hip_python = environments.HIP_PYTHON[environments.newest(environments.HIP_PYTHON)]
    return runner(environments.make(shared_folder / "without-extra", str(wheel), hip_python, "numpy"))


def wrong(outcomes: Outcomes) -> dict[str, Any]:
    """Return the programs that failed, with the error, or the types whose results differ from the recorded ones."""
    recorded = np.load(FOLDER / "recorded.npz")
    found = {}
    for name, outcome in outcomes.items():
        program = PROGRAMS[name.removeprefix("hostile ")]
        results = outcome.get("results", [])
        differ = [
            type_ for type_, result in zip(program.types, results, strict=not outcome["error"])
            if recorded[f"{program.name}/{type_}"].tobytes() != bytes.fromhex(result)
        ]  # fmt: skip
        if outcome["error"] or differ:
            found[name] = outcome["error"] or differ
    return found


def needs(compiler: str) -> None:
    if not find_compiler(compiler):
        missing(f"{compiler} is not installed")


@pytest.mark.parametrize("every", [2, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.xdist_group("waiting kernels, clang")
def test_results_are_a_gpus_with_clang(run: Run, every: int) -> None:
    needs("clang++-19")
    folders = compilers.toolkit_folders(LAYOUT)
    names = [name for name, program in PROGRAMS.items() if folders or program.standalone][::every]
    outcomes = run(names, folders=folders, CUDA_SHIM_CPU_CXX="clang++-19")
    assert (len(outcomes), wrong(outcomes)) == (len(names), {})


@PARTS
@pytest.mark.xdist_group("waiting kernels, g++")
def test_results_are_a_gpus_with_gcc(run: Run, names: list[str]) -> None:
    needs("g++")
    outcomes = run(names, CUDA_SHIM_CPU_CXX="g++")
    assert (len(outcomes), wrong(outcomes)) == (len(names), {})


@PARTS
@pytest.mark.xdist_group("waiting kernels, g++ alone")
def test_results_are_a_gpus_with_gcc_where_no_clang_reads(
    run_without_ziglang: Run, names: list[str], tmp_path: Path
) -> None:
    needs("g++")
    outcomes = run_without_ziglang(names, PATH=str(link_programs_without_clang(tmp_path)))
    loops = {name for name, outcome in outcomes.items() for form, _ in outcome.get("forms", []) if "loop" in form}
    assert (len(outcomes), wrong(outcomes), loops) == (len(names), {}, set())


@pytest.mark.xdist_group("waiting kernels, clang")
def test_programs_may_give_common_names_other_meanings(run: Run) -> None:
    needs("clang++-19")
    outcomes = run([*PLAIN, *(f"hostile {name}" for name in PLAIN)], CUDA_SHIM_CPU_CXX="clang++-19")
    assert wrong(outcomes) == {}
    changed = {
        name: (outcomes[name]["forms"], outcomes[f"hostile {name}"]["forms"])
        for name in PLAIN
        if outcomes[name]["forms"] != outcomes[f"hostile {name}"]["forms"]
    }
    assert changed == {}


@pytest.mark.parametrize("layout", sorted(compilers.WHEELS.values()))
def test_nvrtc_takes_hostile_programs(layout: str) -> None:
    nvrtc = compilers.nvrtc().get(layout)
    if nvrtc is None:
        missing("NVRTC is not installed")
    options = [b"--gpu-architecture=compute_80", b"-std=c++17"]
    refused = {
        name: outcome.log
        for name in PLAIN
        if (outcome := nvrtc.compile(PROGRAMS[name].hostile_source.encode(), b"program.cu", options)).status
    }
    assert refused == {}


#: Functions of HIP alone, of clusters, in the runtime's own headers alone, and those of tests/hip_on_host/test_cuda_forms.py;
#: types and namespaces.
NOT_CALLED = {
    "__barrier_sync_count", "invoke_one_broadcast",
    "__all", "__any", "__ballot", "__shfl", "__shfl_down", "__shfl_up", "__shfl_xor", "__syncblock", "__uni_sync", "grid_group",
    "this_grid", "cooperative_groups", "coalesced_group", "thread_block", "thread_block_tile",
}  # fmt: skip


def test_every_waiting_function_has_a_program() -> None:
    table = re.search(r"kWaitingNames = \{(.*?)\};", FACTS.read_text(encoding="utf-8"), re.DOTALL)
    assert table
    names = set(re.findall(r'"(\w+)"', table[1])) - NOT_CALLED
    names = {name for name in names if "cluster" not in name and not name.startswith("cuda_shim_")} - {"__barrier_sync"}
    text = "".join(program.source for program in PROGRAMS.values())
    assert sorted(name for name in names if not re.search(rf"\b{name}\b", text)) == []
