"""Rules for the project's own code: types everywhere, no remark of the linter, one layout."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.environments import ROOT


@pytest.mark.parametrize("words", [["mypy"], ["ruff", "check", "."], ["ruff", "format", "--check", "."]], ids=" ".join)
def test_has_nothing_to_say(words: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_pytest_finds_every_test() -> None:
    """A function that is called as tests are, in a file that is not, never runs."""
    files = [path for folder in ("tests", "tools", "examples") for path in (ROOT / folder).rglob("*.py")]
    assert len(files) > 400
    run = (ROOT / "tests", ROOT / "examples" / "library")  # the latter by tests/test_examples.py
    missed = [
        path
        for path in files
        if _has_tests(path) and not (path.match("test_*.py") and any(path.is_relative_to(folder) for folder in run))
    ]
    assert missed == []


def _has_tests(path: Path) -> bool:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return any(isinstance(node, ast.FunctionDef) and node.name.startswith("test_") for node in body)
