"""The end of generators whose files are texts by their path: files are written, or with ``--check`` only compared."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run(name: str, description: str | None, generate: Callable[[], dict[str, str]]) -> int:
    """Read the command line of the script `tools/<name>.py` and do what it asks for; return the exit status.

    Args:
        name: the script's name.
        description: the text of its ``--help``.
        generate: gives the text that each file is to have, by its path below the repository.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail when the files are not up to date")
    options = parser.parse_args()
    files = generate()
    stale = [path for path, text in files.items() if not _has(ROOT / path, text)]
    if not options.check:
        for path in stale:
            (ROOT / path).write_text(files[path], encoding="utf-8")
    elif stale:
        print(f"{name}: out of date:", ", ".join(stale), f"- run tools/{name}.py", file=sys.stderr)
        return 1
    return 0


def _has(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text
