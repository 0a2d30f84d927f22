"""Benchmarks run, and a run is compared with an earlier one. Nothing here asserts a time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.benchmarks import core_scaling, documents, lines, memory_cost
from tests.benchmarks.__main__ import BENCHMARKS
from tests.benchmarks.core_rows import LAUNCHES, STRONG, WEAK
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
    helpers = {"__main__", "collect", "lines", "peers", "call_rows", "numba_kernels", "saxpy_programs", "core_rows"}
    helpers |= {"speedup_picture", "documents"}
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


KERNEL = Line("kernels", "saxpy, 16M", "milliseconds", 2.0, {"zig": 3.0, "g++": 4.0, "PoCL 7.1": 5.0, "C++": 1.0})
CALL = Line("calls", "cudaGetDevice", "nanoseconds a call", 100, {"through Python": 250, "hip-python-interop": 350})
COMPILES = [
    Line("compiles", f"{name}: {stage}", "milliseconds", 100, {"NVRTC": 40})
    for name in ("clang", "g++", "zig")
    for stage in documents.STAGES
]
FIGURES = [
    core_scaling.Figures(STRONG, "saxpy, 16M", "milliseconds", {1: 8, 2: 4, 4: 3}, {1: 6, 2: 3, 4: 2}),
    core_scaling.Figures(WEAK, "saxpy, 1M", "milliseconds", {1: 1, 2: 1.5, 4: 2}),
    core_scaling.Figures(LAUNCHES, "empty launch", "microseconds each", {1: 0.25, 2: 0.25, 4: 0.5}),
]


def test_tables_have_a_column_for_each_peer_that_ran():
    tables = documents.page_tables([KERNEL, CALL])
    assert tables["benchmark kernels"].splitlines() == [
        "| kernel, milliseconds | cuda_shim | PoCL 7.1 | ratio | C++ | ratio |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        "| saxpy, 16M | 2 | 5 | 2.50 | 1 | 0.50 |",
    ]
    assert tables["benchmark compilers"].splitlines()[0::2] == [
        "| kernel | clang 19, ms | `ziglang` | g++ | C++ |",
        "| saxpy, 16M | 2 | 1.50 | 2.00 | 0.50 |",
    ]
    assert tables["benchmark calls"].splitlines()[2] == "| cudaGetDevice | 100 | 250 | 350 | 3.50 |"
    assert documents.readme_tables([KERNEL, CALL]) == {}  # it would lack rows


def test_documents_have_the_marks_of_all_tables():
    shapes = [Line(name, "row", "milliseconds", 1) for name in documents.SHAPES if name != "kernels"]
    summary = [Line(benchmark, row, "milliseconds", 1, {peer: 1}) for benchmark, row, peer, _ in documents.SUMMARY]
    page = documents.page_tables([*shapes, KERNEL, *COMPILES]) | core_scaling.tables(FIGURES)
    assert len(page) == len(documents.SHAPES) + 4
    for document, tables in (("docs/benchmarks.md", page), ("README.md", documents.readme_tables(summary))):
        text = (ROOT / document).read_text(encoding="utf-8")
        assert tables
        for mark in tables:
            assert text.count(f"<!-- {mark} -->\n|") == 1, mark


def test_figures_of_threads_are_speeds_for_fixed_work_and_times_for_the_rest():
    tables = core_scaling.tables(FIGURES)
    assert tables["benchmark cores"].splitlines()[-1] == "| saxpy, 16M | 8 | 2.00 | 2.67 | 3.00 |"
    assert tables["benchmark cores, times"].splitlines()[2:] == [
        "| saxpy, 1M for each thread, ms | 1 | 1.5 | 2 |",
        "| empty launch, µs | 0.25 | 0.25 | 0.5 |",
    ]
    slower = list(core_scaling.slower_with_more(FIGURES, 1.25))
    assert slower == ["empty launch: 0.5 microseconds each on 4 threads, 0.25 on fewer"]


def test_the_picture_has_a_curve_for_each_fixed_work():
    picture = ElementTree.fromstring(core_scaling.picture([FIGURES[0], FIGURES[0]]))  # noqa: S314 - it is drawn here
    curves = picture.findall("{http://www.w3.org/2000/svg}polyline")
    points = [[float(part) for part in point.split(",")] for point in curves[0].attrib["points"].split()]
    assert len(curves) == 2
    assert [x for x, _ in points] == sorted({x for x, _ in points})
    assert [y for _, y in points] == sorted({y for _, y in points}, reverse=True)


def test_figures_of_threads_that_are_kept_are_read_again(tmp_path):
    kept = tmp_path / "cores.json"
    core_scaling.write(FIGURES, kept)
    assert core_scaling.read(kept) == FIGURES
