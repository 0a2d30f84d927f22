"""Record CUDA Python's answers to every program, on a machine with an NVIDIA GPU and cuda-bindings 13.x.

    python3 tests/conformance/record.py tests/conformance/recorded.json
    python3 tests/conformance/record.py tests/conformance/recorded.json graph_conditions  # this one alone

The file holds each program's lines and exit status, and the GPU, driver, cuda-bindings and Python they come from; a
program that was recorded elsewhere has its own, and programs that are not named keep their lines.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).resolve().parent / "programs"
HANG = 120


def main() -> None:
    """Run all programs or the named ones, and write their output to the given path."""
    path, names = Path(sys.argv[1]), sys.argv[2:]
    programs = [PROGRAMS / f"{name}.py" for name in names] or sorted(PROGRAMS.glob("[!_]*.py"))
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        recorded: dict[str, Any] = dict(pool.map(record, programs))
    here = machine()
    before: dict[str, Any] = (
        json.loads(path.read_text(encoding="utf-8")) if names else {"recorded_with": here, "programs": {}}
    )
    if before["recorded_with"] != here:
        for run in recorded.values():
            run["recorded_with"] = here
    whole = {**before, "programs": dict(sorted({**before["programs"], **recorded}.items()))}
    path.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    for name, run in recorded.items():
        if run["status"]:
            print(f"{name} ended with status {run['status']} after {len(run['lines'])} lines")


def record(program: Path) -> tuple[str, dict[str, object]]:
    """Return a program's name, and its printed lines and exit status."""
    try:
        done = subprocess.run(
            [sys.executable, "-B", str(program)], capture_output=True, encoding="utf-8", timeout=HANG, check=False
        )
    except subprocess.TimeoutExpired as error:
        said = error.stdout.decode() if isinstance(error.stdout, bytes) else error.stdout or ""
        print(f"{program.stem} hangs")
        return program.stem, {"status": "hangs", "lines": said.splitlines()}
    if done.returncode:
        print(f"--- {program.stem}\n{done.stderr[-1500:]}")
    return program.stem, {"status": done.returncode, "lines": done.stdout.splitlines()}


def machine() -> dict[str, str]:
    """Return the versions of hardware and software that the answers depend on."""
    asked = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    said = subprocess.run(asked, capture_output=True, encoding="utf-8", check=True).stdout.splitlines()[0]
    gpu, driver = (part.strip() for part in said.split(","))
    return {
        "gpu": gpu,
        "driver": driver,
        "cuda-bindings": importlib.metadata.version("cuda-bindings"),
        "python": platform.python_version(),
    }


if __name__ == "__main__":
    main()
