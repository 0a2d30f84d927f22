"""Compares many random kernels: split and on fibres, with every compiler that is asked for.

    python -m tests.hip_on_host.fuzz_kernels --first 1000 --count 20000 --compiler clang++-19 --compiler g++

Prints the numbers of kernels that differ, which are the same in every run; exit status 1 if there were any. A program
that does not compile, dies or hangs is reported, and the rest goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from cuda_shim import settings
from cuda_shim.backends import cpu, host_libraries
from tests.hip_on_host.kernel_outcomes import FIBRES, SPLIT
from tests.interpreters import NO_FALLBACKS

ROOT = Path(__file__).resolve().parents[2]
HANG = 300


class Worker:
    """A process that runs random kernels with one compiler; a new one when it died or had to be ended."""

    def __init__(self, folder: str, compiler: str) -> None:
        self.command = [sys.executable, "-m", "tests.hip_on_host.kernel_outcomes", folder]
        chosen = {"CUDA_SHIM_CPU_CXX": compiler} if compiler else {}
        self.environment = {**os.environ, **NO_FALLBACKS, **chosen}  # faulty code is a finding
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> subprocess.Popen[str]:
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                self.command, env=self.environment, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, encoding="utf-8",
            )  # fmt: skip
        return self.process

    def outcomes(self, first: int, count: int, options: tuple[str, ...]) -> dict[str, str] | str:
        """Return the kernels' digests, or the failure."""
        process = self.start()
        assert process.stdin
        assert process.stdout
        process.stdin.write(f"{first} {count} {' '.join(options)}\n")
        process.stdin.flush()
        if not select.select([process.stdout], [], [], HANG)[0]:
            self.end()
            return "hangs"
        line = process.stdout.readline()
        if line:
            found: dict[str, str] = json.loads(line)
            return found
        return (process.communicate()[1].strip().splitlines() or ["dies"])[-1]

    def end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()


def disagreements(workers: dict[str, Worker], first: int, count: int, level: str) -> Iterator[str]:
    """Yield the failures and differences of these kernels, a line each."""
    reference = next(iter(workers.values())).outcomes(first, count, FIBRES)
    if isinstance(reference, str):
        yield f"{first} to {first + count - 1} on fibres: {reference}"
        return
    for compiler, worker in workers.items():
        split = worker.outcomes(first, count, (*SPLIT, level))
        if isinstance(split, str):
            yield f"{first} to {first + count - 1}, {compiler} {level}: {split}"
            continue
        yield from (f"{name}, {compiler} {level}: differs" for name in reference if split[name] != reference[name])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0, help="the first kernel's number")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--compiler", action="append", help="a command; repeat it to compare several")
    parser.add_argument("--together", type=int, default=25, help="kernels in one program")
    parser.add_argument("--level", default="-O1", help="how the split form is optimised")
    given = parser.parse_args()
    cpu.prepare_environment(settings.current())
    folder = Path(host_libraries.ensure_libraries(settings.current()))
    workers = {compiler: Worker(str(folder), compiler) for compiler in given.compiler or [""]}
    wrong = 0
    for first in range(given.first, given.first + given.count, given.together):
        for line in disagreements(workers, first, given.together, given.level):
            print(line, flush=True)
            wrong += 1
    for worker in workers.values():
        worker.end()
    print(f"{given.count} kernels, {wrong} found")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
