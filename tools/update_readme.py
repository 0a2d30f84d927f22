"""Fill the generated part of the README, the coverage of the tables.

Run it after a change to those; a test fails while the README differs.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from settings_table.documents import fill  # noqa: E402 - it imports the checkout's own package

from cuda_shim.cli.tables import coverage_table  # noqa: E402


def filled(text: str) -> str:
    """The README with its table as it should be."""
    return fill(text, {"coverage": coverage_table()})


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(filled(readme.read_text(encoding="utf-8")), encoding="utf-8")
