"""The emitted C++ of the smallest program for each transformation, compared whole with its golden file."""

from __future__ import annotations

import pytest

from tests.ptx.golden_files import FOLDER, emitted, names


@pytest.mark.parametrize("name", names())
def test_the_emitted_text_is_the_golden_one(name):
    """After a change that is meant, run python -m tests.ptx.golden_files and review the differences."""
    assert emitted(name) == (FOLDER / f"{name}.cpp").read_text(encoding="utf-8")


def test_each_program_begins_with_a_comment_and_has_its_text():
    assert len(names()) >= 10
    assert sorted(path.stem for path in FOLDER.glob("*.cpp")) == names()
    assert all((FOLDER / f"{name}.ptx").read_text(encoding="utf-8").startswith("// ") for name in names())
