"""Barriers in PTX modules that only some threads of a block take part in."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda_shim.translate.ptx.errors import PtxError, UnsupportedPtx
from cuda_shim.translate.ptx.writer import translate
from tests.ptx.texts import HEAD, kernel

PROGRAM = Path(__file__).resolve().parent / "barriers_program.py"
FUNCTION = ".visible .func meet() { bar.sync 3, 64; ret; }"


def test_producers_and_consumers(any_shim_python):
    done = any_shim_python.run("-m", "cuda_shim", "run", "--backend", "cpu", PROGRAM)
    assert done.split() == ["piped", "counted", "overtaken", "aside"]


@pytest.mark.parametrize(
    ("number", "count", "reason"),
    [
        (15, 64, ""),
        (0, 64, ""),
        (16, 64, "a barrier has a number that is not below 16"),
        (1, 0, "a barrier counts threads by 32"),
        (1, 63, "a barrier counts threads by 32"),
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
    found = translate(kernel(body))
    assert found.hosts_only == []
    assert "named_" not in found.source


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


@pytest.mark.parametrize("body", ["bar.arrive 0, 64;", "bar.sync 1, 0;", "barrier.cluster.arrive;"])
def test_other_forms_are_refused_by_name(body):
    with pytest.raises(UnsupportedPtx) as caught:
        translate(kernel(body))
    assert f"'{body.partition(' ')[0].rstrip(';')}'" in caught.value.reason


def test_kernels_begin_with_the_barriers_that_they_may_come_to():
    text = f"{HEAD}.func meet() {{ bar.sync 3, 64; ret; }}\n.func other() {{ ret; }}\n" + "".join(
        f".visible .entry {name}() {{ {body} ret; }}\n" for name, body in (("calls", "call meet;"), ("alone", ""))
    )
    found = translate(text).source
    assert found.partition("void calls()")[2].partition("}")[0].count("named_begin") == 1
    assert "named_begin" not in found.partition("void alone()")[2]


def test_a_function_that_is_linked_has_no_barriers_of_its_own():
    assert translate(HEAD + FUNCTION).source.count("named_sync") == 1
    with pytest.raises(UnsupportedPtx, match=r"'bar\.sync' with a number or a count, in a function that is linked"):
        translate(HEAD + FUNCTION, functions={})
