"""Measure calls through cuda_shim, beside other packages that serve the same program on the same CPU runtime.

    python tests/benchmarks/call_cost.py [--rounds 25] [--only cuLaunchKernel …] [PYTHON …]

Each PYTHON is an interpreter with AMD's hip-python-interop, or with another copy of cuda_shim (its folder behind a
colon: PYTHON:FOLDER). Every one runs in a process of its own; they take turns, row by row, and the fastest of many
rounds counts. Prints nanoseconds, and how many times as long the others take.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import timeit
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.lines import Line, show  # noqa: E402 - the checkout's own

NUMBER, ROUNDS = 2_000, 25
UNIT = "nanoseconds a call"
PYTHON_ALONE = "through Python"


def serve(folder: str) -> None:
    """Time the rows that are asked for, one line each, with the modules of `folder` or of AMD's interop."""
    os.environ.update(CUDA_SHIM_QUIET="1", CUDA_SHIM_BACKEND="cpu")
    if folder:
        sys.path.insert(0, folder)
        import cuda_shim

        cuda_shim.enable(cuda="13.5")
    else:
        from cuda_shim.backends import hip_python

        hip_python.load()  # AMD's modules open the CPU runtime, too
    from tests.benchmarks import call_rows

    calls = {}
    for row in call_rows.rows():
        call, reason = call_rows.answering(row)
        if call is None:
            print(f"{folder or 'interop'}: without {row.name}: {reason}", file=sys.stderr)
        else:
            calls[row.name] = call
    print(json.dumps(list(calls)), flush=True)
    for line in sys.stdin:
        name, times = json.loads(line)
        print(timeit.timeit(calls[name], number=times) / times * 1e9, flush=True)


class Worker:
    """A process that times rows."""

    def __init__(self, python: str, folder: str, compiled: bool = True) -> None:
        self.process = subprocess.Popen(
            [python, __file__, "--serve", folder],
            env={**os.environ, "CUDA_SHIM_COMPILED_CALLS": str(int(compiled))},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.rows: list[str] = json.loads(self._line())

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def time(self, row: str, times: int) -> float:
        """One turn, nanoseconds a call; infinite for a row that this one lacks."""
        if row not in self.rows:
            return float("inf")
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([row, times]) + "\n")
        self.process.stdin.flush()
        return float(self._line())

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def worker_of(other: str) -> Worker:
    """The process of an interpreter, or of an interpreter and a folder."""
    python, _, folder = other.partition(":")
    return Worker(python, folder)


def measure(others: dict[str, str], rounds: int = ROUNDS, times: int = NUMBER, only: str = "") -> Iterator[Line]:
    """Time all rows whose names contain `only`; `others` are interpreters (see above) by the name to give them.

    This package without compiled calls is one of those that run beside.
    """
    workers = {"": Worker(sys.executable, str(ROOT)), PYTHON_ALONE: Worker(sys.executable, str(ROOT), compiled=False)}
    workers |= {name: worker_of(other) for name, other in others.items()}
    try:
        for row in workers[""].rows:
            if only in row:
                best = dict.fromkeys(workers, float("inf"))
                for _ in range(rounds):
                    for name, worker in workers.items():
                        best[name] = min(best[name], worker.time(row, times))
                beside = {name: best[name] for name in workers if name and best[name] != float("inf")}
                yield Line("calls", row, UNIT, best[""], beside)
    finally:
        for worker in workers.values():
            worker.close()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of which the fastest counts")
    parser.add_argument("--only", default="", help="rows whose names contain this")
    parser.add_argument("others", nargs="*", metavar="PYTHON", help="an interpreter to run beside")
    given = parser.parse_args()
    others = {f"other {at}": other for at, other in enumerate(given.others, 1)}
    show(measure(others, given.rounds, only=given.only))


if __name__ == "__main__":
    serve(sys.argv[2]) if sys.argv[1:2] == ["--serve"] else main()
