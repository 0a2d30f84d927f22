"""Fill the generated part of docs/coverage.md, the counts of the tables.

Run it after a change to those; a test fails while the page differs.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from settings_table.documents import fill  # noqa: E402 - it imports the checkout's own package

from cuda_shim.cli.tables import coverage_table  # noqa: E402

PAGE = ROOT / "docs/coverage.md"


def filled(text: str) -> str:
    """The page with its table as it should be."""
    return fill(text, {"coverage": coverage_table()})


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
