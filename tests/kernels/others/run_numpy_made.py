"""Runs kernels that CuPy makes for whole functions (scans, bincount, CUB's reductions, jitted ones, raw ones) against numpy.

    python -m cuda_shim run --backend cpu --cuda 13.5 -m tests.kernels.others.run_numpy_made FOLDER [-k WORDS] [-I FOLDER]...

FOLDER holds the files of `draw_cupy.py`. The raw kernels are written here and use the headers that CuPy brings, as
programs of its users do. Prints a line for each case whose name WORDS, a regular expression, are found in.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from cuda.bindings import driver

from tests.kernels.core_worker import begin, check
from tests.kernels.others.run_numpy import KINDS, Program, compiled, described, differs, indexer

_KERNEL = re.compile(r'extern "C"\s+__global__ void (\w+)\(([^)]*)\)')
ROWS, COLUMNS = 24, 5
COUNT = ROWS * COLUMNS


class Case(NamedTuple):
    """A kernel to run.

    Attributes:
        name: is printed.
        source, options: the program.
        arguments: arrays and numbers, in the order of the kernel's parameters.
        result: the number of the argument with the result, and numpy's result.
        launch: blocks, threads, bytes of dynamic shared memory.
        plain: True if arrays go as pointers, and not as CuPy's descriptions of them.
    """

    name: str
    source: str
    options: list[str]
    arguments: list[Any]
    result: tuple[int, Any]
    launch: tuple[int, int, int]
    plain: bool = False


def _drawn(folder: Path, pattern: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for file in sorted(folder.glob(f"cupy-{pattern}-*.json")):
        yield file.name.rsplit("-", 1)[0].removeprefix("cupy-"), json.loads(file.read_text(encoding="utf-8"))


def _numbers(kind: Any, shape: tuple[int, ...], small: bool = False) -> Any:
    """Numbers of a type whose sums in any order are exact; `small`: so are their products, and fit."""
    rng, dtype = np.random.default_rng(5), np.dtype(kind)
    drawn = rng.integers(1, 3 if small else 9, shape)
    if dtype.kind in "biu":
        return drawn.astype(dtype)
    if small:  # factors whose product does not grow
        drawn = np.where(np.arange(shape[-1]) % 2, 0.5, 2) * rng.choice([-1, 1], shape)
    return (drawn * (1j if dtype.kind == "c" else 1)).astype(dtype)


def scans(folder: Path) -> Iterator[Case]:
    """Sums and products along rows of 64, 100 and 512."""
    functions: dict[str, Callable[..., Any]] = {"SUM": np.cumsum, "PROD": np.cumprod}
    for op, function in functions.items():
        for kind, width in (
            ("int32", 64),
            ("int64", 100),
            ("float32", 512),
            ("float64", 64),
            ("complex64", 100),
            ("float16", 64),
        ):
            for name, content in _drawn(folder, f"scan-batch_SCAN_{op}-{kind}-flat"):
                given = _numbers(kind, (7, width), small=op == "PROD")
                padded = width if width & (width - 1) == 0 else 1 << width.bit_length()
                wanted = function(given, axis=1, dtype=given.dtype)
                launch = (-(-7 * padded // 512), 512, 512 * given.dtype.itemsize)
                arguments = [given, np.zeros_like(given), np.int32(width)]
                yield Case(name, content["source"], content["options"], arguments, (1, wanted), launch)


def cub_reductions(folder: Path) -> Iterator[Case]:
    """Sums, products, least and greatest of each of some segments, with CUB's parts of a block."""
    functions: dict[str, Callable[..., Any]] = {"sum": np.sum, "prod": np.prod, "min": np.min, "max": np.max}
    wanted_kinds = {("sum", "f"), ("sum", "D"), ("prod", "d"), ("max", "i"), ("min", "h"), ("sum", "?")}
    for name, content in _drawn(folder, "cub-cupy_*"):
        types = re.findall(r"typedef (?:thrust::)?([\w<> ]+?) type_(?:in|out)0_raw;", content["source"])
        which = name.split("-")[1].removeprefix("cupy_")
        kinds = [KINDS.get(kind, "") for kind in types]
        if len(kinds) != 2 or (which, kinds[0]) not in wanted_kinds:
            continue
        wanted_kinds.discard((which, kinds[0]))
        given = _numbers(kinds[0], (5, 3000), small=which == "prod")
        wanted = functions[which](given, axis=1)
        arguments = [given, np.zeros(5, kinds[1]), np.int32(3000), np.int32(0)]
        yield Case(name, content["source"], content["options"], arguments, (1, wanted), (5, 512, 0), plain=True)


