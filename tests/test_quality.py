"""What the project asks of its own code: types everywhere, no remark of the linter, one layout."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.environments import ROOT


@pytest.mark.parametrize("words", [["mypy"], ["ruff", "check", "."], ["ruff", "format", "--check", "."]], ids=" ".join)
def test_has_nothing_to_say(words: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
