"""Objects that are made and destroyed many times, and by two threads at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.adapters.handle_pairs import RACES

ROOT = Path(__file__).parents[2]
MANY, QUICK = 10_000, 150


def run(*words: str, seconds: int = 100) -> dict[str, list[list[int]]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.adapters.handle_pairs", *words], cwd=ROOT, capture_output=True, encoding="utf-8",
        env={**os.environ, "CUDA_SHIM_QUIET": "1"}, timeout=seconds, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answer: dict[str, list[list[int]]] = json.loads(done.stdout)
    return answer


def test_of_two_threads_that_destroy_an_object_one_does():
    reported = run("races", "100")
    assert set(reported) == set(RACES)
    for kind, rounds in reported.items():
        assert [first for first, _ in rounds] == [0] * len(rounds), kind
        assert all(second for _, second in rounds), kind


def check_growth(left: dict[str, list[list[int]]], most_bytes: int) -> None:
    """Nothing that grows with the rounds: a few mappings and some memory of the allocator come and go."""
    grown = {kind: found for kind, found in left.items() if found[0] > most_bytes or found[1] > 0 or found[2] > 8}  # type: ignore[operator]
    assert grown == {}


def test_pairs_leave_nothing_behind():
    check_growth(run("growth", str(QUICK)), 1 << 20)


@pytest.mark.long
def test_many_pairs_leave_nothing_behind():
    check_growth(run("growth", str(MANY), seconds=1500), 1 << 20)
