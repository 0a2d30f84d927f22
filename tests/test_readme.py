"""The README is true: its commands run, its links lead somewhere, and the counts it points to are those of the tables."""

from __future__ import annotations

import re
import runpy
import subprocess
from pathlib import Path

import pytest

from tests.environments import ROOT, Python
from tests.interpreters import clean_environment

#: Seconds in which pip fetches a compiler, on a slow line too.
INSTALL = 600
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_generated_tables_are_current() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "update_coverage.py"))
    page = tool["PAGE"].read_text(encoding="utf-8")
    assert tool["filled"](page) == page, "run python tools/update_coverage.py"


def test_the_marked_commands_are_there_for_ci() -> None:
    for mark in ("install", "test"):
        assert re.search(rf"<!-- {mark} command -->\n```sh\n\S[^\n]*\n```\n", README)


def test_the_install_command_does_all_that_it_says(tmp_path: Path) -> None:
    """In a clean copy, with nothing that the tests' own environments have."""
    runpy.run_path(str(ROOT / "tools" / "release_wheels.py"))["copy_checkout"](tmp_path)
    command = re.search(r"<!-- install command -->\n```sh\n(.+)\n```\n", README)
    assert command
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command[1]],
        cwd=tmp_path, env=clean_environment(), capture_output=True, encoding="utf-8", timeout=INSTALL, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "verified" in done.stdout.splitlines()[-1]


def test_every_link_to_a_file_has_its_file() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert links
    assert not [link for link in links if not (ROOT / link).exists()]


@pytest.mark.parametrize("verb", sorted(set(re.findall(r"python -m cuda_shim (\w+)", README))))
def test_every_verb_that_it_names_exists(any_shim_python: Python, verb: str) -> None:
    assert any_shim_python.run("-m", "cuda_shim", verb, "--help")
