"""Benchmarks run, and a run is compared with an earlier one. Nothing here asserts a time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks import lines, memory_cost
from tests.benchmarks.__main__ import BENCHMARKS
from tests.benchmarks.lines import Line

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "benchmarks"


def benchmarks(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FOLDER), *map(str, arguments)]
    return subprocess.run(command, cwd="/", capture_output=True, encoding="utf-8", timeout=600, check=False)


def test_all_run_in_a_short_form(tmp_path):
    kept = tmp_path / "run.json"
    done = benchmarks("--short", "--only", "memory", "calls", "lock", "saxpy", "imports", "--json", kept)
    assert done.returncode == 0, done.stderr
    found = {(line.benchmark, line.row): line for line in lines.read(kept)}
    assert all(line.ours > 0 for key, line in found.items() if "growth" not in key[1] and key[0] != "lock")
    assert found["saxpy", "launch and wait"].others.keys() == {"hip-python"}
    assert ("calls", "cuLaunchKernel, sixteen, values and types") in found
    # Only the missing environments are named: a row of ours that no longer runs would be named too.
    missing = {said.partition(":")[0] for said in done.stderr.splitlines() if "without" in said}
    assert missing == {"without hip-python-interop", "without imports", "without NVIDIA's wheel"}


@pytest.mark.parametrize("name", ["kernels", "ptx", "cores"])
def test_kernels_run_in_a_short_form(name, tmp_path):
    kept = tmp_path / "run.json"
    done = benchmarks("--short", "--only", name, "--json", kept)
    assert done.returncode == 0, done.stderr
    assert [line.benchmark for line in lines.read(kept)].count(name)


def test_every_script_is_part_of_the_run():
    told = (FOLDER / "__main__.py").read_text() + (FOLDER / "collect.py").read_text()
    helpers = {
        "__main__",
        "collect",
        "lines",
        "peers",
        "call_rows",
        "numba_kernels",
        "saxpy_programs",
        "core_rows",
        "speedup_picture",
    }
    scripts = {path.stem for path in FOLDER.glob("*.py")} - helpers
    assert {script for script in scripts if script not in told} == set()
    assert len(BENCHMARKS) == len(scripts)


def test_a_run_is_compared_with_an_earlier_one(tmp_path):
    kept = tmp_path / "run.json"
    lines.write([Line("memory", "imported", "MiB", 1e-6)], kept)
    done = benchmarks("--short", "--only", "memory", "--against", kept)
    assert done.returncode == 1, done.stderr
    assert "slower: memory: imported:" in done.stdout
    before = json.loads(kept.read_text())
    kept.write_text(json.dumps([{**before[0], "ours": 1e6}]))
    done = benchmarks("--short", "--only", "memory", "--against", kept)
    assert done.returncode == 0, done.stderr
    assert "nothing became slower" in done.stdout


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (Line("b", "r", "ns", 100), Line("b", "r", "ns", 110), ""),
        (Line("b", "r", "ns", 100), Line("b", "r", "ns", 150), "1.50 times as slow by itself"),
        # A machine that is busy slows the other one down as well.
        (Line("b", "r", "ns", 100, {"o": 100}), Line("b", "r", "ns", 200, {"o": 200}), ""),
        (Line("b", "r", "ns", 100, {"o": 100}), Line("b", "r", "ns", 100, {"o": 50}), "2.00 times as slow beside o"),
        # One of two became faster, for any reason: that alone does not concern this package.
        (Line("b", "r", "ns", 100, {"o": 100, "p": 100}), Line("b", "r", "ns", 100, {"o": 50, "p": 100}), ""),
        (Line("b", "r", "ns", 100, {"o": 100}), Line("b", "r", "ns", 150), "1.50 times as slow by itself"),
        (Line("b", "other row", "ns", 1), Line("b", "r", "ns", 150), ""),
    ],
)
def test_what_counts_as_slower(before, now, said):
    found = list(lines.slower([now], [before], 1.25))
    assert len(found) == bool(said)
    assert all(said in one for one in found)


def test_a_run_that_is_kept_is_read_again(tmp_path):
    kept = tmp_path / "run.json"
    some = [Line("calls", "cudaGetDevice", "ns", 250.0, {"interop": 400.0}), Line("memory", "imported", "MiB", 1.0)]
    lines.write(some, kept)
    assert lines.read(kept) == some


def test_launches_do_not_grow_a_process():
    # The smallest object that each launch kept would be 1.6 MiB.
    assert memory_cost.growth(sys.executable, 100_000) < 0.5
