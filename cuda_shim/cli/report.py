"""``python -m cuda_shim report FILE …``: what ``run`` recorded, printed, added up or shown as a page."""

from __future__ import annotations

import json
import sys
from pathlib import Path

__all__ = ["report"]

USAGE = """\
usage: python -m cuda_shim report [--json | --html=PAGE] FILE …

Print what `run --report=FILE`, `--profile=FILE` and `--trace=FILE` wrote as JSON. Several reports or profiles
are added up: of the ranks of an MPI program, for example, each of which writes its own with
--report=usage-%p.json.

  --json       one JSON document in the form of the files
  --html=PAGE  write a page for browsers: a timeline with zoom, and tables
"""


def report(words: list[str]) -> int:
    """Run the verb and return the exit status."""
    if words in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    paths = [word for word in words if not word.startswith("-")]
    options = [word for word in words if word.startswith("-")]
    pages = [word.removeprefix("--html=") for word in options if word.startswith("--html=")]
    unknown = [word for word in options if word != "--json" and not word.startswith("--html=")]
    error = ""
    if unknown:
        error = f"unknown option {unknown[0]}; there are --json and --html=PAGE"
    elif not paths:
        error = "name a file"
    elif len(options) > 1:
        error = "give one of --json and --html=PAGE"
    elif pages == [""]:
        error = "--html= needs the name of the page"
    if error:
        print(f"cuda_shim: report: {error}", file=sys.stderr)
        return 2
    from cuda_shim.usage.recordings import Recordings

    try:
        recordings = Recordings(map(Path, paths))
        if pages:
            recordings.write_page(pages[0])
    except OSError as failure:
        print(f"cuda_shim: report: {failure}", file=sys.stderr)
        return 2
    if "--json" in options:
        print(json.dumps(recordings.as_dict(), indent=2))
    elif not pages:
        recordings.print()
    return 0
