"""A recording writes and removes only folders and files that it made."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cuda_shim.atomic_write import atomic_write
from tests.environments import Python

PROGRAM = """
import os, sys
name = os.environ["NAMED"]
os.environ["_CUDA_SHIM_REPORT"] = f"{os.getpid()}:{name}"
os.environ["CUDA_SHIM_REPORT"] = sys.argv[1]
import cuda_shim
cuda_shim.enable(backend="cpu", quiet=True)
from cuda.bindings import driver
driver.cuInit(0)
"""


@pytest.mark.parametrize("kind", ["another name", "the name", "a link", "relative", "in it"])
def test_a_folder_that_the_environment_names(any_shim_python: Python, tmp_path: Path, kind: str) -> None:
    """It is taken only where it was made for a report, even if the environment names it."""
    mine = tmp_path / ("mine" if kind == "another name" else "cuda_shim-report-0123456789abcdef")
    mine.mkdir(mode=0o700 if kind in ("in it", "a link") else 0o755)
    (mine / "thesis.txt").write_text("years of work")
    folder = str(mine)
    if kind == "a link":
        folder = str(tmp_path / "cuda_shim-report-fedcba9876543210")
        os.symlink(mine, folder)
    if kind == "relative":
        folder = mine.name
    (tmp_path / "program.py").write_text(PROGRAM)
    report = tmp_path / "usage.json"
    any_shim_python.run(tmp_path / "program.py", report, NAMED=folder, TMPDIR=str(tmp_path), cwd=tmp_path)
    assert json.loads(report.read_text())["calls"]["cuInit"]["count"] == 1
    (thesis,) = tmp_path.rglob("thesis.txt")
    assert thesis.read_text() == "years of work"


def test_a_draft_is_never_a_file_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link under the draft's name, were it known, would have led the text elsewhere."""
    monkeypatch.setattr(os, "urandom", bytes)
    target, report = tmp_path / "target", tmp_path / "out.json"
    target.write_text("mine")
    atomic_write(str(report), "first")
    draft = f"{report}.{os.getpid()}-{bytes(8).hex()}"
    os.symlink(target, draft)
    with pytest.raises(FileExistsError):
        atomic_write(str(report), "second")
    assert (target.read_text(), report.read_text(), os.path.islink(draft)) == ("mine", "first", True)


def test_drafts_have_names_that_cannot_be_foreseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drafts = []
    monkeypatch.setattr(os, "replace", lambda draft, path: drafts.append(draft))
    for _ in range(2):
        atomic_write(str(tmp_path / "out.json"), "text")
    assert len(set(drafts)) == 2
