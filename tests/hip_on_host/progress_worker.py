"""Runs the kernels of progress_*.cu, by a compiler and a number of threads that the environment sets; prints failures.

python -m tests.hip_on_host.progress_worker FOLDER [OPTION …]
"""

from __future__ import annotations

import ctypes
import functools
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.hip_on_host import hip_program, hiprtc_program

Ints = npt.NDArray[np.int32]
HERE = Path(__file__).parent
UNSEEN, SPINS = ((HERE / f"progress_{name}.cu").read_text(encoding="utf-8") for name in ("unseen", "spins"))
#: Kernels that wait for the value that the next thread leaves.
CHAINS = ("volatile", "empty_body", "do", "for_break", "counting", "fence", "sleep", "uncached", "goto", "nested",
          "lambda", "in_function", "member", "by_pointer", "shared", "by_calls", "by_turns", "behind_pragma")  # fmt: skip
N = 96


def zeros(count: int) -> Ints:
    return np.zeros(count, np.int32)


def turned(values: Any, times: int = 1) -> Any:
    return np.roll(values, -times, axis=-1)


class Cases:
    """Launches and their expected results; each method is a case."""

    def __init__(self, kernels: hiprtc_program.Kernels, options: Sequence[str]) -> None:
        self.modules = {
            source: kernels.load(source, *options, names=names)
            for source, names in ((UNSEEN, ["by_argument<turn>"]), (SPINS, []))
        }

    def launch(self, kernel: str, blocks: int, threads: int, *arguments: Any, shared: int = 0) -> None:
        values = [ctypes.c_int(one) if isinstance(one, int) else one for one in arguments]
        name = kernel.partition("<")[0]
        source = next(source for source in self.modules if re.search(rf"\b{name}\(|CHAIN\({name},", source))
        self.modules[source].launch(kernel, blocks, threads, *values, shared=shared)

    def by_pointer(self) -> bool:
        threads = np.arange(N)
        start = 10 * np.arange(3)[:, None] + threads
        wanted = [start + 3000, turned(start, 3), np.broadcast_to((threads // 32 * 32 * 32 + 496), (3, N))]
        good = True
        for which in (0, 1, 2, 1):
            out = zeros(3 * N)
            self.launch("by_pointer", 3, N, out, which)
            good &= bool((out.reshape(3, N) == wanted[which]).all())
        return good

    def late(self) -> bool:
        good = True
        for first in (0, 1, 40, N - 1, N):
            out = zeros(2 * N)
            self.launch("late", 2, N, out, first)
            for block in (0, 1):
                values = block * N + np.arange(N)
                wanted = np.where(np.arange(N) < first, -values, turned(values))
                good &= bool((out.reshape(2, N)[block] == wanted).all())
        return good

    def by_argument(self) -> bool:
        out = zeros(2 * N)
        self.launch("by_argument<turn>", 2, N, out)
        return bool((out.reshape(2, N) == turned(np.arange(N) ** 2)).all())

    def by_virtual(self) -> bool:
        plain, meeting = zeros(N), zeros(N)
        self.launch("by_virtual", 1, N, plain, 0)
        self.launch("by_virtual", 1, N, meeting, 1)
        values = 7 * np.arange(N)
        return bool((plain == values).all() and (meeting == turned(values)).all())

    def by_constructor(self) -> bool:
        out = zeros(N)
        self.launch("by_constructor", 1, N, out)
        return bool((out == turned(np.arange(N), 4)).all())

    def by_operator(self) -> bool:
        out = zeros(N)
        self.launch("by_operator", 1, N, out)
        return bool((out == turned(3 * np.arange(N))).all())

    def chain(self, name: str) -> bool:
        good = True
        for blocks, threads in ((1, 2), (3, 100), (1, 256)):
            flags, out = zeros(blocks * threads + 1), zeros(blocks * threads)
            self.launch(f"wait_{name}", blocks, threads, flags, out)
            good &= bool((out.reshape(blocks, threads) == np.arange(threads, 0, -1)).all())
        return good

    def wait_in_warp(self) -> bool:
        out = zeros(4 * 32)
        self.launch("wait_in_warp", 4, 32, zeros(4), out)
        return bool((out == 496).all())

    def wait_before_barrier(self) -> bool:
        out = zeros(3 * N)
        self.launch("wait_before_barrier", 3, N, zeros(3), out)
        return bool((out.reshape(3, N) == np.arange(N)[::-1]).all())

    def locks(self) -> bool:
        good = True
        for kernel, each in (("thread_lock", N), ("block_lock", 1)):
            total = zeros(1)
            self.launch(kernel, 20, N, zeros(1), total)
            good &= int(total[0]) == 20 * each
        return good

    def tickets(self) -> bool:
        order = zeros(N)
        self.launch("tickets", 1, N, zeros(1), order)
        return bool((order == np.arange(N)[::-1]).all())

    def largest(self) -> bool:
        out = np.zeros(1, np.float32)
        self.launch("largest", 8, N, out, N + 1)
        return float(out[0]) == max(t * 37 % (N + 1) for t in range(N))

    def blocks_backwards(self) -> bool:
        good = True
        for blocks in (2, 12):  # blocks of 64 threads: they fit one multiprocessor
            out = zeros(blocks * 64)
            self.launch("blocks_backwards", blocks, 64, zeros(blocks + 1), out, shared=256)
            wanted = 107 * np.arange(blocks)[:, None] + np.arange(64)[::-1]
            good &= bool((out.reshape(blocks, 64) == wanted).all())
        return good

    def look_back(self) -> bool:
        out = zeros(16 * 32)
        self.launch("look_back", 16, 32, zeros(16), out)
        blocks = np.arange(16)
        return bool((out.reshape(16, 32) == (blocks * (blocks + 1) // 2)[:, None]).all())

    def grid_barriers(self) -> bool:
        blocks, threads, rounds = 8, 128, 5
        n = blocks * threads
        out, data = zeros(n), zeros(n * rounds)
        self.launch("grid_barriers", blocks, threads, zeros(1), data, out, rounds)
        return bool((out == sum(r + (np.arange(n) + 77) % n for r in range(rounds))).all())

    def last_block(self) -> bool:
        total = zeros(1)
        self.launch("last_block", 50, N, zeros(1), zeros(50), total)
        return int(total[0]) == sum(range(50 * N))

    def pipeline(self) -> bool:
        out = zeros(20)
        self.launch("pipeline", 6, 32, zeros(6), zeros(6), out, 20)
        return bool((out == np.arange(20) + 5).all())

    def work_queue(self) -> bool:
        out = zeros(100 * 32)
        self.launch("work_queue", 3, 32, zeros(1), out, 100)
        return bool((out.reshape(100, 32) == np.arange(100)[:, None] + np.arange(32)).all())

    def all_at_once(self) -> bool:
        out = zeros(6 * N)
        self.launch("all_at_once", 6, N, zeros(1), out)
        return bool((out == np.arange(6 * N)).all())

    def every(self) -> dict[str, Callable[[], bool]]:
        """All cases by name."""
        cases: dict[str, Callable[[], bool]] = {f"wait_{name}": functools.partial(self.chain, name) for name in CHAINS}
        for name, method in vars(Cases).items():
            if not name.startswith("_") and name not in ("launch", "chain", "every"):
                cases[name] = method.__get__(self)
        return cases


def main(folder: str, *options: str) -> None:
    """Run every case and print the failed ones."""
    kernels = hiprtc_program.Kernels(hip_program.load(folder), hiprtc_program.load(folder))
    cases = Cases(kernels, options).every()
    for name, case in cases.items():
        print(name, flush=True)  # the last one is the one that hangs, if any does
        if not case():
            print("WRONG", name, flush=True)
    print("done", len(cases))


if __name__ == "__main__":
    main(*sys.argv[1:])
