"""Records the output of the programs with cuda.core on an NVIDIA GPU, for the tests to compare with.

`python -m tests.c_level.record_core FILE` where cuda-core, cuda-bindings and NVIDIA's driver are; the file belongs into
tests/c_level/recorded_core.json. A program that fails is recorded with the end of its output.
"""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "recorded_core.json"
PROGRAMS = ("core_program", "core_pools")


def main(target: Path) -> None:
    """Run the programs and write the file."""
    found: dict[str, object] = {name: importlib.metadata.version(name) for name in ("cuda-core", "cuda-bindings")}
    for name in PROGRAMS:
        command = [sys.executable, "-W", "ignore", str(HERE / f"{name}.py")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        found[name] = done.stdout.splitlines()
        if done.returncode:
            found[f"{name} failed"] = done.stderr[-4000:]
            print(f"{name} failed:\n{done.stderr[-4000:]}", file=sys.stderr)
    target.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
