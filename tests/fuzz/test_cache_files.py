"""Changed files in the cache, a few; for as long as wanted: `python -m tests.fuzz.cache_files --help`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cuda_shim import settings
from cuda_shim.backends import host_libraries
from tests.fuzz import cache_files

SHORT, LONG = 3, 100


@pytest.fixture(scope="module")
def runtime() -> str:
    return host_libraries.ensure_libraries(settings.current())


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, runtime: str) -> Path:
    cache = tmp_path_factory.mktemp("cache") / "filled"
    cache_files.fill(cache, runtime)
    return cache


@pytest.mark.parametrize("seed", range(1, 1 + SHORT))
def test_changed_files_are_made_again(filled: Path, runtime: str, seed: int) -> None:
    outcome = cache_files.run(filled, runtime, seed)
    assert outcome.problem == ""
    assert outcome.changed


@pytest.mark.long
def test_many_changed_files(filled: Path, runtime: str) -> None:
    first = random.SystemRandom().randrange(1 << 40)
    problems = {seed: cache_files.run(filled, runtime, seed).problem for seed in range(first, first + LONG)}
    assert {seed: problem for seed, problem in problems.items() if problem} == {}


def test_every_kind_of_file_is_among_them(filled: Path) -> None:
    folders = {path.relative_to(filled).parts[0] for path in filled.rglob("*") if path.is_file()}
    assert {"kernels", "headers"} <= folders


def test_another_answer_is_reported(filled: Path, runtime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_files, "ANSWER", "8 35")
    assert "'7 35'" in cache_files.run(filled, runtime, 1).problem
