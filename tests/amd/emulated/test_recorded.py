"""Recorded results of the emulator: all of the sample for three GPUs, and a reason for each that is not right.

The emulator is not needed here. A translation that has changed since it was recorded makes the last test skip, with the
number of such cases: `record.py` is to be run again.
"""

from __future__ import annotations

import fnmatch
import json

import numpy as np
import pytest

from cuda_shim.translate.source import Program
from tests.amd.emulated import worker
from tests.amd.emulated.explained import EXPLAINED
from tests.amd.emulated.record import RECORDED, SAMPLE
from tests.amd.emulated.toolchain import TARGETS, digest
from tests.kernels.corpus import cases

RECORD = json.loads(RECORDED.read_text(encoding="utf-8"))
OUTCOMES = {
    (kind, target, name): outcome
    for kind in SAMPLE
    for target, found in RECORD[kind].items()
    for name, outcome in found.items()
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", SAMPLE)
def test_every_case_of_the_sample_is_recorded(kind, target):
    known = cases() if kind == "source" else worker.ptx_kernels()
    sample = {name for pattern in SAMPLE[kind] for name in fnmatch.filter(known, pattern)}
    assert sample - set(RECORD[kind][target]) == set()
    assert len(sample) > 20


def test_versions_are_recorded():
    assert set(RECORD["versions"]) == {"emulator", "clang", "hiprtc_runtime.h", "ocml.bc", "ockl.bc"}


def test_what_is_not_right_is_explained():
    explained = {(each.kind, target, each.case): each.result for each in EXPLAINED for target in each.targets}
    different = {place: outcome["result"] for place, outcome in OUTCOMES.items() if outcome["result"] != "right"}
    assert different == explained


@pytest.mark.parametrize("name", ["warp.shuffles", "reduction.tree_in_shared", "integer.bits"])
def test_a_wrong_result_is_not_right(name):
    case = cases()[name]
    run = case.run()
    untouched = [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in run.args]
    assert worker.judged(case, "source", run, untouched, {})["result"] == "wrong"
    expected = [run.expected.get(place, argument) for place, argument in enumerate(untouched)]
    assert worker.judged(case, "source", run, expected, {}) == {"result": "right", "detail": ""}
    place, right = next(iter(run.expected.items()))
    changed = right.copy()
    changed.reshape(-1)[-1] += 1
    expected[place] = changed
    assert worker.judged(case, "source", run, expected, {})["result"] == "wrong"


def test_a_translation_is_its_source_and_the_headers_that_it_includes():
    def program(source: bytes, **headers: bytes) -> Program:
        return Program(source, [(name.encode(), text) for name, text in headers.items()])

    source = b"#include <a>\nint x;  // a comment\n"
    first = digest(program(source, a=b'#include "b"\n', b=b"int y;", c=b"int z;"))
    assert digest(program(b"#include <a>\nint x;", a=b'#include   "b"', b=b"int\ny;", c=b"long z;")) == first
    assert digest(program(source, a=b'#include "b"\n', b=b"long y;", c=b"int z;")) != first
    assert digest(program(source, a=b"#include MACRO\n", b=b"int y;", c=b"int z;")) != digest(
        program(source, a=b"#include MACRO\n", b=b"int y;", c=b"long z;")
    )


@pytest.mark.parametrize("kind", SAMPLE)
def test_the_recorded_translations_are_those_of_now(kind):
    digests: dict[tuple[object, ...], str] = {}
    old = []
    for (of_kind, target, name), outcome in OUTCOMES.items():
        if of_kind != kind or "translation" not in outcome:
            continue
        case = cases()[name]
        module = case.file if kind == "source" else worker.ptx_kernels()[name][0]
        key = (target, module, case.options)
        if key not in digests:
            digests[key] = digest(worker.translated(case, kind, target)[0])
        if digests[key] != outcome["translation"]:
            old.append(f"{target} {name}")
    if old:
        pytest.skip(f"{len(old)} recorded translations are not those of now: run record.py ({', '.join(old[:3])}, …)")
