"""Check that costs grow linearly with many small things: launches, streams, graphs of many nodes; with PoCL's figures.

    python tests/benchmarks/scaling.py [--rounds 5] [--processor] [--beside FOLDER …] [--json FILE]

Prints microseconds for each launch, stream or node, for ten times as many from column to column: a linear cost stays
the same along its row. Everything goes through C functions; contenders take turns, the best round counts. `--processor`
counts the process's time on processors instead of the clock's, for machines that do other things too.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from cuda_shim import settings
from cuda_shim.backends import cpu, host_libraries
from tests.benchmarks.speed.contenders import Array, HipRuntime, OpenCl

P = ctypes.c_void_p
SIZE = ctypes.c_size_t
Prepare = Callable[[int], tuple[Callable[[], None], Callable[[], None]]]


class KernelNode(ctypes.Structure):
    """hipKernelNodeParams."""

    _fields_ = [
        ("block", ctypes.c_uint * 3), ("extra", P), ("function", P), ("grid", ctypes.c_uint * 3), ("arguments", P),
        ("shared", ctypes.c_uint),
    ]  # fmt: skip


class Hip:
    """The rows on a HIP runtime: each returns for a number of things the timed call and the cleanup."""

    def __init__(self, folder: Path) -> None:
        self.runtime = HipRuntime(folder)
        self.c, self.must = self.runtime.hip, self.runtime.must
        self.function = P()
        self.must(self.c.hipModuleGetFunction(ctypes.byref(self.function), self.runtime.module, b"saxpy"))
        x: Array = np.zeros(256, np.float32)
        values = [ctypes.c_float(1), self.runtime.upload(x), self.runtime.upload(x), ctypes.c_int(256)]
        self.kept = values
        self.arguments = (P * 5)(*(ctypes.addressof(value) for value in values))

    def launch(self, stream: P | None = None) -> None:
        self.must(self.c.hipModuleLaunchKernel(self.function, 1, 1, 1, 256, 1, 1, 0, stream, self.arguments, None))

    def rows(self) -> Iterator[tuple[str, Prepare, tuple[int, ...]]]:
        yield "launches", self.launches, (100, 1_000, 10_000)
        yield "launches behind one that takes long", self.queued, (100, 1_000, 10_000)
        yield "streams made, used once, destroyed", self.streams, (10, 100, 1_000)
        yield "null stream beside so many streams", self.null_stream, (10, 100, 1_000)
        for shape in ("a chain", "side by side"):
            for what in ("built", "instantiated", "launched"):
                yield f"graph, {shape}, {what}", functools.partial(self.graph, shape, what), (10, 100, 1_000)

    def launches(self, count: int) -> Any:
        def run() -> None:
            for _ in range(count):
                self.launch()
            self.must(self.c.hipStreamSynchronize(None))

        return run, lambda: None

    def queued(self, count: int) -> Any:
        """Launches that cannot run when they are asked for: they wait for a host function."""
        stream, kind = P(), ctypes.CFUNCTYPE(None, P)
        go_on = [False]

        def wait(_: Any) -> None:
            while not go_on[0]:
                time.sleep(0.0005)

        held = kind(wait)
        self.must(self.c.hipStreamCreateWithFlags(ctypes.byref(stream), 1))

        def run() -> None:
            go_on[0] = False
            self.must(self.c.hipLaunchHostFunc(stream, held, None))
            for _ in range(count):
                self.launch(stream)
            go_on[0] = True
            self.must(self.c.hipStreamSynchronize(stream))

        return run, lambda: self.must(self.c.hipStreamDestroy(stream))

    def made_streams(self, count: int) -> list[P]:
        streams = [P() for _ in range(count)]
        for stream in streams:
            self.must(self.c.hipStreamCreateWithFlags(ctypes.byref(stream), 0))
        return streams

    def streams(self, count: int) -> Any:
        def run() -> None:
            streams = self.made_streams(count)
            for stream in streams:
                self.launch(stream)
            for stream in streams:
                self.must(self.c.hipStreamSynchronize(stream))
            for stream in streams:
                self.must(self.c.hipStreamDestroy(stream))

        return run, lambda: None

    def null_stream(self, count: int) -> Any:
        streams = self.made_streams(count)

        def run() -> None:
            for stream in streams:
                self.launch(stream)
                self.launch()
            self.must(self.c.hipStreamSynchronize(None))

        return run, lambda: [self.must(self.c.hipStreamDestroy(stream)) for stream in streams]

    def graph(self, shape: str, what: str, count: int) -> Any:
        node = KernelNode((256, 1, 1), None, self.function, (1, 1, 1), ctypes.addressof(self.arguments), 0)

        def built() -> P:
            graph, last = P(), P()
            self.must(self.c.hipGraphCreate(ctypes.byref(graph), 0))
            for number in range(count):
                before = (P * 1)(last.value) if number and shape == "a chain" else None
                self.must(
                    self.c.hipGraphAddKernelNode(
                        ctypes.byref(last), graph, before, SIZE(1 if before else 0), ctypes.byref(node)
                    )
                )
            return graph

        def instance(graph: P) -> P:
            made = P()
            self.must(self.c.hipGraphInstantiateWithFlags(ctypes.byref(made), graph, ctypes.c_ulonglong(0)))
            return made

        if what == "built":
            return lambda: self.must(self.c.hipGraphDestroy(built())), lambda: None
        graph = built()
        if what == "instantiated":
            run = lambda: self.must(self.c.hipGraphExecDestroy(instance(graph)))  # noqa: E731
            return run, lambda: self.must(self.c.hipGraphDestroy(graph))
        launched = instance(graph)

        def launch() -> None:
            self.must(self.c.hipGraphLaunch(launched, None))
            self.must(self.c.hipStreamSynchronize(None))

        return launch, lambda: (self.c.hipGraphExecDestroy(launched), self.c.hipGraphDestroy(graph))


class PoCl:
    """The rows that OpenCL has: launches, and queues for streams."""

    def __init__(self) -> None:
        self.device = OpenCl()
        cl = self.cl = self.device.cl
        self.kernel = cl.Kernel(self.device.program, "saxpy")
        x: Array = np.zeros(256, np.float32)
        self.kernel.set_args(np.float32(1), self.device.upload(x), self.device.upload(x), np.int32(256))

    def launch(self, queue: Any) -> None:
        self.cl.enqueue_nd_range_kernel(queue, self.kernel, (256,), (256,))

    def launches(self, count: int) -> Any:
        def run() -> None:
            for _ in range(count):
                self.launch(self.device.queue)
            self.device.queue.finish()

        return run, lambda: None

    def streams(self, count: int) -> Any:
        def run() -> None:
            queues = [self.cl.CommandQueue(self.device.context) for _ in range(count)]
            for queue in queues:
                self.launch(queue)
            for queue in queues:
                queue.finish()

        return run, lambda: None

    def rows(self) -> dict[str, Prepare]:
        return {"launches": self.launches, "streams made, used once, destroyed": self.streams}


def best_of(
    rounds: int, clock: Callable[[], float], prepared: dict[str, tuple[Callable[[], None], Callable[[], None]]]
) -> dict[str, float]:  # fmt: skip
    """Microseconds of each, the best of all rounds."""
    best = dict.fromkeys(prepared, float("inf"))
    for _ in range(rounds):
        for name, (run, _) in prepared.items():
            start = clock()
            run()
            best[name] = min(best[name], (clock() - start) * 1e6)
    for _, clean_up in prepared.values():
        clean_up()
    return best


def take_turns(
    rounds: int, clock: Callable[[], float], beside: list[Path], most: int | None = None
) -> Iterator[tuple[str, str, list[int], list[float]]]:
    """Yield title, contender, numbers of things, and microseconds for each thing.

    Args:
        rounds: the number of rounds, of which the best counts.
        clock: seconds.
        beside: folders with the libraries of others.
        most: the greatest number of things; None for all columns.
    """
    cpu.prepare_environment(settings.current())
    own = os.environ.get("CUDA_SHIM_TEST_RUNTIME") or host_libraries.ensure_libraries(settings.current())
    devices = {"": Hip(Path(own, "lib")), **{f" ({one.name})": Hip(one / "lib") for one in beside}}
    try:
        peer = PoCl()
        pocl = {f" ({peer.device.name})": peer.rows()}
    except (ImportError, RuntimeError) as reason:
        print(f"without PoCL: {reason}", file=sys.stderr)
        pocl = {}
    for rows in zip(*(device.rows() for device in devices.values()), strict=True):
        title, _, columns = rows[0]
        counts = [count for count in columns if most is None or count <= most] or [min(columns)]
        figures: dict[str, list[float]] = {}
        for count in counts:
            prepared = {name: row[1](count) for name, row in zip(devices, rows, strict=True)}
            prepared.update({name: of[title](count) for name, of in pocl.items() if title in of})
            for name, spent in best_of(rounds, clock, prepared).items():
                figures.setdefault(name, []).append(spent / count)
        for name in figures:
            yield title, name, counts, figures[name]


def main() -> None:
    """Take turns, then print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="of which the best counts")
    parser.add_argument("--processor", action="store_true", help="count time on processors")
    parser.add_argument("--beside", type=Path, nargs="+", default=[], help="folders with lib/ and device/ of others")
    parser.add_argument("--json", type=Path, help="where the figures are written as well")
    given = parser.parse_args()
    clock = time.process_time if given.processor else time.perf_counter
    figures: dict[str, list[float]] = {}
    for title, name, _, each in take_turns(given.rounds, clock, given.beside):
        figures[title + name] = each
        print(f"{title + name:52}" + "".join(f"{microseconds:10.2f}" for microseconds in each), flush=True)
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
