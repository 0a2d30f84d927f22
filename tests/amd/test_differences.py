"""The differences between AMD and CUDA: the page for AMD users and the list of tests that show them agree."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import NamedTuple

import pytest
import yaml

from tests.environments import ROOT

VERDICTS = ("as CUDA", "mended", "refused", "differs")
#: Some differences are AMD's hardware or manners, which no test here can show.
SHOWN_BY_THE_PAGE = "documented"
_ROW = re.compile(r"^\| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


class Difference(NamedTuple):
    """One row: its number, the difference, the verdict, and the tests that show it."""

    number: int
    difference: str
    verdict: str
    tests: list[str]


def differences() -> list[Difference]:
    """The rows, in order; without tests where only the page has it."""
    rows = yaml.safe_load((ROOT / "tests/amd/differences.yaml").read_text(encoding="utf-8"))
    return [Difference(**{**row, "tests": [] if row["tests"] == SHOWN_BY_THE_PAGE else row["tests"]}) for row in rows]


@cache
def functions_of(file: str) -> frozenset[str]:
    """The names of a file's functions."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def test_the_page_has_the_same_rows() -> None:
    page = (ROOT / "docs/amd.md").read_text(encoding="utf-8")
    table = page.partition("<!-- differences -->")[2].partition("<!-- /differences -->")[0]
    said = [(int(number), difference, verdict) for number, difference, verdict, _ in _ROW.findall(table)]
    assert said == [row[:3] for row in differences()]
    assert [row.number for row in differences()] == list(range(1, 42))
    assert {row.verdict for row in differences()} == set(VERDICTS)


@pytest.mark.parametrize("row", [row for row in differences() if row.tests], ids=lambda row: str(row.number))
def test_the_tests_that_show_it_exist(row: Difference) -> None:
    for test in row.tests:
        file, _, function = test.partition("::")
        assert function.startswith("test_"), test
        assert function in functions_of(file), test
