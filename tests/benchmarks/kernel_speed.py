"""Speed of kernels on the CPU-hosted runtime, beside plain C++ loops, numpy and PoCL, in one process and one run.

    python tests/benchmarks/kernel_speed.py [--rounds 7] [--only saxpy …] [--beside FOLDER]

A row gives milliseconds of the runtime, and for each of the others the ratio of its time to that: above 1 the runtime
is ahead. All take turns, and the best of the rounds counts: at least three, more while a row has taken few seconds.
Results are compared, so that all do the same work. The first column is of kernels from the compiler that the package
would choose (CUDA_SHIM_CXX names another), the loops in C++ are compiled by it too; zig, clang++ and g++ follow, as far
as they are installed and not the first. PoCL needs pyopencl and an OpenCL driver of any version (docs/benchmarks.md);
without them its column stays empty. `--beside` adds the HIP libraries of another folder, such as an older build.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from cuda_shim import settings
from cuda_shim.backends import compilers, cpu, host_libraries
from tests.benchmarks.speed.contenders import Array, HipRuntime, HostLoops, OpenCl, Size
from tests.benchmarks.speed.turns import Timed, take_turns
from tests.hip_on_host.hiprtc_program import find_compiler

#: Compilers that are measured beside the one that the package chooses.
COMPILERS = ("zig", "clang++-19", "g++")

MANY, CACHED, SQUARE, BODIES, PICTURE, CUBE = 1 << 24, 1 << 16, 1024, 8192, 2048, 256


def floats(*shape: int) -> Array:
    return np.random.default_rng(1).random(shape, dtype=np.float32)


@dataclass
class Texture:
    """An array that a kernel samples."""

    array: Array


@dataclass
class Row:
    """A kernel, its launch, its arguments (arrays are uploaded, textures made), and the same work by others."""

    title: str
    kernel: str
    grid: Size
    block: Size
    arguments: list[Any]
    result: int = -1  # the argument with the result; -1: there is none to compare
    host: str = ""  # the function in host.cpp; its arguments are the kernel's
    numpy: Callable[..., Any] | None = None
    repeat: int = 1
    opencl: bool = True
    alike: bool = False  # the function in host.cpp leaves the same result


@dataclass
class Copy:
    """A copy from the host's memory to a device's."""

    title: str
    size: int


def rows() -> list[Row | Copy]:
    """The table's rows."""
    x, y, a = floats(MANY), floats(MANY), ctypes.c_float(1e-6)
    n, sums = ctypes.c_int(MANY), np.zeros(MANY // 512, np.float32)
    matrices = [
        floats(SQUARE, SQUARE),
        floats(SQUARE, SQUARE),
        np.zeros((SQUARE, SQUARE), np.float32),
        ctypes.c_int(SQUARE),
    ]
    picture = [np.zeros((PICTURE, PICTURE), np.int32), ctypes.c_int(PICTURE), ctypes.c_int(PICTURE)]
    bodies = [floats(BODIES, 4), np.zeros((BODIES, 4), np.float32), ctypes.c_int(BODIES)]
    flat, tile = (256, 1), (16, 16)
    square, blocks, dots = (SQUARE // 16, SQUARE // 16), (MANY // 256, 1), (PICTURE // 16, PICTURE // 16)
    saxpy: dict[str, Any] = {
        "host": "saxpy",
        "numpy": lambda a, x, y, n: np.add(np.multiply(x, np.float32(a.value)), y),
    }
    total: dict[str, Any] = {"host": "sum", "numpy": lambda x, out, n: x.sum()}
    small = [a, x[:CACHED].copy(), y[:CACHED].copy(), ctypes.c_int(CACHED)]
    return [
        Row("saxpy, 16M", "saxpy", blocks, flat, [a, x, y, n], 2, **saxpy),
        Row("saxpy in cache, 64K x 200", "saxpy", (CACHED // 256, 1), flat, small, 2, **saxpy, repeat=200),
        Row("grid-stride saxpy, 16M", "strided_saxpy", (1024, 1), flat, [a, x, y, n], 2, **saxpy),
        Row("64-step polynomial, 16M", "polynomial", blocks, flat, [x, n], 0),
        Row(
            "expf * sinf, 16M", "exp_sin", blocks, flat, [x, y, n], 1, "exp_sin", lambda x, y, n: np.exp(-x) * np.sin(x)
        ),
        Row("tree reduction, 16M", "tree_sum", (MANY // 512, 1), flat, [x, sums, n], 1, **total),
        Row("grid-stride reduction, 16M", "strided_sum", (1024, 1), flat, [x, sums[:1024].copy(), n], 1, **total),
        Row(
            "warp-shuffle reduction, 16M",
            "shuffled_sum",
            (MANY // 512, 1),
            flat,
            [x, sums, n],
            1,
            **total,
            opencl=False,
        ),
        Row("tiled matmul, 1024", "tiled_matmul", square, tile, matrices, 2, "matmul", lambda a, b, c, n: a @ b),
        Row("naive matmul, 1024", "naive_matmul", square, tile, matrices, 2, "matmul", lambda a, b, c, n: a @ b),
        Row("n-body, 8192", "bodies", (BODIES // 128, 1), (128, 1), bodies, 1, host="bodies"),
        Row("mandelbrot, 2048", "mandelbrot", dots, tile, picture, 0, host="mandelbrot"),
        Row("mandelbrot by a call, 2048", "mandelbrot_by_call", dots, tile, picture, 0, host="mandelbrot"),
        *further_rows(),
        Row("empty launch x 1000", "empty", (1, 1), (1, 1), [], repeat=1000),
        Copy("copy to the device, 1 GiB", 1 << 30),
    ]


def further_rows() -> list[Row]:
    """Further kernels that are usual in GPU programs."""
    x, n, some = floats(MANY), ctypes.c_int(MANY), ctypes.c_int(MANY // 4)
    keys = np.random.default_rng(2).integers(0, 1 << 32, MANY, dtype=np.uint32)
    cube = [floats(CUBE, CUBE, CUBE), np.zeros((CUBE, CUBE, CUBE), np.float32), ctypes.c_int(CUBE)]
    sheet = [floats(PICTURE, PICTURE), np.zeros((PICTURE, PICTURE), np.float32), ctypes.c_int(PICTURE)]
    slope = np.add.outer(*2 * [np.linspace(0, 1, PICTURE, dtype=np.float32)])  # textures weigh neighbours in 256 steps
    turned = [Texture(slope), np.zeros((PICTURE, PICTURE), np.float32), ctypes.c_int(PICTURE)]
    masses = np.random.default_rng(3).random((BODIES // 2, 4))
    doubles = [masses, np.zeros_like(masses), ctypes.c_int(BODIES // 2)]
    halves = [ctypes.c_float(0.5), x.astype(np.float16), np.zeros(MANY, np.float16), n]
    flat, tile = (256, 1), (16, 16)
    blocks, quarter = (MANY // 256, 1), (MANY // 1024, 1)
    return [
        Row("25-point stencil, 256^3", "stencil", (CUBE // 64, CUBE // 4), (64, 4), cube, 1, host="stencil", alike=True),
        Row(
            "histogram, shared atomics, 16M", "histogram", (256, 1), flat, [keys, np.zeros(256, np.uint32), n], 1,
            host="histogram", alike=True, numpy=lambda keys, counts, n: np.bincount(keys & 255),
        ),
        Row("scan of each block, 16M", "scan", blocks, flat, [x, np.zeros_like(x), n], 1, host="scan", alike=True),
        Row(
            "transpose through shared memory, 2048", "transpose", (PICTURE // 16, PICTURE // 16), tile, sheet, 1,
            host="transpose", alike=True, numpy=lambda a, out, n: np.ascontiguousarray(a.T),
        ),
        Row("texture, a picture turned, 2048", "turned", (PICTURE // 16, PICTURE // 16), tile, turned, 1, host="turned", alike=True),
        Row(
            "radix sort pass of each block, 4M", "radix_pass", quarter, flat,
            [keys[: MANY // 4].copy(), np.zeros(MANY // 4, np.uint32), ctypes.c_int(8)], 1, host="radix_pass", alike=True,
        ),
        Row("half-precision saxpy, 16M", "half_saxpy", blocks, flat, halves, 2, host="half_saxpy", alike=True, opencl=False),
        Row("n-body in double precision, 4096", "double_bodies", (BODIES // 256, 1), (128, 1), doubles, 1,
            host="double_bodies", alike=True),
        Row("Black-Scholes, 4M", "black_scholes", quarter, flat, [x[: MANY // 4].copy(), np.zeros(MANY // 4, np.float32),
            some], 1, host="black_scholes", alike=True),
        Row("exp * sin in double precision, 4M", "exp_sin_of_doubles", quarter, flat, [x[: MANY // 4].astype(np.float64),
            np.zeros(MANY // 4), some], 1, "exp_sin_of_doubles", lambda x, y, n: np.exp(-x) * np.sin(x), alike=True),
    ]  # fmt: skip


class Table:
    """Measures rows and prints them."""

    def __init__(self, rounds: int, beside: Path | None) -> None:
        self.rounds = rounds
        cpu.prepare_environment(settings.current())
        chosen = settings.current()
        libraries = Path(os.environ.get("CUDA_SHIM_TEST_RUNTIME") or host_libraries.ensure_libraries(chosen), "lib")
        default = compilers.find(chosen)
        self.devices: dict[str, HipRuntime | OpenCl] = {"ms": HipRuntime(libraries)}
        for name in COMPILERS:
            command = find_compiler(name)
            if command and shutil.which(shlex.split(command)[0]) != default.command[0]:
                self.devices[name] = HipRuntime(libraries, command)
        if beside:
            self.devices["beside"] = HipRuntime(beside)
        with tempfile.TemporaryDirectory() as folder:
            self.host = HostLoops(HostLoops.compile(default.command, Path(folder)))
        try:
            pocl = OpenCl()
            self.devices[pocl.name] = pocl
        except (ImportError, RuntimeError) as reason:
            print(f"without PoCL: {reason}", file=sys.stderr)
        self.columns = [*self.devices, "C++", "numpy"]

    def measure(self, row: Row | Copy) -> dict[str, float]:
        """The best time of each contender, in milliseconds."""
        return self.measure_copy(row.size) if isinstance(row, Copy) else self.measure_kernel(row)

    def measure_kernel(self, row: Row) -> dict[str, float]:
        """The best time of each contender that runs a kernel, in milliseconds."""
        calls: dict[str, Timed] = {}
        results: dict[str, Array] = {}
        uploaded: list[tuple[HipRuntime | OpenCl, Any]] = []
        for column, device in self.devices.items():
            if isinstance(device, OpenCl) and not row.opencl:
                continue
            given, made = put_on(device, row.arguments)
            uploaded += [(device, one) for one in made]
            calls[column] = device.call(row.kernel, row.grid, row.block, given)
            calls[column]()
            if row.result >= 0:
                results[column] = device.fetch(given[row.result], row.arguments[row.result])
        if row.host:
            own = [one.array if isinstance(one, Texture) else one for one in row.arguments]
            own = [one.copy() if isinstance(one, np.ndarray) else one for one in own]
            calls["C++"] = self.host.call(row.host, own)
            if row.alike:
                calls["C++"]()
                results["C++"] = own[row.result]
        if results:
            compare(row, results)
        if row.numpy:
            work = row.numpy
            calls["numpy"] = lambda: work(*row.arguments)
        best = take_turns(calls, self.rounds, row.repeat)
        for device, memory in uploaded:
            device.free(memory)
        return best

    def measure_copy(self, size: int) -> dict[str, float]:
        """Copies from the host to a device, beside memcpy into memory that is there already."""
        source = np.ones(size, np.uint8)
        target = np.ones(size, np.uint8)
        calls: dict[str, Timed] = {}
        uploaded = []
        for column, device in self.devices.items():
            uploaded.append((device, device.upload(source)))
            calls[column] = device.copier(uploaded[-1][1], source)
        calls["C++"] = self.host.call("copy", [target, source, ctypes.c_size_t(size)])
        calls["numpy"] = lambda: np.copyto(target, source)
        best = take_turns(calls, self.rounds, 1)
        for device, memory in uploaded:
            device.free(memory)
        return best

    def show(self, chosen: list[Row | Copy]) -> None:
        print(f"{'':40}" + "".join(f"{column:>10}" for column in self.columns))
        for row in chosen:
            best = self.measure(row)
            cells = [f"{best['ms']:10.2f}"]
            cells += [
                f"{best[column] / best['ms']:9.2f}x" if column in best else f"{'':10}" for column in self.columns[1:]
            ]
            print(f"{row.title:40}" + "".join(cells), flush=True)


def put_on(device: HipRuntime | OpenCl, arguments: list[Any]) -> tuple[list[Any], list[Any]]:
    """A kernel's arguments on a device, and the memory that they take there."""
    given, made = [], []
    for one in arguments:
        if isinstance(one, Texture):
            memory, passed = device.texture(one.array)
        elif isinstance(one, np.ndarray):
            memory = passed = device.upload(one)
        else:
            given.append(one)
            continue
        given.append(passed)
        made.append(memory)
    return given, made


def compare(row: Row, results: dict[str, Array]) -> None:
    """All contenders on a device must have computed the same."""
    if row.result < 0:
        return
    ours = results["ms"]
    for column, result in results.items():
        # A step of the set's edge may take a point of the picture elsewhere, where multiplications are fused.
        same = np.isclose(result, ours, rtol=1e-3, atol=1e-3).mean()
        if same < 0.99:
            raise AssertionError(f"{row.title}: {column} computes something else ({same:.1%} alike)")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="of which the best counts")
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose titles contain one of these words")
    parser.add_argument("--beside", type=Path, help="a folder with another libamdhip64.so and libhiprtc.so")
    given = parser.parse_args()
    Table(given.rounds, given.beside).show([row for row in rows() if any(word in row.title for word in given.only)])


if __name__ == "__main__":
    main()
