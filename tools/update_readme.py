"""Fill the generated parts of the README: the settings and the coverage of the tables.

Run it after a change to either; a test fails while the README says something else.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from cuda_shim.cli.tables import coverage_table  # noqa: E402 - the checkout's own package
from cuda_shim.settings import SETTINGS  # noqa: E402


def settings_table() -> str:
    """Every setting with its variable, allowed values, default and meaning."""
    lines = ["| variable | values | default | meaning |", "| --- | --- | --- | --- |"]
    for item in SETTINGS:
        default = f"`{item.default}`" if item.default else "unset"
        lines.append(f"| `{item.variable}` | {item.allowed} | {default} | {item.description} |")
    return "\n".join(lines)


def filled(text: str) -> str:
    """The README with its generated parts as they should be."""
    for mark, table in (("settings", settings_table()), ("coverage", coverage_table())):
        pattern = re.compile(rf"(?<=<!-- {mark} -->\n)(\|[^\n]*\n)*")
        pieces = pattern.split(text, maxsplit=1)
        text = f"{pieces[0]}{table}\n{pieces[-1]}"
    return text


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(filled(readme.read_text(encoding="utf-8")), encoding="utf-8")
