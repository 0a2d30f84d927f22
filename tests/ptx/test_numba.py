"""numba-cuda as it is installed: its kernels are PTX, which is compiled like everything else."""

from __future__ import annotations

import os

import pytest

from tests.benchmarks import numba_speed
from tests.environments import ROOT

PARTS = (
    "shared_and_local", "dynamic_shared", "atomics", "cooperative", "streams_and_events", "mathematics", "random_numbers",
    "half", "debugging", "exceptions", "linked_source", "warps", "printing",
)  # fmt: skip


def run(python, *words, warnings="ignore"):
    return python.run("-W", warnings, "-m", "cuda_shim", "run", "--backend", "cpu", *words)


def test_the_example(numba_python):
    # Numba links by the driver, and cuda.core does not warn of a nvJitLink that could link nothing here.
    assert "the sum is 2097151" in run(numba_python, ROOT / "examples" / "numba_saxpy.py", warnings="error")


def test_the_example_with_streams(numba_python):
    said = run(numba_python, ROOT / "examples" / "numba_streams.py", warnings="error")
    assert "262144 values on 4 streams: ok" in said


def test_what_programs_do(numba_python):
    said = run(numba_python, ROOT / "tests" / "ptx" / "numba_program.py").splitlines()
    wrong = [line for line in said if ": right" not in line and line != "thread 0 2.500000"]
    assert wrong == [], os.linesep.join(wrong)
    assert [line.removesuffix(": right") for line in said if line.endswith(": right")] == [*PARTS, "on_disk"]
    assert "thread 0 2.500000" in said


@pytest.mark.long
def test_the_benchmark_has_a_figure_in_every_column(numba_python):
    lines = list(numba_speed.measure(str(numba_python.executable)))
    assert [line.row for line in lines] == list(numba_speed.PARTS)
    others = {"CUDA C++", "Numba's own loops", "CUDASIM, of a part"}
    assert all(line.others.keys() == others and min(line.ours, *line.others.values()) > 0 for line in lines)
