"""Kernels of Numba beside the same ones as CUDA C++, and the same work as Numba's loops and in Numba's simulator of CUDA.

    python -m cuda_shim run --backend cpu tests/benchmarks/numba_speed.py
    python tests/benchmarks/numba_speed.py loops
    NUMBA_ENABLE_CUDASIM=1 python tests/benchmarks/numba_speed.py simulated

The interpreter needs numba-cuda. A line has the best of several launches of a kernel, and of the one in CUDA C++, in
milliseconds. Numba's loops, which have threads of their own, are measured without the shim, and so is the simulator:
each thread of a kernel is one of Python's there, so it gets a part of the work (`PARTS`), and its time is multiplied.
"""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
if TYPE_CHECKING:
    from tests.benchmarks.lines import Line

ROUNDS = 7
ROUNDS_SIMULATED = 2

#: By kernel, the simulator's part: blocks of the grid, changed arguments by their places, and the factor to the whole
#: launch. Each block has the same work; of the Mandelbrot set, each point on average.
PARTS: dict[str, tuple[tuple[int, int], dict[int, Any], int]] = {
    "saxpy": ((4, 1), {}, 4096),
    "matmul": ((1, 1), {}, 1024),
    "reduction": ((1, 1), {0: slice(1 << 14), 1: slice(1)}, 256),
    "mandelbrot": ((4, 4), {0: slice(1 << 12), 1: 64, 2: 64}, 256),
    "black_scholes": ((4, 1), {}, 1024),
    "nbody": ((1, 1), {0: slice(1024), 1: slice(1024)}, 512),
}


def best_of(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The shortest of several times, in milliseconds; the first one, which compiles, is none of them."""
    work()
    best = math.inf
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return 1e3 * best


def kernels() -> Iterator[tuple[str, float, float]]:
    """By kernel, the times of Numba's and of the one in CUDA C++, whose results are the same."""
    from numba import cuda

    from tests.benchmarks import numba_kernels, ptx_speed

    cuda.current_context()  # Numba makes it when it is first needed, and the module belongs to it
    source = ptx_speed.from_source()
    for name, (grid, block, arguments, compared) in ptx_speed.launches().items():
        kernel = cuda.jit(getattr(numba_kernels, name))
        given: list[Any] = [cuda.to_device(value) if isinstance(value, np.ndarray) else value for value in arguments]
        configured, wanted = kernel[grid, block], numba_kernels.ARGUMENTS[name](given)

        def launched(configured: Any = configured, wanted: Any = wanted) -> None:
            configured(*wanted)
            cuda.synchronize()

        written = ptx_speed.Launch(source, name, grid, block, arguments, compared)
        launched()
        written()
        # The iteration in which a point of the Mandelbrot set leaves depends on the last bit.
        assert np.isclose(given[compared].copy_to_host(), written.result(), rtol=1e-3, atol=1e-3).mean() > 0.999, name
        own, of_source = ptx_speed.by_turns(launched, written)
        written.free()
        yield name, own, of_source


def loops() -> Iterator[tuple[str, float]]:
    """By kernel, the times of Numba's loops."""
    from tests.benchmarks import numba_kernels, ptx_speed

    for name, (_, _, arguments, _) in ptx_speed.launches().items():
        wanted = numba_kernels.ARGUMENTS[name](arguments)
        compiled = getattr(numba_kernels, f"{name}_loops")()

        def run(compiled: Any = compiled, wanted: Any = wanted) -> None:
            compiled(*wanted)

        yield name, best_of(run)


def simulated() -> Iterator[tuple[str, float]]:
    """By kernel, the simulator's estimated time for the whole launch; its part's results are those of Numba's loops."""
    from numba import cuda

    from tests.benchmarks import numba_kernels, ptx_speed

    for name, (_, block, arguments, compared) in ptx_speed.launches().items():
        grid, changed, factor = PARTS[name]
        part = [_changed(value, changed.get(place)) for place, value in enumerate(arguments)]
        given = [cuda.to_device(value) if isinstance(value, np.ndarray) else value for value in part]
        kernel = cuda.jit(getattr(numba_kernels, name))[grid, block]
        wanted = numba_kernels.ARGUMENTS[name](given)
        kernel(*wanted)
        found, before = given[compared].copy_to_host(), part[compared].copy()
        getattr(numba_kernels, f"{name}_loops")()(*numba_kernels.ARGUMENTS[name](part))
        written = found != before
        assert written.any(), name
        assert np.isclose(found, part[compared], rtol=1e-3, atol=1e-3)[written].mean() > 0.999, name

        def launched(kernel: Any = kernel, wanted: Any = wanted) -> None:
            kernel(*wanted)

        yield name, factor * best_of(launched, ROUNDS_SIMULATED)


def _changed(value: Any, change: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value[change].copy() if change else value.copy()
    return value if change is None else type(value)(change)


def measure(python: str) -> Iterator[Line]:
    """All of them, in an interpreter that has this package and numba-cuda."""
    from tests.benchmarks.lines import Line

    shim = ("-m", "cuda_shim", "run", "--backend", "cpu")
    alone = dict(_told([python, __file__, "loops"]))
    in_python = dict(_told([python, __file__, "simulated"], NUMBA_ENABLE_CUDASIM="1"))
    for name, (own, written) in _told([python, *shim, __file__, "kernels"]):
        others = {"CUDA C++": written, "Numba's own loops": alone[name][0], "CUDASIM, of a part": in_python[name][0]}
        yield Line("numba", name, "milliseconds", own, others)


def _told(command: list[str], **settings: str) -> Iterator[tuple[str, list[float]]]:
    from tests.benchmarks.peers import output_of

    for line in output_of(command, **settings).splitlines():
        name, *figures = line.split()
        yield name, [float(figure) for figure in figures]


def main(what: str = "kernels") -> None:
    """Print a line for each kernel: milliseconds of Numba's and of CUDA C++, or of loops or the simulator."""
    warnings.simplefilter("ignore")
    for name, *figures in {"kernels": kernels, "loops": loops, "simulated": simulated}[what]():
        print(name, *(f"{figure:.3f}" for figure in figures), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
