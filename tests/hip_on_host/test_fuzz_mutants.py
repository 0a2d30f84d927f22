"""Kernels that were changed without changing their meaning give the originals' results, in hiprtc's default form.

`CUDA_SHIM_TEST_MUTANTS` sets the number of new mutants to try, `CUDA_SHIM_TEST_MUTANTS_SEED` the first seed; `python -m
tests.hip_on_host.fuzz_mutants` tries many. Those in recorded/ stay the same, and an NVIDIA GPU has run them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hip_on_host import fuzz_mutants, hidden_meanings, mutations, record_gpu
from tests.hip_on_host.hiprtc_program import find_compiler
from tests.hip_on_host.mutations import sources
from tests.hip_on_host.program_outcomes import DEFAULT, FIBRES, Runner, differences
from tests.hip_on_host.test_fuzz_kernels import COMPILERS
from tests.kernels import compilers

FIRST = int(os.environ.get("CUDA_SHIM_TEST_MUTANTS_SEED", "1000"))
COUNT = int(os.environ.get("CUDA_SHIM_TEST_MUTANTS", "110"))
IN_A_PROGRAM = 9  # mutants, on average
SEEDS = range(FIRST, FIRST + -(-COUNT // IN_A_PROGRAM))
LONG, AT_ONCE = 20_000, 50  # mutants in the long run, and seeds in one test of it

RECORDED = record_gpu.mutants()


@pytest.fixture(scope="module")
def runners(runtime_folder: Path) -> Iterator[dict[str, Runner]]:
    """Runners of programs by the compiler's name, "" for the default one."""
    made = {name: Runner(runtime_folder, command) for name in COMPILERS if (command := find_compiler(name))}
    made[""] = Runner(runtime_folder)
    yield made
    for runner in made.values():
        runner.close()


def by_turns(runners: dict[str, Runner], number: int) -> str:
    """One of the compilers that are there."""
    names = sorted(name for name in runners if name)
    return names[number % len(names)]


@pytest.mark.parametrize("seed", SEEDS)
def test_mutants_give_what_the_kernels_gave(runners: dict[str, Runner], seed: int, tmp_path: Path) -> None:
    compiler = by_turns(runners, seed)
    made = fuzz_mutants.mutant(seed)
    wrong = fuzz_mutants.compare(made, runners[""], runners[compiler])
    assert not wrong, made.report(runners[compiler].compiler, wrong, tmp_path)


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_mutants_give_what_the_kernels_gave_and_a_gpu_gives(runners: dict[str, Runner], name: str) -> None:
    original, mutated = RECORDED[name]
    expected = runners[""].outcomes(original, FIBRES)
    found = runners[by_turns(runners, int(name.rpartition("/")[2]))].outcomes(mutated, DEFAULT)
    assert differences(mutated, found, expected) == {}
    assert record_gpu.differing(name, mutated, found) == []


@pytest.mark.parametrize("seed", SEEDS[::4])
def test_nvrtc_takes_mutants(seed: int) -> None:
    found = list(compilers.nvrtc().items())
    if not found:
        pytest.skip("no NVRTC is installed")
    layout, compiler = found[seed // 4 % len(found)]
    program = fuzz_mutants.mutant(seed).program
    options = [b"-arch=compute_80", *(option.encode() for option in hidden_meanings.NVRTC_OPTIONS)]
    done = compiler.compile(program.source.encode(), b"mutant.cu", options)
    assert done.status == 0, (layout, done.log)


def test_kernels_are_changed() -> None:
    """Otherwise the comparison would show nothing: every kind of mutation is met, and hardly a kernel is unchanged."""
    made = [fuzz_mutants.mutant(seed) for seed in SEEDS[:12]]
    kinds = [kinds for one in made for kinds in one.kinds.values()]
    assert sum(len(found) >= 3 for found in kinds) >= 0.8 * len(kinds)
    assert {kind for found in kinds for kind in found} == {
        "left side", "assigned by a call", "macro", "statement in a lambda", "comma", "attribute", "condition", "loop",
        "initialisation", "wrapped variable", "member", "alias", "lasting alias", "hidden name", "body elsewhere",
        "barrier", "warp operation",
    }  # fmt: skip


def test_every_source_is_met() -> None:
    found = {sources.pick(seed)[0].partition("/")[0] for seed in range(60)}
    assert found == {"random kernels", "hidden_meanings", "corpus", "benchmark"}
    assert len(sources.corpus()) >= 12


def test_a_seed_gives_the_same_mutants() -> None:
    again = fuzz_mutants.mutant.__wrapped__(FIRST)
    assert fuzz_mutants.mutant(FIRST).program.source == again.program.source


def test_what_is_not_valid_is_named() -> None:
    with pytest.raises(mutations.Invalid, match="line 2: use of undeclared identifier 'y'"):
        mutations.mutate([mutations.Chunk("k", 'extern "C" __global__ void k(int* x) {\n    *x = y;\n}\n')], 0)


@pytest.mark.long
@pytest.mark.parametrize("first", range(100_000, 100_000 + LONG // IN_A_PROGRAM, AT_ONCE))
def test_many_mutants_give_what_the_kernels_gave(runners: dict[str, Runner], first: int, tmp_path: Path) -> None:
    said = []
    for seed in range(first, first + AT_ONCE):
        compiler = by_turns(runners, seed)
        made = fuzz_mutants.mutant(seed)
        if wrong := fuzz_mutants.compare(made, runners[""], runners[compiler]):
            said.append(made.report(runners[compiler].compiler, wrong, tmp_path))
    assert not said, "\n".join(said)
