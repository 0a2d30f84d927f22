"""Build the site of the documentation, and follow every link and anchor of the built pages.

Usage::

    python tools/build_docs.py [--out site]

MkDocs comes with ``pip install --group docs``. With REPOSITORY_URL in the environment, links to sources lead to the
repository.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from docs_site.built import check_site  # noqa: E402 - tools/ is no package


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "site", help="the folder of the site, emptied before")
    folder = parser.parse_args().out.resolve()
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--clean"]
    done = subprocess.run([*command, "--config-file", str(ROOT / "mkdocs.yml"), "--site-dir", str(folder)], check=False)
    if done.returncode:
        return done.returncode
    report = check_site(folder)
    print("\n".join([*report.problems, f"{folder}: {report.links} links, {len(report.problems)} lead nowhere"]))
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
