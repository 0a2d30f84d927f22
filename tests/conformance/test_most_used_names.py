"""The names that programs use most are each exercised, in a program whose answers an NVIDIA GPU gave.

`most_used_names.csv` counts, of 62 public repositories that use CUDA Python, those that use a name; it holds the 150
first. `cuda_shim scan` lists the names that a program of `programs/` uses.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest

from cuda_shim.mapping import store
from cuda_shim.mapping.rows import FunctionRow
from cuda_shim.scan import scan

HERE = Path(__file__).parent
LAYOUT = "13.5"  # the version of the recording


def most_used() -> list[tuple[str, str]]:
    with (HERE / "most_used_names.csv").open(encoding="utf-8", newline="") as opened:
        return [(row["module"], row["name"]) for row in csv.DictReader(opened)]


NAMES = most_used()


@cache
def exercised() -> set[str]:
    """The full names that the programs use; a constant counts for its enum."""
    found = scan([str(HERE / "programs")], LAYOUT).findings
    return {".".join(finding.name.split(".")[:4]) for finding in found}


def test_there_are_150():
    assert len(set(NAMES)) == 150


@pytest.mark.parametrize("module, name", NAMES)
def test_is_exercised(module: str, name: str):
    assert f"cuda.bindings.{module}.{name}" in exercised()


@pytest.mark.parametrize("module, name", NAMES)
def test_is_served(module: str, name: str):
    row = store.load(module).row(name, LAYOUT)
    assert row is not None
    assert not isinstance(row, FunctionRow) or row.unsupported is None
