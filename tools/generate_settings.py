"""Generate the rows of settings for Python, C++ and the documentation from tables/settings.yaml.

Written are::

    cuda_shim/setting_rows.py                                  the rows, and the types of their values
    hip_on_host/src/common/setting_rows.h       the rows and values that the C++ runtime reads
    README.md, docs/settings.md                                their tables

Usage::

    python tools/generate_settings.py [--check]

``--check`` writes nothing and fails when a file is not as it would be written.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from settings_table.cpp_rows import write_cpp  # noqa: E402 - it imports the checkout's own package
from settings_table.documents import fill, readme_table, section_table  # noqa: E402
from settings_table.python_rows import write_python  # noqa: E402
from settings_table.reader import read_table  # noqa: E402

PYTHON = "cuda_shim/setting_rows.py"
CPP = "hip_on_host/src/common/setting_rows.h"


def generated_files() -> dict[str, str]:
    """The text that each file is to have, by its path below the repository."""
    rows = read_table(ROOT / "tables/settings.yaml")
    settings = [row.setting for row in rows]
    tables = {
        "README.md": {"settings": readme_table(rows)},
        "docs/settings.md": {f"settings of {name}": section_table(rows, name) for name in ("serving", "cpu")},
    }
    documents = {path: fill((ROOT / path).read_text(encoding="utf-8"), parts) for path, parts in tables.items()}
    return {PYTHON: write_python(settings), CPP: write_cpp(settings), **documents}


def stale_files(files: dict[str, str]) -> list[str]:
    """The generated files that are missing or differ from the given texts."""
    return [name for name, text in files.items() if not _has(ROOT / name, text)]


def _has(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail when the files are not up to date")
    options = parser.parse_args()
    files = generated_files()
    stale = stale_files(files)
    if not options.check:
        for name in stale:
            (ROOT / name).write_text(files[name], encoding="utf-8")
    elif stale:
        print("generate_settings: out of date:", ", ".join(stale), "- run tools/generate_settings.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
