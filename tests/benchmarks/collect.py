"""Benchmarks that need a process of their own, which `tests/benchmarks` starts: their lines, as JSON, on stdout.

python [-m cuda_shim run --backend cpu] tests/benchmarks/collect.py NAME [--short]
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.benchmarks.lines import Line  # noqa: E402 - the checkout's own

MARK = "line: "
MILLISECONDS = "milliseconds"


def lock(short: bool) -> Iterator[Line]:
    """Times for which calls keep other threads from running."""
    from tests.benchmarks import gil

    yield from gil.measure(100_000, 1 << 20) if short else gil.measure()


def kernels(short: bool) -> Iterator[Line]:
    """Kernels on the CPU runtime, beside PoCL, C++ and numpy."""
    from tests.benchmarks import kernel_speed

    table = kernel_speed.Table(1 if short else 7, None)
    for row in kernel_speed.rows():
        if not short or "empty" in row.title or "in cache" in row.title:
            best = table.measure(row)
            yield Line("kernels", row.title, MILLISECONDS, best.pop("ms"), best)


def copies(short: bool) -> Iterator[Line]:
    """Copies of memory, beside memcpy."""
    from tests.benchmarks import copy_speed

    for title, best in copy_speed.measure(1, 16 << 20) if short else copy_speed.measure():
        yield Line("copies", title, MILLISECONDS, best.pop("ms"), best)


def compiles(short: bool) -> Iterator[Line]:
    """The first compile of a kernel with each compiler, beside NVRTC: processor time."""
    from tests.benchmarks import compile_cost

    best = compile_cost.take_turns(1 if short else 5, [])
    for label, (_, spent) in best.items():
        if not label.startswith("NVRTC"):
            nvrtc = best.get("NVRTC: 16 at once" if label.endswith("at once") else "NVRTC: a process's first")
            yield Line("compiles", label, "milliseconds of processor time", spent, {"NVRTC": nvrtc[1]} if nvrtc else {})


def scaling(short: bool) -> Iterator[Line]:
    """Costs of each of many launches, streams and nodes."""
    from tests.benchmarks import scaling as table

    rounds, most = (1, 10) if short else (5, None)
    for title, name, counts, each in table.take_turns(rounds, time.perf_counter, [], most):
        for count, microseconds in zip(counts, each, strict=True):
            yield Line("scaling", f"{title}{name}: {count}", "microseconds", microseconds)


def cores(short: bool) -> Iterator[Line]:
    """Kernels, launches and memory with one thread, two, four, …"""
    from tests.benchmarks import core_scaling

    threads = core_scaling.numbers_of_threads()
    figures = core_scaling.measure(threads[:2], 1, ["empty launch"]) if short else core_scaling.measure(threads)
    for row in figures:
        yield from row.lines()


def ptx(short: bool) -> Iterator[Line]:
    """Kernels as NVRTC's PTX, beside the same ones compiled from CUDA C++."""
    from cuda.bindings import driver

    from tests.benchmarks import ptx_speed

    ok = ptx_speed.ok
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
    code, text = ptx_speed.images()
    modules = [ok(driver.cuModuleLoadData(image)) for image in (code, text + b"\0")]
    launches = dict(itertools.islice(ptx_speed.launches().items(), 1 if short else None))
    for name, from_source, from_ptx in ptx_speed.side_by_side(modules, launches):
        yield Line("ptx", name, MILLISECONDS, from_ptx, {"from CUDA C++": from_source})


COLLECTED: dict[str, Callable[[bool], Iterator[Line]]] = {
    "lock": lock,
    "compiles": compiles,
    "kernels": kernels,
    "copies": copies,
    "scaling": scaling,
    "cores": cores,
    "ptx": ptx,
}


def main(name: str, *options: str) -> None:
    """Print the lines of one benchmark as they come, each behind a mark that its own output lacks."""
    for line in COLLECTED[name]("--short" in options):
        print(MARK + json.dumps(asdict(line)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
