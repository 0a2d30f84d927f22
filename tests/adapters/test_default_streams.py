"""CUDA Python's and CUDA's switches for streams: the owner of the default stream, and launches that wait."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cuda_shim.binding import objects_of
from cuda_shim.binding.functions import per_thread
from cuda_shim.c_level.interface import functions
from cuda_shim.mapping.layouts import LAYOUTS
from tests.interpreters import PACKAGE_ROOT, run_json, start
from tests.program_files import read_program

PROGRAM = Path(__file__).resolve().parent / "default_streams_program.py"
NOT_READY = 600
# The stream of the first two is in a struct that is written as well. The third goes by the flags; its recorded symbol
# is the form itself. Only CUDA 11.8's header has no form of the last.
OTHERWISE = {
    "cuGraphInstantiateWithParams", "cudaGraphInstantiateWithParams", "cuGetProcAddress",
    "cudaStreamUpdateCaptureDependencies",
}  # fmt: skip
ON_THE_LEGACY_STREAM = {
    "cuMemcpy2DUnaligned", "cuMemcpyAtoA", "cuMemcpyAtoD", "cuMemcpyDtoA", "cudaMemcpy2DArrayToArray",
    "cudaMemcpyArrayToArray", "cudaMemcpyFromArray", "cudaMemcpyToArray",
}  # fmt: skip


def run(stream, seconds=60, **environment):
    words = "-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM, stream, str(seconds)
    done = start(*words, PYTHONPATH=str(PACKAGE_ROOT), **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("value", [None, "0"])
def test_the_default_stream_is_everybodys(value):
    answers = run("0", **({per_thread.VARIABLE: value} if value is not None else {}))
    assert answers == {"runtime": NOT_READY, "driver": NOT_READY, "none": NOT_READY, "own": 0}


def test_the_default_stream_is_each_threads_own():
    answers = run("0", **{per_thread.VARIABLE: "1"})
    assert answers == {
        "runtime": 0, "driver": 0, "none": 0, "own": 0, "copied": [1, 2, 3, 4],
        "filled": [0, 7, 7, 7], "still held": True,
    }  # fmt: skip


def test_the_legacy_stream_keeps_its_number():
    """Work that another thread puts on the stream 1 belongs to no thread: a thread's stream waits for it."""
    assert run("1", seconds=2, **{per_thread.VARIABLE: "1"})["runtime"] == 0


def test_a_value_that_is_no_number_is_refused():
    done = start(
        "-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM, "0", "60", PYTHONPATH=str(PACKAGE_ROOT),
        **{per_thread.VARIABLE: "yes"},
    )  # fmt: skip
    assert "ValueError" in done.stderr
    assert per_thread.VARIABLE in done.stderr


@pytest.mark.parametrize("layout", LAYOUTS)
def test_functions_with_a_form_for_threads_are_those_of_cudas_headers(layout):
    catalogue = objects_of(layout)
    wrong = []
    for function in functions(layout):
        row = function.row
        if function.layout != layout or row is None or row.unsupported or function.table == "nvrtc":
            continue
        named = per_thread.stream_parameter(row) != ""
        waits = per_thread.asynchronous_form(row, catalogue, function.table) is not None
        if named != (function.form == "ptsz") and row.name not in OTHERWISE:
            wrong.append((row.name, function.form))
        if waits != (function.form == "ptds" and row.name not in ON_THE_LEGACY_STREAM):
            wrong.append((row.name, function.form))
    assert wrong == []


LAUNCH = read_program(__file__, "default_streams_launch.py")


@pytest.mark.parametrize("variable", ["CUDA_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL"])
def test_launches_wait_for_their_kernels(variable):
    answers = run_json(LAUNCH, **{variable: "1"})
    assert answers["ended"] == [0] * 5
    assert answers["nodes"] == 1  # a launch that is captured runs later
    assert answers["wrong"] != 0  # the launch itself returns the error


@pytest.mark.parametrize("value", ["", "0"])
def test_launches_return_before_their_kernels(value):
    answers = run_json(LAUNCH, CUDA_LAUNCH_BLOCKING=value)
    assert NOT_READY in answers["ended"]
    assert answers["nodes"] == 1
