"""SAXPY on 16 million floats, phase by phase: written for CUDA Python, and the same program written on hip-python.

    python tests/benchmarks/saxpy_phases.py [--rounds 10] [FOLDER]

It is the program of CUDA Python's overview (`examples/saxpy.py`), whose table compares kernel and application. Both run
in processes of their own on the CPU runtime, turn by turn; the fastest counts, in each process of several repetitions
where a phase can be repeated. A ratio below 1 is the overhead of cuda_shim. With FOLDER, which keeps an environment,
the package is installed as users have it; without, it runs from the checkout, whose tables are read from YAML at first
use.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.lines import Line, show  # noqa: E402 - the checkout's own
from tests.benchmarks.peers import Peers, as_users_start  # noqa: E402

ROUNDS, FRESH = 10, 3
UNIT, OTHER = "milliseconds", "hip-python"
BLOCKS = 32768
PROGRAM = ROOT / "tests" / "benchmarks" / "saxpy_programs.py"

Phases = dict[str, float]


def run(which: str, python: str, blocks: int, salt: str, libraries: str) -> Phases:
    """One process: its phases, and the whole of it as `application`."""
    on = ["-m", "cuda_shim", "run", "--backend", "cpu"] if which == "cuda" else []
    start = time.perf_counter()
    done = subprocess.run(
        [python, *on, str(PROGRAM), which, str(blocks), salt],
        cwd=ROOT if python == sys.executable else "/", env=as_users_start(ROCM_PATH=libraries),
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    spent = 1e3 * (time.perf_counter() - start)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return {**json.loads(done.stdout), "application": spent}


def measure(python: str, rounds: int = ROUNDS, blocks: int = BLOCKS) -> Iterator[Line]:
    """Run both programs in turn, in an interpreter that has cuda_shim and hip-python."""
    from cuda_shim import settings
    from cuda_shim.backends import cpu, host_libraries

    cpu.prepare_environment(settings.current())  # the runtime reads it in processes that do not import cuda_shim
    libraries = str(host_libraries.ensure_libraries(settings.current()))
    best: dict[str, Phases] = {which: {} for which in ("cuda", "hip")}
    for turn in range(-FRESH, rounds):
        for which in best:
            # The first turns compile a source that no cache has seen, another one in each program.
            salt = f"{time.time_ns()} {which}" if turn < 0 else "cached"
            phases = run(which, python, blocks, salt, libraries)
            if turn < 0:
                phases = {"compile, never seen before": phases["compile"]}
            if turn == -1:
                run(which, python, blocks, "cached", libraries)
            for phase, spent in phases.items():
                best[which][phase] = min(spent, best[which].get(phase, spent))
    for phase, spent in best["cuda"].items():
        yield Line("saxpy", phase, UNIT, spent, {OTHER: best["hip"][phase]})


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of which the fastest counts")
    parser.add_argument("folder", type=Path, nargs="?", help="keeps the environment of the installed package")
    given = parser.parse_args()
    show(measure(Peers(given.folder and given.folder.absolute()).shim(), given.rounds))


if __name__ == "__main__":
    main()
