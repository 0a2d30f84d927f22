"""Generate the C++ view of HIP's ABI from an installed hip-python.

hip-python is the only client that the CPU-hosted runtime has to agree with, so it is also the only source: its ``.pxd``
declares the enums, structs and functions, and its compiled module has their values and layouts by AMD's own headers
(enum values, struct sizes, field offsets). `hip_abi.headers` lists the files written.

Usage::

    python tools/generate_hip_abi.py [--also PYTHON] [--check]

Run it with the Python that has hip-python 10.0; ``--also`` names the Python of another generation (7.2.2),
whose values and layouts must agree wherever both know a name. ``--check`` writes nothing and fails when the
files differ from those that would be written.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from hip_abi.declarations import parse_pxd
from hip_abi.headers import BANNER, generate
from hip_abi.measurements import compare_generations, import_hip, low_level_files, measure

ABI_FOLDER = Path(__file__).resolve().parent.parent / "hip_on_host/src/abi"


def generated_files(measured: dict[str, Any]) -> dict[str, str]:
    """The text of every generated file, by its path below the ABI's folder."""
    pxd, _ = low_level_files(import_hip())
    return generate(parse_pxd(pxd.read_text()), measured)


def stale_files(files: dict[str, str]) -> list[str]:
    """Generated files that are missing, differ from the given ones, or are not among them any more."""
    old = [path for path in ABI_FOLDER.rglob("*") if path.is_file() and path.read_text().startswith(BANNER)]
    found = {path.relative_to(ABI_FOLDER).as_posix(): path.read_text() for path in old}
    return sorted(name for name in found.keys() | files.keys() if found.get(name) != files.get(name))


def write(files: dict[str, str], stale: list[str]) -> None:
    for name in stale:
        path = ABI_FOLDER / name
        if name in files:
            path.parent.mkdir(exist_ok=True)
            path.write_text(files[name])
        else:
            path.unlink()


def facts_of(python: str) -> dict[str, Any]:
    """The facts that the hip-python of another interpreter knows."""
    command = [python, str(Path(__file__).resolve()), "--dump"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def compare_with(python: str, measured: dict[str, Any]) -> None:
    """Fail if the hip-python of another interpreter disagrees; print the symbols that only it asks for."""
    other = facts_of(python)
    compare_generations(measured, other)
    gone = sorted(set(other["symbols"].values()) - set(measured["symbols"].values()))
    if gone:
        print("generate_hip_abi: only the other generation asks for:", ", ".join(gone), file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--also", metavar="PYTHON", help="the Python of another hip-python generation to agree with")
    parser.add_argument("--check", action="store_true", help="fail when the files are not up to date")
    parser.add_argument("--dump", action="store_true", help="print the names of the installed hip-python as JSON")
    options = parser.parse_args()
    measured = measure()
    if options.dump:
        json.dump(measured, sys.stdout)
        return 0
    if options.also:
        compare_with(options.also, measured)
    files = generated_files(measured)
    stale = stale_files(files)
    if not options.check:
        write(files, stale)
    elif stale:
        print("generate_hip_abi: out of date:", ", ".join(stale), "- run tools/generate_hip_abi.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
