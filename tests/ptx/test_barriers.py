"""Barriers in PTX modules that only some threads of a block take part in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cuda_shim.translate.ptx.errors import PtxError, UnsupportedPtx
from cuda_shim.translate.ptx.writer import translate
from tests.ptx.texts import kernel

FOLDER = Path(__file__).resolve().parent
PROGRAM, ELSEWHERE = FOLDER / "barriers_program.py", FOLDER / "barriers_elsewhere_program.py"
MODES = [{}, {"CUDA_SHIM_CPU_CHECK": "1"}, {"CUDA_SHIM_CPU_SPLIT": "0"}, {"CUDA_SHIM_CPU_DEBUG": "1"}]


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_producers_and_consumers(any_shim_python, mode):
    process = any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM, **mode)
    assert process.split() == ["piped", "counted", "overtaken", "aside"]


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_barrier_0_linked_functions_and_inline_assembly(any_shim_python, mode):
    done = any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", ELSEWHERE, **mode)
    assert done.split() == ["arrived", "in_a_register", "returned", "linked", "assembly", "global"]


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_a_number_that_turns_out_to_be_0_has_no_arrivals_in_inline_assembly(any_shim_python, mode):
    """__syncthreads, which is barrier 0 there, waits for all threads."""
    done = any_shim_python.start("-m", "cuda_shim", "run", "--backend", "cpu", ELSEWHERE, "arrives_at_0", **mode)
    assert done.returncode != 0
    assert "CUDA_ERROR_" in done.stderr
    assert "bar.arrive at barrier 0 has no counterpart here" in done.stderr


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("written_behind", r"race on shared memory: read .* variable room .* thread \(\d+,0,0\) wrote at named.cu:10 "),
        ("not_waited_for", r"race on shared memory: read .* variable room .* thread \(\d+,0,0\) wrote at named.cu:8 "),
        ("global_not_waited_for", r"race on global memory: read .* thread \(\d+,0,0\) wrote at named.cu:\d+ "),
    ],
)
def test_checked_mode_finds_barriers_that_are_missing(any_shim_python, program, said):
    words = ("-m", "cuda_shim", "run", "--backend", "cpu", "--cpu-check", ELSEWHERE, program)
    done = any_shim_python.start(*words)
    assert done.returncode != 0
    assert re.search(said, done.stderr), done.stderr


@pytest.mark.parametrize(
    ("number", "count", "reason"),
    [
        (15, 64, ""),
        (0, 64, ""),
        (16, 64, "a barrier has a number that is not below 16"),
        (1, 0, "a barrier counts threads by 32"),
        (1, 63, "a barrier counts threads by 32"),
        (1, 96, "deadlock: all threads of the block wait at barriers with a number"),
    ],
)
def test_numbers_in_registers_are_looked_at(any_shim_python, number, count, reason):
    words = ("-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM, str(number), str(count))
    done = any_shim_python.start(*words)
    assert (done.returncode != 0) == bool(reason)
    assert reason in done.stderr


@pytest.mark.parametrize(
    "body",
    [
        "bar.sync 1, 32;",
        "bar.sync %r1;",
        "bar.arrive 15, %r1;",
        "barrier.red.popc.u32 %r2, 0, 64, %p1;",
        "barrier.sync 1;",
    ],
)
def test_an_amd_gpu_is_told_which_barrier_it_lacks(body):
    (reason,) = translate(kernel(body)).hosts_only
    assert f"'{body.partition(' ')[0]}' is translated for the barrier 0 of all threads alone" in reason.reason
    assert reason.line == 21


@pytest.mark.parametrize(
    "body", ["bar.sync 0;", "barrier.cta.sync.aligned 0;", "bar.red.popc.u32 %r2, 0, %p1;", "bar.warp.sync 7;"]
)
def test_the_barrier_of_all_threads_is_hips(body):
    source = translate(kernel(body))
    assert source.hosts_only == []
    assert "named_" not in source.source
    assert "counted_" not in source.source


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("bar.sync 16, 32;", "Barrier number '16' out of range"),
        ("bar.sync 1, 33;", "multiple of warp size"),
        ("bar.arrive 1;", "Arguments mismatch"),
        ("bar.red.popc.u32 %r1, %p1;", "Arguments mismatch"),
        ("bar.sync 1, 32, 32;", "Arguments mismatch"),
    ],
)
def test_wrong_barriers_are_errors_with_their_place(body, reason):
    with pytest.raises(PtxError) as caught:
        translate(kernel(body))
    assert reason in caught.value.reason
    assert caught.value.line == 21


@pytest.mark.parametrize("body", ["bar.sync 1, 0;", "barrier.cluster.sync;"])
def test_other_forms_are_refused_by_name(body):
    with pytest.raises(UnsupportedPtx) as caught:
        translate(kernel(body))
    assert f"'{body.partition(' ')[0].rstrip(';')}'" in caught.value.reason


@pytest.mark.parametrize("number", ["0", "%r1"])
def test_where_threads_may_arrive_at_barrier_0_it_is_counted_for_all(number):
    source = translate(kernel(f"bar.arrive {number}, 64; bar.sync 0; bar.red.or.pred %p1, 0, %p2;"))
    assert source.source.count("counted_") == 3
    assert "__syncthreads" not in source.source
    assert [reason.line for reason in source.hosts_only] == [21, 21, 21]


def test_modules_that_are_linked_have_barriers_0_of_their_own():
    with pytest.raises(UnsupportedPtx, match=r"'bar\.arrive' at barrier 0, in a module that is linked") as caught:
        translate(kernel("bar.arrive 0, 64;"), functions={})
    assert caught.value.line == 21
    source = translate(kernel("bar.arrive %r1, 64; bar.sync 0; bar.sync 3, 64;"), functions={}).source
    assert (source.count("named_arrive"), source.count("named_sync"), source.count("__syncthreads")) == (1, 1, 1)
