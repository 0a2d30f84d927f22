"""docs/what-works.md is as the tables have it, and what was tried agrees with what `scan` says."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from cuda_shim.errors import TableError
from cuda_shim.mapping.package_reader import read_packages
from cuda_shim.mapping.text_tables import load_text
from cuda_shim.scan import packages
from tests.environments import ROOT

PROGRAMS = Path(__file__).with_name("programs")
TABLE = load_text("packages")


def tool() -> ModuleType:
    """tools/update_what_works.py, which is no module of a package."""
    spec = importlib.util.spec_from_file_location("update_what_works", ROOT / "tools" / "update_what_works.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_current() -> None:
    """Else run python tools/update_what_works.py."""
    writer = tool()
    text = writer.PAGE.read_text(encoding="utf-8")
    assert writer.filled(text) == text


def test_every_program_belongs_to_a_package() -> None:
    assert {row["program"] for row in TABLE["tried"].values()} == {path.stem for path in PROGRAMS.glob("*.py")}


@pytest.mark.parametrize("name", TABLE["tried"])
def test_scan_says_what_was_tried(name: str) -> None:
    """A package that works is served; one that ends at an obstacle before anything worked is a problem."""
    judged = packages.judge_module(name)
    assert judged is not None
    assert judged[0] == name
    answer, row = judged[1].on("cpu"), TABLE["tried"][name]
    if "obstacle" not in row:
        assert answer.code == "CS103"
    elif "works" not in row:
        assert answer.problem


def test_releases_are_named() -> None:
    for row in TABLE["tried"].values():
        assert "==" in row.get("alone", row["install"]).split()[0]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{install: a==1, program: p}", "give 'works', 'obstacle' or both"),
        ("{install: a==1, works: w}", "no 'program'"),
        ("{install: a==1, program: p, work: w}", "unknown field 'work'; did you mean 'works'"),
    ],
)
def test_what_the_reader_refuses(tmp_path: Path, row: str, message: str) -> None:
    path = tmp_path / "packages.yaml"
    path.write_text(f"headers: {{}}\nlibraries: {{}}\nmodules: {{}}\ntried:\n  some.package: {row}\n")
    with pytest.raises(TableError, match=message):
        read_packages(path)
