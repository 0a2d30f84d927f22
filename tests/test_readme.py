"""The README is true: its tables are those of the code, its commands run."""

from __future__ import annotations

import re
import runpy

import pytest

from tests.environments import ROOT, Python

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_generated_tables_are_current() -> None:
    filled = runpy.run_path(str(ROOT / "tools" / "update_readme.py"))["filled"]
    assert filled(README) == README, "run python tools/update_readme.py"


def test_the_marked_commands_are_there_for_ci() -> None:
    for mark in ("install", "test"):
        assert re.search(rf"<!-- {mark} command -->\n```sh\n\S[^\n]*\n```\n", README)


def test_every_link_to_a_file_has_its_file() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert links
    assert not [link for link in links if not (ROOT / link).exists()]


@pytest.mark.parametrize("verb", sorted(set(re.findall(r"python -m cuda_shim (\w+)", README))))
def test_every_verb_that_it_names_exists(any_shim_python: Python, verb: str) -> None:
    assert any_shim_python.run("-m", "cuda_shim", verb, "--help")