def jitted(folder: Path) -> Iterator[Case]:
    """Functions of Python that CuPy turned into kernels."""
    for name, content in _drawn(folder, "jit-*"):
        _, function, kind = name.split("-")
        x, scale = _numbers(kind, (1024,)), np.dtype(kind).type(3)
        if function == "scaled":
            y = _numbers(kind, (1024,))
            yield Case(
                name, content["source"], content["options"], [x, y.copy(), scale], (1, x * scale + y), (3, 128, 0)
            )
        else:
            wanted = np.array([(x * scale).sum(dtype=kind)], kind)
            yield Case(
                name, content["source"], content["options"], [x, np.zeros(1, kind), scale], (1, wanted), (4, 256, 0)
            )


def _everywhere(value: Any, kind: str) -> Any:
    """A number as CuPy's element-wise kernels take it where it was drawn: in each place of an array."""
    return np.full((ROWS, COLUMNS), value, kind)


def element_wise(folder: Path) -> Iterator[Case]:
    """Kernels of bincount, searchsorted and their like, on arrays of float where CuPy leaves the type open."""
    rng = np.random.default_rng(9)
    x = rng.integers(0, 9, (ROWS, COLUMNS)).astype("f")
    wide, edges = (
        rng.standard_normal((ROWS, COLUMNS)).astype("f"),
        np.linspace(-2, 2, COUNT).astype("f").reshape(ROWS, COLUMNS),
    )
    bits = rng.integers(0, 256, (ROWS, COLUMNS)).astype("B")
    mask = (x > 4).astype("f")
    counted = np.zeros((ROWS, COLUMNS), "f")
    counted.ravel()[:9] = np.bincount(x.astype(int).ravel(), minlength=9)
    histogram = np.zeros(COUNT, "f")
    histogram[: COUNT - 1] = np.histogram(wide, edges.ravel())[0]
    zeros = np.zeros((ROWS, COLUMNS), "f")
    shape = (ROWS, COLUMNS)
    cases: dict[str, tuple[list[Any], int, Any]] = {
        "cupy_bincount_kernel": ([x, zeros], 1, counted),
        "cupy_searchsorted_kernel": (
            [wide, edges, _everywhere(COUNT, "q"), _everywhere(1, "?"), _everywhere(1, "?"), np.zeros(shape, "q")],
            5, np.searchsorted(edges.ravel(), wide, side="right"),
        ),
        "cupy_tri": ([_everywhere(COLUMNS, "i"), _everywhere(1, "i"), zeros], 2, np.tri(ROWS, COLUMNS, 1, dtype="f")),
        "cupy_putmask_kernel": ([mask, wide, _everywhere(COUNT, "Q"), zeros], 3, np.where(mask != 0, wide, 0)),
        "cupy_histogram_kernel": ([wide, edges, _everywhere(COUNT, "i"), zeros], 3, histogram.reshape(shape)),
        "cupy_unpackbits_big": ([bits, zeros], 1, np.unpackbits(bits.ravel())[:COUNT].reshape(shape)),
        "cupy_unpackbits_little": ([bits, zeros], 1, np.unpackbits(bits.ravel(), bitorder="little")[:COUNT].reshape(shape)),
        "cupy_choose": (
            [(x % 1).astype("f"), wide, _everywhere(COUNT, "q"), zeros], 3, wide,
        ),
    }  # fmt: skip
    for function, (arguments, place, wanted) in cases.items():
        for name, content in _drawn(folder, f"elementwise-{function}"):
            copies = [argument.copy() for argument in arguments]
            yield Case(
                name, content["source"], content["options"], [*copies, indexer(shape)], (place, wanted), (2, 64, 0)
            )


_SORT = """
#include <cub/block/block_radix_sort.cuh>
extern "C" __global__ void sorted(const %(key)s* x, %(key)s* y, int* places) {
    typedef cub::BlockRadixSort<%(key)s, 128, 4, int> Sort;
    __shared__ typename Sort::TempStorage room;
    %(key)s keys[4];
    int values[4];
    for (int i = 0; i < 4; ++i) keys[i] = x[threadIdx.x * 4 + i], values[i] = threadIdx.x * 4 + i;
    Sort(room).Sort(keys, values);
    for (int i = 0; i < 4; ++i) y[threadIdx.x * 4 + i] = keys[i], places[threadIdx.x * 4 + i] = values[i];
}
"""
_UNIQUE = """
#include <cub/block/block_scan.cuh>
extern "C" __global__ void unique(const int* x, int* y, int* count) {
    typedef cub::BlockScan<int, 512> Scan;
    __shared__ typename Scan::TempStorage room;
    const bool first = threadIdx.x == 0 || x[threadIdx.x] != x[threadIdx.x - 1];
    int place, all;
    Scan(room).ExclusiveSum(first, place, all);
    if (first) y[place] = x[threadIdx.x];
    if (threadIdx.x == 0) *count = all;
}
"""
_COMPLEX = """
#include <cupy/complex.cuh>
extern "C" __global__ void turned(const complex<%(real)s>* x, complex<%(real)s>* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = exp(x[i]) * conj(x[i]) / (complex<%(real)s>(2, 1) + sqrt(x[i])) + complex<%(real)s>(abs(x[i]), arg(x[i]));
}
"""
_HALF = """
#include <cupy/float16.cuh>
extern "C" __global__ void halves(const float16* x, float16* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = isnan(x[i]) ? float16(0) : max(float16(x[i] * x[i] + float16(1)), float16(1.5f));
}
"""


