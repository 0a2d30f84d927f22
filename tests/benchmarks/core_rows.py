"""Rows of `core_scaling.py`, and the process that measures them with one number of threads (CUDA_SHIM_CPU_THREADS).

A row's work is prepared, repeated as often as it is asked for, and released. The commands come as JSON on stdin, so that
processes with different numbers of threads can take turns.
"""

from __future__ import annotations

import ctypes
import functools
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.benchmarks import scaling
from tests.benchmarks.speed.contenders import Array, HipRuntime, HostLoops, Size

P = ctypes.c_void_p
SIZE = ctypes.c_size_t
#: The parts of a kernel's whole work. With weak scaling each thread has one of them.
PARTS = 16
MEBIBYTES = 256
HOST_THREADS = 8
#: The groups of rows. The time of the first falls with more threads, that of the others must not grow.
STRONG, WEAK, LAUNCHES, MEMORY = "fixed work", "work for each thread", "small launches", "memory"


@dataclass(frozen=True)
class Problem:
    """A launch: grid, block and arguments, of which arrays are uploaded."""

    grid: Size
    block: Size
    arguments: list[Any]


class Machine:
    """The runtime and the loops in C++, with the same number of threads."""

    def __init__(self, folder: Path, loops: Path, threads: int) -> None:
        self.hip = HipRuntime(folder)
        self.host = HostLoops(loops)
        self.host.library.use_threads(SIZE(threads))
        self.small = scaling.Hip(folder)
        self.threads = threads

    @functools.cached_property
    def source(self) -> Array:
        """Memory of the host that is copied."""
        return np.ones(MEBIBYTES << 20, np.uint8)

    def memory(self, size: int, clean_up: ExitStack) -> P:
        """Device memory that no thread has touched yet."""
        pointer = P()
        self.hip.must(self.hip.hip.hipMalloc(ctypes.byref(pointer), SIZE(size)))
        clean_up.callback(self.hip.free, pointer)
        return pointer

    def arguments(self, given: list[Any], clean_up: ExitStack) -> tuple[ctypes.Array[P], list[Any]]:
        """A launch's arguments, whose arrays are uploaded: their addresses, and the values themselves."""
        values = [self.hip.upload(one) if isinstance(one, np.ndarray) else one for one in given]
        for value, one in zip(values, given, strict=True):
            if isinstance(one, np.ndarray):
                clean_up.callback(self.hip.free, value)
        return (P * (len(values) + 1))(*(ctypes.addressof(value) for value in values)), values

    def streams(self, count: int, clean_up: ExitStack) -> list[P]:
        """Streams that do not wait for the null stream."""
        streams = [P() for _ in range(count)]
        for stream in streams:
            self.hip.must(self.hip.hip.hipStreamCreateWithFlags(ctypes.byref(stream), 1))
            clean_up.callback(self.hip.hip.hipStreamDestroy, stream)
        return streams

    def function(self, name: str) -> P:
        """A kernel by its name."""
        function = P()
        self.hip.must(self.hip.hip.hipModuleGetFunction(ctypes.byref(function), self.hip.module, name.encode()))
        return function

    def synchronize(self) -> None:
        """Wait for the device."""
        self.hip.must(self.hip.hip.hipDeviceSynchronize())


#: Prepares the work of a row, with its release, and returns it; the work returns the seconds that count.
Prepare = Callable[[Machine, ExitStack], Callable[[], float]]


@dataclass(frozen=True)
class Row:
    """A measurement: its figure is the time divided by `items`, in `unit`."""

    group: str
    title: str
    prepare: Prepare
    unit: str = "milliseconds"
    items: int = 1
    in_cpp: Prepare | None = None


def seconds_of(work: Callable[[], object]) -> Callable[[], float]:
    """Time all of a call."""

    def run() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return run


def floats(*shape: int) -> Array:
    return np.random.default_rng(1).random(shape, dtype=np.float32)


