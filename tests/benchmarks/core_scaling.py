"""Speed of the CPU runtime by its number of threads: fixed work, work that grows with the threads, small launches, memory.

    python tests/benchmarks/core_scaling.py [--threads 1 2 4 …] [--rounds 2] [--only TEXT …] [--json FILE]

Without `--threads`, the numbers are the powers of two up to the cores of this machine. There are processes for each
number; they take turns row by row, and the best of all counts. The loops in C++ run on as many threads. The rows are in
`core_rows.py`. Figures that grow with the number of threads are listed at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from cuda_shim import settings  # noqa: E402 - the checkout's own
from cuda_shim.backends import compilers, cpu, host_libraries  # noqa: E402
from tests.benchmarks.core_rows import STRONG, WEAK, Row, rows  # noqa: E402
from tests.benchmarks.lines import Line, number  # noqa: E402
from tests.benchmarks.speed.contenders import HostLoops  # noqa: E402
from tests.benchmarks.speedup_picture import Curve, draw  # noqa: E402

WORKER = ROOT / "tests" / "benchmarks" / "core_rows.py"
#: Processes for each number of threads, one after the other: where the system puts a process's memory changes the
#: time of the smallest launches by half.
GENERATIONS = 3


@dataclass
class Figures:
    """A row's best figures by number of threads, and those of the loop in C++ that does the same."""

    group: str
    title: str
    unit: str
    ours: dict[int, float]
    in_cpp: dict[int, float] = field(default_factory=dict)

    def improve(self, ours: dict[int, float], in_cpp: dict[int, float]) -> None:
        """Keep the better of these figures and other ones."""
        for kept, others in ((self.ours, ours), (self.in_cpp, in_cpp)):
            kept.update({count: min(figure, kept.get(count, figure)) for count, figure in others.items()})

    def lines(self) -> Iterator[Line]:
        """Yield the row for each number of threads, beside a single thread and the loop in C++."""
        least = min(self.ours)
        for threads, figure in self.ours.items():
            others = {"1 thread": self.ours[least]} if threads > least == 1 else {}
            if threads in self.in_cpp:
                others["C++"] = self.in_cpp[threads]
            counted = f"{threads} threads" if threads > 1 else "1 thread"
            yield Line("cores", f"{self.title}: {counted}", self.unit, figure, others)


class Worker:
    """A process with a number of threads."""

    def __init__(self, threads: int, folder: Path, loops: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER), str(folder), str(loops), str(threads)],
            env={**os.environ, "CUDA_SHIM_CPU_THREADS": str(threads)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
        )  # fmt: skip

    def ask(self, *command: str | bool) -> str:
        """Send a command and wait for its answer. Raises RuntimeError if the process has ended instead."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process of {command} ended with status {self.process.wait()}")
        return answer

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def numbers_of_threads() -> list[int]:
    """Return the powers of two up to the cores that this process may use."""
    cores = len(os.sched_getaffinity(0))
    return [1 << power for power in range(cores.bit_length())]


def take_turns(workers: dict[int, Worker], row: Row, in_cpp: bool, rounds: int) -> dict[int, float]:
    """Return the best of all rounds, in the row's unit, by number of threads."""
    best = dict.fromkeys(workers, float("inf"))
    scale = (1e6 if row.unit.startswith("microseconds") else 1e3) / row.items
    for worker in workers.values():
        worker.ask("prepare", f"{row.group}: {row.title}", in_cpp)
    for _ in range(rounds):
        for threads, worker in workers.items():
            best[threads] = min(best[threads], scale * float(worker.ask("run")))
    for worker in workers.values():
        worker.ask("release")
    return best


def measure(threads: list[int], rounds: int = 2, only: Sequence[str] = ("",)) -> list[Figures]:
    """Measure the rows whose groups or titles contain one of the texts in `only`."""
    chosen = settings.current()
    cpu.prepare_environment(chosen)
    folder = Path(os.environ.get("CUDA_SHIM_TEST_RUNTIME") or host_libraries.ensure_libraries(chosen), "lib")
    figures: dict[str, Figures] = {}
    with tempfile.TemporaryDirectory() as built:
        loops = HostLoops.compile(compilers.find(chosen).command, Path(built))
        for _ in range(GENERATIONS):
            for row, ours, in_cpp in one_generation(threads, rounds, only, folder, loops):
                name = f"{row.group}: {row.title}"
                figures.setdefault(name, Figures(row.group, row.title, row.unit, {}, {})).improve(ours, in_cpp)
    return list(figures.values())


