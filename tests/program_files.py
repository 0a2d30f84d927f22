"""Programs that tests compile or start, as files of the folder `programs` beside the test."""

from __future__ import annotations

from pathlib import Path

__all__ = ["read_program"]


def read_program(test_file: str, name: str) -> str:
    """Return the text of a program: `name` is a file of the folder `programs` beside `test_file`."""
    return Path(test_file).with_name("programs").joinpath(name).read_text(encoding="utf-8")
