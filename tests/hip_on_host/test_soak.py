"""A program that runs for long has at its end the resources that it had at its beginning.

``CUDA_SHIM_SOAK_SECONDS=3600`` makes it an hour; ``--basetemp`` names the folder where each round's figures stand while
it runs.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interpreters import PACKAGE_ROOT, clean_environment

HERE = Path(__file__).parent
SECONDS = float(os.environ.get("CUDA_SHIM_SOAK_SECONDS", "10"))
#: Memory that the allocators of several threads keep, in KiB. Within an hour, ten bytes more of each call would exceed
#: it.
NOISE = 16 << 10
#: A run with this many resets is compared quarter by quarter, by medians, in which single rounds do not count.
RESETS_OF_A_LONG_RUN = 80
NOISE_OF_QUARTERS = 4 << 10
#: The C library's heaps take a mapping or two more or less.
MAPPINGS = 4
ROUNDS_OF_A_RESET = 4

Held = dict[str, int]


def growths(after_resets: list[Held]) -> list[str]:
    """Return the resources that grew from reset to reset, in words."""
    first, last = after_resets[0], after_resets[-1]
    grown = [kind for kind in ("descriptors", "threads") if last[kind] > first[kind]]
    grown += ["mappings"] * (last["mappings"] > first["mappings"] + MAPPINGS)
    grown += ["resident memory"] * (last["resident"] - first["resident"] > NOISE)
    if len(after_resets) >= RESETS_OF_A_LONG_RUN:
        quarter = len(after_resets) // 4
        medians = {
            kind: [
                statistics.median(held[kind] for held in after_resets[at * quarter : (at + 1) * quarter])
                for at in range(4)
            ]
            for kind in first
        }
        limits = {"resident": NOISE_OF_QUARTERS, "mappings": MAPPINGS, "descriptors": 0, "threads": 0}
        # The first quarter fills caches and heaps; from then on the resources stay.
        grown += [
            f"{kind} from quarter to quarter: {of_quarters}"
            for kind, of_quarters in medians.items()
            if of_quarters[3] - of_quarters[1] > limits[kind]
        ]
    return grown


@pytest.mark.timeout(SECONDS + 600)
def test_nothing_grows(tmp_path: Path) -> None:
    words = "-m", "cuda_shim", "run", "--backend", "cpu", HERE / "soak.py", SECONDS, ROUNDS_OF_A_RESET
    rounds = tmp_path / "rounds.jsonl"
    with rounds.open("w") as output:
        done = subprocess.run(
            [sys.executable, *map(str, words)], env=clean_environment(PYTHONPATH=str(PACKAGE_ROOT)),
            stdout=output, stderr=subprocess.PIPE, encoding="utf-8", timeout=SECONDS + 500, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    held = [json.loads(line) for line in rounds.read_text().splitlines()]
    after_resets = held[ROUNDS_OF_A_RESET - 1 :: ROUNDS_OF_A_RESET]
    assert len(after_resets) >= 2
    assert growths(after_resets) == [], after_resets


@pytest.mark.parametrize(
    ("kind", "each", "words"),
    [("resident", 90, "resident from"), ("mappings", 0.2, "mappings"), ("descriptors", 0.02, "descriptors")],
)
def test_a_slow_leak_is_seen(kind: str, each: float, words: str) -> None:
    """A leak is found by its growth at each reset, behind a first round that held much more than any later one."""
    steady = [{"resident": 60_000 + at % 3 * 500, "descriptors": 6, "threads": 7, "mappings": 280 + at % 2} for at in range(200)]  # fmt: skip
    assert growths(steady) == []
    peak = {**steady[0], "resident": 90_000, "mappings": 400, "descriptors": 20}
    leaking = [{**held, kind: held[kind] + int(each * at)} for at, held in enumerate(steady)]
    assert any(line.startswith(words) for line in growths([peak, *leaking])), growths([peak, *leaking])