def one_generation(
    threads: list[int], rounds: int, only: Sequence[str], folder: Path, loops: Path
) -> Iterator[tuple[Row, dict[int, float], dict[int, float]]]:
    """Yield each row with its figures and those in C++, by number of threads, from processes that are started for it."""
    with ExitStack() as clean_up:
        workers = {count: Worker(count, folder, loops) for count in threads}
        for worker in workers.values():
            clean_up.callback(worker.close)
        for row in rows():
            if any(text in f"{row.group}: {row.title}" for text in only):
                ours = take_turns(workers, row, False, rounds)
                yield row, ours, take_turns(workers, row, True, rounds) if row.in_cpp else {}


def tables(figures: list[Figures]) -> dict[str, str]:
    """The tables of docs/benchmarks.md by their marks: for fixed work speeds as multiples of one thread's, else times."""
    threads = list(figures[0].ours)
    heads = [f"{count} threads" if count > 1 else "1 thread" for count in threads]
    fixed = [f"| fixed work | {heads[0]}, ms | {' | '.join(heads[1:])} | C++, {heads[-1]} |"]
    fixed.append("| --- |" + " ---: |" * (len(threads) + 1))
    times = [f"| time | {' | '.join(heads)} |", "| --- |" + " ---: |" * len(threads)]
    for row in figures:
        first = row.ours[threads[0]]
        if row.group == STRONG:
            cells = [number(first), *(f"{first / row.ours[count]:.2f}" for count in threads[1:])]
            cells.append(f"{row.in_cpp[threads[0]] / row.in_cpp[threads[-1]]:.2f}" if row.in_cpp else "")
            fixed.append(f"| {row.title} | {' | '.join(cells)} |")
        else:
            unit = "µs" if row.unit.startswith("micro") else "ms"
            title = f"{row.title} for each thread" if row.group == WEAK else row.title
            times.append(f"| {title}, {unit} | {' | '.join(number(row.ours[count]) for count in threads)} |")
    return {"benchmark cores": "\n".join(fixed), "benchmark cores, times": "\n".join(times)}


def picture(figures: list[Figures]) -> str:
    """The speedups of fixed work, and of the work for each thread, by the number of threads."""
    curves = [
        Curve(row.title, {count: row.ours[min(row.ours)] / figure for count, figure in row.ours.items()})
        for row in figures
        if row.group == STRONG
    ]
    return draw("Speed by number of threads, as a multiple of one thread's", curves)


def slower_with_more(figures: list[Figures], factor: float) -> Iterator[str]:
    """Report figures that are more than `factor` times those of the row's best smaller number of threads."""
    for row in figures:
        if row.group != WEAK:
            best = float("inf")
            for threads, figure in row.ours.items():
                if figure > factor * best:
                    yield f"{row.title}: {number(figure)} {row.unit} on {threads} threads, {number(best)} on fewer"
                best = min(best, figure)


def write(figures: list[Figures], file: Path) -> None:
    """Keep figures for the documents."""
    file.write_text(json.dumps([asdict(row) for row in figures], indent=1) + "\n", encoding="utf-8")


def read(file: Path) -> list[Figures]:
    """Read the figures of an earlier run."""
    kept = json.loads(file.read_text(encoding="utf-8"))
    by_threads = ("ours", "in_cpp")
    numbered = [
        {**row, **{key: {int(count): ms for count, ms in row[key].items()} for key in by_threads}} for row in kept
    ]
    return [Figures(**row) for row in numbered]


def show(figures: list[Figures], threads: list[int]) -> None:
    """Print the rows by group."""
    groups = dict.fromkeys(row.group for row in figures)
    for group in groups:
        print(f"\n{group + ', threads:':52}" + "".join(f"{count:>9}" for count in threads))
        for row in figures:
            for title, by_threads in ((row.title, row.ours), ("  C++", row.in_cpp)):
                if by_threads and row.group == group:
                    print(f"{title:52}" + "".join(f"{number(by_threads[count]):>9}" for count in threads), row.unit)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=numbers_of_threads(), metavar="NUMBER")
    parser.add_argument("--rounds", type=int, default=2, help="of each process, of which the best counts (%(default)s)")
    parser.add_argument(
        "--only", nargs="+", default=[""], help="rows whose groups or titles contain one of these texts"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the figures are written as well")
    given = parser.parse_args()
    figures = measure(given.threads, given.rounds, given.only)
    show(figures, given.threads)
    if given.json:
        write(figures, given.json)
    for slower in slower_with_more(figures, 1.25):
        print(f"slower with more threads: {slower}")


if __name__ == "__main__":
    main()
