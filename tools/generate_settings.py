"""Generate the rows of settings for Python, C++ and the documentation from tables/settings.yaml.

Written are::

    cuda_shim/setting_rows.py                                  the rows, and the types of their values
    hip_on_host/src/common/setting_rows.h       the rows and values that the C++ runtime reads
    docs/settings.md                                           its tables

Usage::

    python tools/generate_settings.py [--check]

``--check`` writes nothing and fails when a file is not as it would be written.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import generated_files  # noqa: E402
from settings_table.cpp_rows import write_cpp  # noqa: E402 - it imports the checkout's own package
from settings_table.documents import fill, full_table, section_table  # noqa: E402
from settings_table.python_rows import write_python  # noqa: E402
from settings_table.reader import read_table  # noqa: E402

PYTHON = "cuda_shim/setting_rows.py"
CPP = "hip_on_host/src/common/setting_rows.h"


def generate() -> dict[str, str]:
    """The text that each file is to have, by its path below the repository."""
    rows = read_table(ROOT / "tables/settings.yaml")
    settings = [row.setting for row in rows]
    tables = {
        "docs/settings.md": {
            "settings": full_table(rows),
            **{f"settings of {name}": section_table(rows, name) for name in ("serving", "cpu")},
        },
    }
    documents = {path: fill((ROOT / path).read_text(encoding="utf-8"), parts) for path, parts in tables.items()}
    return {PYTHON: write_python(settings), CPP: write_cpp(settings), **documents}


if __name__ == "__main__":
    sys.exit(generated_files.run("generate_settings", __doc__, generate))
