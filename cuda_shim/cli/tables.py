"""`tables check`: hold the tables against the packages that they speak of; `tables coverage`: count them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from cuda_shim.errors import SettingError
from cuda_shim.mapping import check, probe_packages
from cuda_shim.mapping.text_tables import TEXT_TABLES, load_text

__all__ = ["coverage_table", "tables"]

USAGE = """\
usage: python -m cuda_shim tables (check [PYTHON …] | coverage)

  check     read every table, and compare every row with the cuda-bindings and hip-python of each PYTHON (default:
            this one); exit 1 where a name has no row, a row no name, or a HIP target does not exist, 2 where a
            table breaks a rule of its own
  coverage  print how many functions are mapped, adapted, provided and unsupported
"""


def tables(words: list[str]) -> int:
    """Run the verb; the exit status is 1 where a difference was found, 2 for wrong usage. Raises ShimError."""
    if {"-h", "--help"} & set(words):
        sys.stdout.write(USAGE)
        return 0
    if words[:1] == ["check"]:
        return _check(words[1:] or [sys.executable])
    if words == ["coverage"]:
        print(coverage_table())
        return 0
    sys.stderr.write(USAGE)
    return 2


def _check(pythons: list[str]) -> int:
    for name in TEXT_TABLES:
        load_text(name)  # raises TableError for a row that its reader does not understand
    differences: list[str] = []
    compared = []
    for python in pythons:
        packages = _probe(python)
        if packages["bindings"] is not None:
            compared.append(f"cuda-bindings {packages['bindings']['version']}")
            differences += check.against_bindings(packages["bindings"])
        else:
            absent = f"cuda-bindings is not installed in {python}: names, numbers and signatures were not compared"
            print(f"{absent} (pip install cuda-bindings)")
        if packages["hip_python"] is not None:
            compared.append(f"hip-python {packages['hip_python']['generation']}")
            differences += check.against_hip_python(packages["hip_python"])
        else:
            print(f"hip-python is not installed in {python}: HIP targets were not compared (pip install hip-python)")
    if not compared:
        print("cuda_shim: neither cuda-bindings nor hip-python is installed there: nothing to compare", file=sys.stderr)
        return 2
    for line in differences:
        print(line)
    print(coverage_table())
    print(f"\n{len(differences)} differences from {', '.join(compared)}")
    return 1 if differences else 0


def _probe(python: str) -> dict[str, dict[str, object] | None]:
    # Isolated and without site hooks of ours: NVIDIA's modules must be seen, not the served ones.
    command = [python, "-I", str(Path(probe_packages.__file__))]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin"})
    except OSError as error:
        raise SettingError(f"{python} cannot be started as Python: {error.strerror}") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise SettingError(f"{python} did not list its packages: {last}")
    answer: dict[str, dict[str, object] | None] = json.loads(done.stdout)
    return answer


def coverage_table() -> str:
    """Return the numbers of functions by module, layout and support, as a Markdown table."""
    lines = ["| module | CUDA | functions | " + " | ".join(check.SUPPORT) + " |", "| --- | --- |" + " ---: |" * 5]
    for (module, layout), counts in check.coverage().items():
        cells = " | ".join(str(counts[kind]) for kind in check.SUPPORT)
        lines.append(f"| {module} | {layout} | {counts.total()} | {cells} |")
    return "\n".join(lines)