def raw(options: list[str]) -> Iterator[Case]:
    """Kernels that users of CuPy write themselves, with the headers that it brings."""
    rng = np.random.default_rng(3)
    for key, kind in (("int", "i"), ("float", "f")):
        x = rng.permutation(512).astype(kind) - 200
        for result, wanted in ((1, np.sort(x)), (2, np.argsort(x).astype("i"))):
            name = f"raw-{'sort' if result == 1 else 'argsort'}-{key}"
            yield Case(
                name,
                _SORT % {"key": key},
                options,
                [x, np.zeros_like(x), np.zeros(512, "i")],
                (result, wanted),
                (1, 128, 0),
                True,
            )
    x = np.sort(rng.integers(0, 60, 512)).astype("i")
    wanted = np.zeros(512, "i")
    wanted[: len(np.unique(x))] = np.unique(x)
    yield Case(
        "raw-unique", _UNIQUE, options, [x, np.zeros(512, "i"), np.zeros(1, "i")], (1, wanted), (1, 512, 0), True
    )
    for real, kind in (("float", "F"), ("double", "D")):
        z = (rng.standard_normal(256) + 1j * rng.standard_normal(256)).astype(kind)
        wanted = np.exp(z) * z.conj() / (2 + 1j + np.sqrt(z)) + (np.abs(z) + 1j * np.angle(z))
        yield Case(
            f"raw-complex-{real}",
            _COMPLEX % {"real": real},
            options,
            [z, np.zeros_like(z)],
            (1, wanted),
            (2, 128, 0),
            True,
        )
    h = rng.standard_normal(256).astype("e")
    h[3] = np.nan
    squared = (h.astype("f") ** 2 + 1).astype("e")  # CuPy's halves are added as floats
    wanted = np.where(np.isnan(h), 0, np.maximum(squared, np.float16(1.5)))
    yield Case("raw-half", _HALF, options, [h, np.zeros_like(h)], (1, wanted), (2, 128, 0), True)


def run(case: Case, includes: list[str]) -> str:
    """Run a case; return the difference of its result from numpy's, empty where there is none."""
    kernel = _KERNEL.search(case.source)
    name = kernel[1] if kernel else re.search(r"__global__ void (\w+)\(", case.source)[1]  # type: ignore[index]
    function = compiled(Program(Path(case.name), "", "", name, [], [], case.source.encode(), case.options), includes)
    places, kept = [], []
    for argument in case.arguments:
        place = 0
        if isinstance(argument, np.ndarray):
            place = int(check(driver.cuMemAlloc(argument.nbytes)))
            driver.cuMemcpyHtoD(place, argument.ctypes.data, argument.nbytes)
            packed = np.array([place], np.uint64).tobytes() if case.plain else described(argument, place)
        else:
            packed = argument if isinstance(argument, bytes) else argument.tobytes()
        places.append(place)
        kept.append(np.frombuffer(packed, np.uint8))
    parameters = np.array([one.ctypes.data for one in kept], np.uint64)
    blocks, threads, shared = case.launch
    check((*driver.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared, 0, parameters.ctypes.data, 0), None))
    check((*driver.cuCtxSynchronize(), None))
    index, wanted = case.result
    got = case.arguments[index]
    driver.cuMemcpyDtoH(got.ctypes.data, places[index], got.nbytes)
    for place in filter(None, places):
        driver.cuMemFree(place)
    return differs(got, wanted)


def cases(folder: Path) -> Iterator[Case]:
    """Every case."""
    options = next(_drawn(folder, "scan-*"))[1]["options"]
    for make in (scans, cub_reductions, jitted, element_wise):
        yield from make(folder)
    yield from raw(options)


def main() -> None:
    """Run the cases and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-I", dest="includes", action="append", default=[])
    parser.add_argument("-k", dest="words", default="")
    asked = parser.parse_args()
    begin()
    equal = 0
    every = [case for case in cases(asked.folder) if re.search(asked.words, case.name)]
    for case in every:
        try:
            difference = run(case, asked.includes)
        except AssertionError as error:
            difference = f"failed: {str(error)[:300]}"
        equal += not difference
        print(f"{case.name}: {difference or 'as numpy'}", flush=True)
    print(f"{equal} of {len(every)} as numpy")


if __name__ == "__main__":
    main()
