"""Programs to be mutated: random kernels, kernels with hidden meanings, the corpus's and the benchmark's."""

from __future__ import annotations

import functools
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.benchmarks.speed import contenders
from tests.hip_on_host import hidden_meanings, kernel_outcomes, random_kernels
from tests.hip_on_host.mutations.tree import Invalid, parse
from tests.hip_on_host.program_outcomes import Launch, Program
from tests.hip_on_host.random_kernels.helpers import TEXT

TOGETHER = 12  # kernels in one program
RANDOM_TOGETHER = 6  # which are longer

_FOLDER = str(Path(__file__).resolve().parents[2] / "kernels")


def pick(seed: int) -> tuple[str, Program]:
    """Return the program of a seed, and its origin."""
    rng = random.Random(f"source {seed}")  # noqa: S311 - repeatable on purpose
    make: Callable[[random.Random], tuple[str, Program]]
    (make,) = rng.choices([_random, _hidden, _corpus, _benchmark], [5, 9, 4, 1])
    return make(rng)


def _random(rng: random.Random) -> tuple[str, Program]:
    seeds = rng.sample(range(100_000), RANDOM_TOGETHER)
    made = [random_kernels.program([seed]) for seed in seeds]
    launches = []
    for one in made:
        (launch,) = one.launches
        arguments = (*kernel_outcomes.arrays(launch), np.uint32(kernel_outcomes.N), np.uint32(kernel_outcomes.M))
        launches.append(Launch(launch.name, arguments, (launch.blocks, 1, 1), launch.block, launch.shared_bytes))
    texts = [one.source.removeprefix(TEXT) for one in made]
    return "random kernels", Program(TEXT + "".join(texts) + "\n", tuple(launches))


def _hidden(rng: random.Random) -> tuple[str, Program]:
    # The tree is read in a namespace, which ::value is not in, and before hiprtc has moved attributes.
    files = {name: file for name, file in hidden_meanings.files().items() if name not in ("alignment", "names")}
    name, file = rng.choice(sorted(files.items()))
    names = file.kernels
    chosen = sorted(rng.sample(names, min(len(names), TOGETHER)), key=names.index)
    return f"hidden_meanings/{name}.cu", file.program(chosen)


def _corpus(rng: random.Random) -> tuple[str, Program]:
    name, program = rng.choice(corpus())
    chosen = rng.sample(program.launches, min(len(program.launches), TOGETHER))
    return f"corpus/{name}", Program(program.source, tuple(chosen), program.options)


@functools.cache
def corpus() -> list[tuple[str, Program]]:
    """The corpus's files of which kernels can be run by themselves, without textures, variables or headers."""
    if _FOLDER not in sys.path:
        sys.path.insert(0, _FOLDER)  # its modules import each other by these names
    from corpus import cases

    files: dict[str, dict[str, Launch]] = {}
    texts: dict[str, str] = {}
    for case in cases().values():
        if case.options or case.headers or case.toolkit or case.cooperative or not case.kernel.isidentifier():
            continue
        run = case.run()
        plain = all(isinstance(one, (np.ndarray, np.generic, bytes)) for one in run.args)
        if (
            not plain
            or run.globals
            or run.expected_globals
            or not run.comparable
            or case.kernel in files.get(case.file, {})
        ):
            continue
        sizes = [(*((size,) if isinstance(size, int) else size), 1, 1)[:3] for size in (run.grid, run.block)]
        launch = Launch(case.kernel, tuple(run.args), sizes[0], sizes[1], run.shared, run.rtol, run.atol)
        files.setdefault(case.file, {})[case.kernel] = launch
        texts[case.file] = case.source
    found = []
    for name, launches in sorted(files.items()):
        try:
            parse(texts[name])
        except Invalid:
            continue  # it needs declarations that only hiprtc adds
        found.append((name, Program(texts[name], tuple(launches.values()))))
    return found


def _benchmark(_: random.Random) -> tuple[str, Program]:
    return "benchmark", benchmark()


@functools.cache
def benchmark() -> Program:
    """The kernels whose speed is measured, on little data."""
    rng = np.random.default_rng(1)
    n = 1024
    x, y, square = (rng.random(size, np.float32) for size in (n, n, 32 * 32))
    position = rng.random((256, 4), np.float32)
    size, side, few = np.int32(n), np.int32(32), np.int32(256)
    sums = np.zeros(4, np.float32)
    image, matrix = np.zeros(32 * 32, np.int32), (square, square[::-1].copy(), np.zeros_like(square), side)
    launches = (
        Launch("saxpy", (np.float32(3), x, y, size), (4, 1, 1), (256, 1, 1)),
        Launch("strided_saxpy", (np.float32(3), x, y, size), (2, 1, 1), (128, 1, 1)),
        Launch("polynomial", (x, size), (4, 1, 1), (256, 1, 1)),
        Launch("exp_sin", (x, y, size), (4, 1, 1), (256, 1, 1), 0, 1e-6, 1e-6),
        Launch("mandelbrot", (image, side, side), (2, 2, 1), (16, 16, 1)),
        Launch("mandelbrot_by_call", (image, side, side), (2, 2, 1), (16, 16, 1)),
        Launch("naive_matmul", matrix, (2, 2, 1), (16, 16, 1)),
        Launch("tiled_matmul", matrix, (2, 2, 1), (16, 16, 1)),
        Launch("tree_sum", (x, sums, size), (2, 1, 1), (256, 1, 1)),
        Launch("strided_sum", (x, sums, size), (2, 1, 1), (256, 1, 1)),
        Launch("bodies", (position, np.zeros_like(position), few), (2, 1, 1), (128, 1, 1), 0, 1e-5, 1e-5),
        Launch("shuffled_sum", (x, sums, size), (2, 1, 1), (256, 1, 1)),
    )
    # Clang alone reads them, without CUDA's headers.
    text = re.sub(r"#ifndef WITHOUT_HEADERS\n.*?#endif\n", "", contenders.kernel_text(0), flags=re.DOTALL)
    return Program(text, launches)
