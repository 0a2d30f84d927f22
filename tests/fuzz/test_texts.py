"""Texts and files of strangers, for some seconds; for as long as wanted: `python -m tests.fuzz.texts --help`."""

from __future__ import annotations

import itertools
import random
import time

import pytest

from tests.fuzz import texts
from tests.fuzz.texts import TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_readers_return_or_refuse(name: str) -> None:
    target = TARGETS[name]
    inputs = itertools.chain(texts.repeated(target, 1500), texts.changed(target, 1, 60))
    findings = [finding for text in inputs if (finding := texts.run(name, text))]
    assert not findings, str(findings[0])


@pytest.mark.long
@pytest.mark.parametrize("name", TARGETS)
def test_readers_take_time_that_grows_with_the_size(name: str) -> None:
    target, seed = TARGETS[name], random.SystemRandom().randrange(1 << 40)
    inputs = itertools.chain(texts.repeated(target, 40_000), texts.changed(target, seed, 20_000))
    findings = [finding for text in inputs if (finding := texts.run(name, text, 15.0))]
    assert not findings, (seed, str(findings[0]))


@pytest.mark.parametrize("blanks", [" " * 30, "/**/" * 25, " /* */\n" * 40])
def test_an_unknown_character_behind_many_blanks(blanks: str) -> None:
    assert texts.run("PTX", b".version 7.0\n.target sm_80\n.visible .entry k() {%s\\;" % blanks.encode(), 1.0) is None


def test_aliases_that_double() -> None:
    lines = [
        b"typedef int a0;",
        *(b"using a%d = a%d a%d;" % (number, number - 1, number - 1) for number in range(1, 60)),
    ]
    assert texts.run("CUDA C++", b"\n".join(lines), 1.0) is None


def test_a_reader_that_hangs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(_content: bytes) -> None:
        while time.process_time() >= 0:
            pass

    monkeypatch.setitem(TARGETS, "PTX", TARGETS["PTX"]._replace(read=hang))
    finding = texts.run("PTX", b"text", 0.05)
    assert finding is not None
    assert "takes more than 0.05 s" in finding.problem
