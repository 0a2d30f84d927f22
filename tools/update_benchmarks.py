"""Write the figures of a run of the benchmarks into the tables of docs/benchmarks.md and README.md.

    python tests/benchmarks --folder ENVIRONMENTS --json run.json && python tools/update_benchmarks.py run.json
    python tests/benchmarks/core_scaling.py --json cores.json && python tools/update_benchmarks.py --cores cores.json

A table whose benchmark is not in the run stays as it is, and so do the sentences: those that name figures are to be
read again. `--print` prints the tables instead.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from settings_table.documents import fill  # noqa: E402 - it imports the checkout's own package

from tests.benchmarks import core_scaling, documents, lines  # noqa: E402

PAGE, README = ROOT / "docs" / "benchmarks.md", ROOT / "README.md"
PICTURE = ROOT / "docs" / "pictures" / "cores.svg"


def main() -> None:
    """Fill the tables of a run's benchmarks, or print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, nargs="?", metavar="RUN", help="the file of tests/benchmarks --json")
    parser.add_argument("--cores", type=Path, metavar="FILE", help="the file of core_scaling.py --json")
    parser.add_argument("--print", action="store_true", dest="printed", help="leave the documents as they are")
    given = parser.parse_args()
    run = lines.read(given.run) if given.run else []
    page, readme = documents.page_tables(run), documents.readme_tables(run)
    if given.cores:
        figures = core_scaling.read(given.cores)
        page.update(core_scaling.tables(figures))
        if not given.printed:
            PICTURE.write_text(core_scaling.picture(figures), encoding="utf-8")
    if given.printed:
        for mark, table in {**page, **readme}.items():
            print(f"<!-- {mark} -->\n{table}\n")
        return
    for document, tables in ((PAGE, page), (README, readme)):
        document.write_text(fill(document.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    main()