def saxpy(parts: int) -> Problem:
    n = parts << 20
    return Problem((n // 256, 1), (256, 1), [ctypes.c_float(1e-6), floats(n), floats(n), ctypes.c_int(n)])


def exp_sin(parts: int) -> Problem:
    n = parts << 20
    return Problem((n // 256, 1), (256, 1), [floats(n), np.zeros(n, np.float32), ctypes.c_int(n)])


def tiled_matmul(parts: int) -> Problem:
    """A product whose left factor has 64 rows for each part."""
    rows, n = 64 * parts, 64 * PARTS
    matrices = [floats(rows, n), floats(n, n), np.zeros((rows, n), np.float32)]
    return Problem((n // 16, rows // 16), (16, 16), [*matrices, ctypes.c_int(n)])


def bodies(parts: int) -> Problem:
    """The forces of all bodies on 512 of them for each part."""
    n = 512 * PARTS
    positions = floats(max(n, 512 * parts), 4)
    return Problem((4 * parts, 1), (128, 1), [positions, np.zeros_like(positions), ctypes.c_int(n)])


def mandelbrot(parts: int) -> Problem:
    """A picture of the same set with more rows."""
    width, height = 2048, 128 * parts
    picture = np.zeros((height, width), np.int32)
    return Problem((width // 16, height // 16), (16, 16), [picture, ctypes.c_int(width), ctypes.c_int(height)])


def launched(name: str, problem: Callable[[int], Problem], parts: int | None) -> Prepare:
    """A kernel with a number of parts of its work. Without a number, each thread has one part."""

    def prepare(machine: Machine, clean_up: ExitStack) -> Callable[[], float]:
        launch = problem(machine.threads if parts is None else parts)
        _, values = machine.arguments(launch.arguments, clean_up)
        return seconds_of(machine.hip.call(name, launch.grid, launch.block, values))

    return prepare


def looped(name: str, problem: Callable[[int], Problem]) -> Prepare:
    """The loop in C++ that does a kernel's whole work."""

    def prepare(machine: Machine, clean_up: ExitStack) -> Callable[[], float]:
        return seconds_of(machine.host.call(name, problem(PARTS).arguments))

    return prepare


#: The arguments of a small kernel's launch, by its number of elements.
SMALL: dict[str, Callable[[int], list[Any]]] = {
    "empty": lambda _: [],
    "saxpy": lambda n: [ctypes.c_float(1e-6), floats(n), floats(n), ctypes.c_int(n)],
    "exp_sin": lambda n: [floats(n), np.zeros(n, np.float32), ctypes.c_int(n)],
}


def from_threads(name: str, elements: int, host_threads: int, launches: int) -> Prepare:
    """Launches of a small kernel from several threads of the program, each with a stream and memory of its own."""

    def prepare(machine: Machine, clean_up: ExitStack) -> Callable[[], float]:
        kept = [machine.arguments(SMALL[name](elements), clean_up) for _ in range(host_threads)]
        shape = ctypes.c_uint(max(1, elements // 256)), ctypes.c_uint(256 if elements else 1)
        streams = (P * host_threads)(*machine.streams(host_threads, clean_up))
        lists = (P * host_threads)(*(ctypes.addressof(addresses) for addresses, _ in kept))
        hip, function = machine.hip.hip, machine.function(name)
        call = machine.host.library.launch_from_threads
        calls = (ctypes.cast(hip.hipModuleLaunchKernel, P), ctypes.cast(hip.hipStreamSynchronize, P))

        def work(_kept: Any = kept) -> None:
            machine.hip.must(call(*calls, function, *shape, streams, lists, SIZE(host_threads), SIZE(launches)))

        return seconds_of(work)

    return prepare


def many_streams(machine: Machine, clean_up: ExitStack) -> Callable[[], float]:
    """A block of n-body in each of 1,000 streams."""
    addresses, values = machine.arguments(bodies(PARTS).arguments, clean_up)
    streams, function, hip = machine.streams(1_000, clean_up), machine.function("bodies"), machine.hip.hip

    def work(_kept: Any = values) -> None:
        for stream in streams:
            machine.hip.must(hip.hipModuleLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, stream, addresses, None))
        for stream in streams:
            machine.hip.must(hip.hipStreamSynchronize(stream))

    return seconds_of(work)


def short_lived_streams(machine: Machine, clean_up: ExitStack) -> Callable[[], float]:
    work, release = machine.small.streams(1_000)
    clean_up.callback(release)
    return seconds_of(work)


def by_a_fill(machine: Machine, memory: P, size: int) -> None:
    machine.hip.must(machine.hip.hip.hipMemset(memory, 0, SIZE(size)))
    machine.synchronize()


def by_a_copy(machine: Machine, memory: P, size: int) -> None:
    machine.hip.must(machine.hip.hip.hipMemcpy(memory, P(machine.source.ctypes.data), SIZE(size), 1))


def by_one_thread(_: Machine, memory: P, size: int) -> None:
    ctypes.memset(memory, 0, size)


Touch = Callable[[Machine, P, int], None]


def touched(touch: Touch, is_new: bool = True) -> Prepare:
    """The first access to all pages of new memory, or a later one."""

    def prepare(machine: Machine, clean_up: ExitStack) -> Callable[[], float]:
        size = MEBIBYTES << 20
        kept = None if is_new else machine.memory(size, clean_up)

        def run() -> float:
            with ExitStack() as free:
                memory = kept or machine.memory(size, free)
                return seconds_of(lambda: touch(machine, memory, size))()

        return run

    return prepare


def after(touch: Touch) -> Prepare:
    """SAXPY on memory whose pages the system placed at a first access of a certain kind."""

    def prepare(machine: Machine, clean_up: ExitStack) -> Callable[[], float]:
        n = PARTS << 20
        vectors = [machine.memory(4 * n, clean_up) for _ in range(2)]
        for vector in vectors:
            touch(machine, vector, 4 * n)
        call = machine.hip.call("saxpy", (n // 256, 1), (256, 1), [ctypes.c_float(1e-6), *vectors, ctypes.c_int(n)])
        return seconds_of(call)

    return prepare


def rows() -> list[Row]:
    """All rows."""
    return [*kernel_rows(), *small_rows(), *memory_rows()]


def kernel_rows() -> Iterator[Row]:
    kernels: list[tuple[str, str, str, str, Callable[[int], Problem]]] = [
        ("saxpy", "16M", "1M", "saxpy", saxpy),
        ("exp_sin", "16M", "1M", "exp_sin", exp_sin),
        ("tiled_matmul", "1024", "64 rows", "matmul", tiled_matmul),
        ("bodies", "8192", "512 of 8192", "bodies", bodies),
        ("mandelbrot", "2048", "128 rows", "mandelbrot", mandelbrot),
    ]
    titles = {"exp_sin": "expf * sinf", "tiled_matmul": "tiled matmul", "bodies": "n-body"}
    for name, whole, _, loop, problem in kernels:
        title = f"{titles.get(name, name)}, {whole}"
        yield Row(STRONG, title, launched(name, problem, PARTS), in_cpp=looped(loop, problem))
    for name, _, part, _, problem in kernels:
        yield Row(WEAK, f"{titles.get(name, name)}, {part}", launched(name, problem, None))


def small_rows() -> Iterator[Row]:
    yield Row(LAUNCHES, "1,000 streams with a block of n-body each", many_streams)
    each = "microseconds each"
    for title, name, elements, count in (
        ("empty launch", "empty", 0, 16_000),
        ("saxpy of 64K", "saxpy", 1 << 16, 800),
        ("expf * sinf of 4K", "exp_sin", 1 << 12, 800),
        ("expf * sinf of 16K", "exp_sin", 1 << 14, 400),
        ("expf * sinf of 64K", "exp_sin", 1 << 16, 200),
    ):
        for threads in (1, HOST_THREADS):
            whose = f", from {threads} threads" if threads > 1 else ", from one thread"
            prepare = from_threads(name, elements, threads, count // threads)
            yield Row(LAUNCHES, title + whose, prepare, each, count)
    yield Row(LAUNCHES, "1,000 streams made, used once, destroyed", short_lived_streams, each, 1_000)


def memory_rows() -> Iterator[Row]:
    size = f"{MEBIBYTES} MiB"
    yield Row(MEMORY, f"fill of {size}, first access", touched(by_a_fill))
    yield Row(MEMORY, f"fill of {size}", touched(by_a_fill, is_new=False))
    yield Row(MEMORY, f"copy of {size}, first access", touched(by_a_copy))
    yield Row(MEMORY, f"copy of {size}", touched(by_a_copy, is_new=False))
    for how, touch in (("one thread", by_one_thread), ("a fill", by_a_fill), ("a copy", by_a_copy)):
        yield Row(MEMORY, f"saxpy, 16M, first access by {how}", after(touch))


def serve(folder: str, loops: str, threads: str) -> None:
    """Answer commands: prepare a row, or its loop in C++; run it; release it."""
    machine = Machine(Path(folder), Path(loops), int(threads))
    known = {f"{row.group}: {row.title}": row for row in rows()}
    clean_up, work = ExitStack(), seconds_of(lambda: None)
    for line in sys.stdin:
        command, *more = json.loads(line)
        if command == "prepare":
            name, in_cpp = more
            prepare = known[name].in_cpp if in_cpp else known[name].prepare
            assert prepare is not None, name
            work = prepare(machine, clean_up)
            work()  # the first run measures the kernel's blocks
        elif command == "release":
            clean_up.close()
        print(work() if command == "run" else "", flush=True)


if __name__ == "__main__":
    serve(*sys.argv[1:])
