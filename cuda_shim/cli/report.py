"""``python -m cuda_shim report FILE …``: usage reports that ``run --report=FILE`` wrote, printed or added up."""

from __future__ import annotations

import json
import sys
from pathlib import Path

__all__ = ["report"]

USAGE = """\
usage: python -m cuda_shim report [--json] FILE …

Print the usage report in a file, or the sum of several: of the ranks of an MPI program, for example, each of
which writes its own with --report=usage-%p.json.

  --json  one JSON document in the form of the files
"""


def report(words: list[str]) -> int:
    """Run the verb and return the exit status."""
    if words in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    paths = [word for word in words if word != "--json"]
    unknown = [word for word in paths if word.startswith("-")]
    if unknown or not paths:
        problem = f"unknown option {unknown[0]}; the only one is --json" if unknown else "name a file"
        print(f"cuda_shim: report: {problem}", file=sys.stderr)
        return 2
    from cuda_shim.usage.usage_report import Report

    try:
        total = Report.merged(Report.read(Path(path)) for path in paths)
    except OSError as error:
        print(f"cuda_shim: report: {error}", file=sys.stderr)
        return 2
    if "--json" in words:
        print(json.dumps(total.as_dict(), indent=2))
    else:
        total.print()
    return 0
