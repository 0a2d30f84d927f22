"""All benchmarks in one run: one table of this package and its peers, compared with an earlier run.

    python tests/benchmarks [--only calls saxpy …] [--folder FOLDER] [--json FILE] [--against FILE] [--short]

FOLDER keeps the environments of the peers: AMD's hip-python-interop, NVIDIA's wheel, and this package as users install
it. They are made at the first run, from a package index. Without it, or where one cannot be made, the rows that need it
are left out and named. `--json` keeps the run; `--against` names the rows that became slower since a run that was kept,
and exits with status 1 if anything did. `--short` only shows that everything runs: its figures mean nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks import (  # noqa: E402
    call_cost,
    checked_cost,
    import_cost,
    memory_cost,
    numba_speed,
    saxpy_phases,
    start_cost,
    triton_speed,
)
from tests.benchmarks.collect import MARK  # noqa: E402
from tests.benchmarks.lines import Line, read, show, slower, write  # noqa: E402
from tests.benchmarks.peers import NoFolder, Peers, as_users_start  # noqa: E402

FACTOR = 1.25
COLLECT = ROOT / "tests" / "benchmarks" / "collect.py"
SWITCHED_ON = ("-m", "cuda_shim", "run", "--backend", "cpu")


def calls(peers: Peers, short: bool) -> Iterator[Line]:
    """Costs of a call (`call_cost.py`)."""
    interop = peers.interop()
    others = {"hip-python-interop": interop} if interop else {}
    return call_cost.measure(others, rounds=1, times=20) if short else call_cost.measure(others)


def saxpy(peers: Peers, short: bool) -> Iterator[Line]:
    """An application by phase (`saxpy_phases.py`)."""
    return saxpy_phases.measure(peers.shim(), *((1, 64) if short else ()))


def memory(peers: Peers, short: bool) -> Iterator[Line]:
    """Memory of a process (`memory_cost.py`)."""
    return memory_cost.measure(peers.shim(), peers.nvidia(), *((1_000, 1) if short else ()))


def imports(peers: Peers, short: bool) -> Iterator[Line]:
    """Imports (`import_cost.py`)."""
    return import_cost.measure(peers, *((1,) if short else ()))


def starts(peers: Peers, short: bool) -> Iterator[Line]:
    """The start of Python (`start_cost.py`)."""
    return start_cost.measure(peers, *((1,) if short else ()))


def numba(peers: Peers, short: bool) -> Iterator[Line]:
    """Kernels of Numba, beside the same from CUDA C++ (`numba_speed.py`)."""
    if short:
        raise NoFolder("it has no short form")
    return numba_speed.measure(peers.numba())


def checks(peers: Peers, short: bool) -> Iterator[Line]:
    """Kernels with checks, beside the same without (`checked_cost.py`)."""
    if short:
        raise NoFolder("it has no short form")
    return checked_cost.measure(peers.shim())


def triton(peers: Peers, short: bool) -> Iterator[Line]:
    """Kernels of Triton, beside its interpreter (`triton_speed.py`)."""
    if short:
        raise NoFolder("it has no short form")
    return triton_speed.measure(peers.triton())


def collected(name: str, *before: str) -> Callable[[Peers, bool], Iterator[Line]]:
    """A benchmark in a process of its own."""

    def run(_: Peers, short: bool) -> Iterator[Line]:
        command = [sys.executable, *before, str(COLLECT), name, *(["--short"] if short else [])]
        with subprocess.Popen(
            command, cwd=ROOT, env=as_users_start(), stdout=subprocess.PIPE, encoding="utf-8"
        ) as process:
            assert process.stdout is not None
            for said in process.stdout:
                if said.startswith(MARK):
                    yield Line(**json.loads(said.removeprefix(MARK)))
        if process.returncode:
            raise RuntimeError(f"it ended with status {process.returncode}")

    return run


#: Every benchmark; a new one needs a function that yields lines, and an entry here.
BENCHMARKS: dict[str, Callable[[Peers, bool], Iterator[Line]]] = {
    "starts": starts,
    "imports": imports,
    "memory": memory,
    "calls": calls,
    "lock": collected("lock", *SWITCHED_ON),
    "saxpy": saxpy,
    "compiles": collected("compiles"),
    "kernels": collected("kernels"),
    "copies": collected("copies"),
    "scaling": collected("scaling"),
    "cores": collected("cores"),
    "ptx": collected("ptx", *SWITCHED_ON),
    "numba": numba,
    "checks": checks,
    "triton": triton,
}


def run(chosen: list[str], peers: Peers, short: bool) -> tuple[list[Line], list[str]]:
    """Run benchmarks one after the other; return their lines, and the failures."""
    lines: list[Line] = []
    failed: list[str] = []
    for name in chosen:
        start = time.monotonic()
        try:
            lines += show(BENCHMARKS[name](peers, short))
        except NoFolder as reason:
            peers.left_out[name] = str(reason)
        except Exception as error:  # noqa: BLE001 - the others are run all the same
            failed.append(f"{name}: {type(error).__name__}: {error}")
        print(f"({name}: {time.monotonic() - start:.0f} s)\n", flush=True)
    return lines, failed


def main() -> int:
    """Run the chosen benchmarks; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python tests/benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=BENCHMARKS, default=list(BENCHMARKS), metavar="NAME")
    parser.add_argument("--folder", type=Path, help="keeps the environments of what runs beside")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the run for --against")
    parser.add_argument("--against", type=Path, metavar="FILE", help="a run to compare with")
    parser.add_argument("--factor", type=float, default=FACTOR, help="how much slower counts (%(default)s)")
    parser.add_argument("--short", action="store_true", help="only show that everything runs")
    given = parser.parse_args()
    before = read(given.against) if given.against else []
    peers = Peers(given.folder and given.folder.absolute())
    lines, failed = run(given.only, peers, given.short)
    if given.json:
        write(lines, given.json)
    peers.say_left_out()
    for failure in failed:
        print(f"failed: {failure}", file=sys.stderr)
    became_slower = list(slower(lines, before, given.factor))
    for said in became_slower:
        print(f"slower: {said}")
    if given.against and not became_slower:
        print(f"nothing became slower by more than {given.factor}")
    return 1 if failed or became_slower else 0


if __name__ == "__main__":
    sys.exit(main())
