"""Runs random PTX kernels, whose texts random_flow.py makes.

On an NVIDIA GPU, with NVIDIA's own CUDA Python, from the checkout's root, 300 of them are recorded with their results:

    python -m tests.ptx.random_program record tests/ptx/recorded_random.npz

With the shim in its place they are compared with the recorded results, or the results of texts in a folder with those
of the same texts with every function as a dispatch loop:

    python -m cuda_shim run --backend cpu tests/ptx/random_program.py compare tests/ptx/recorded_random.npz
    python -m cuda_shim run --backend cpu tests/ptx/random_program.py plain folder

and so are new kernels, drawn by their numbers, as many as time allows; they are compiled as fast as can be:

    python -m cuda_shim run --backend cpu tests/ptx/random_program.py drawn 11000 12000
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import lzma
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
from cuda.bindings import driver

sys.path.append(str(Path(__file__).resolve().parents[2]))

BLOCKS, THREADS, WORDS = 2, 64, 64
RECORDED, IN_ONE = 300, 25
_NAME = re.compile(r"\.visible \.entry (\w+)\(")


def ok(result):
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


def begin():
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))


class Runner:
    """Launches kernels of random modules, all with the same input."""

    def __init__(self):
        self._in, self._common = ok(driver.cuMemAlloc(4 * WORDS)), ok(driver.cuMemAlloc(64))
        self._bytes = 4 * WORDS * BLOCKS * THREADS
        self._out = ok(driver.cuMemAlloc(self._bytes))
        self._words = np.random.default_rng(14).integers(0, 1 << 32, WORDS, np.uint32)
        self._words[8:24:2] = [0, 0x80000000, 1, 0x7F800000, 0x3F800000, 0xFFFFFFFF, 0x7FFFFFFF, 0x7FC00000]
        ok(driver.cuMemcpyHtoD(self._in, self._words.ctypes.data, 4 * WORDS))

    def results(self, text):
        """Return, by kernel, the words that its threads wrote, and behind them the words that they share."""
        # Without optimisation: the optimiser of NVIDIA's compiler gives one of these kernels a loop without an end.
        level = driver.CUjit_option.CU_JIT_OPTIMIZATION_LEVEL
        module = ok(driver.cuModuleLoadDataEx(text.encode() + b"\0", 1, [level], [0]))
        outputs = {
            name: self._result(ok(driver.cuModuleGetFunction(module, name.encode()))) for name in _NAME.findall(text)
        }
        ok(driver.cuModuleUnload(module))
        return outputs

    def _result(self, function):
        ok(driver.cuMemsetD8(self._out, 0, self._bytes))
        ok(driver.cuMemsetD8(self._common, 0, 64))
        arguments = [ctypes.c_void_p(int(address)) for address in (self._in, self._common, self._out)]
        pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(value) for value in arguments))
        ok(driver.cuLaunchKernel(function, BLOCKS, 1, 1, THREADS, 1, 1, 0, 0, ctypes.addressof(pointers), 0))
        words = np.zeros(self._bytes // 4 + 16, np.uint32)
        ok(driver.cuMemcpyDtoH(words.ctypes.data, self._out, self._bytes))
        ok(driver.cuMemcpyDtoH(words.ctypes.data + self._bytes, self._common, 64))
        return words


def folded(words):
    """Return, by register, a word that depends on its values in all threads; the shared words are behind."""
    table = words[:-16].reshape(-1, WORDS).astype(np.uint64)
    weights = np.arange(1, 2 * len(table), 2, dtype=np.uint64)[:, None] * np.uint64(0x9E3779B97F4A7C15)
    return np.concatenate(((table * weights).sum(0, dtype=np.uint64), words[-16:].astype(np.uint64)))


def record(file):
    from tests.ptx.forms import judged_forms
    from tests.ptx.random_flow import module

    begin()
    runner = Runner()
    texts: list[str] = []
    arrays: dict[str, np.ndarray] = {}
    for first in range(0, RECORDED, IN_ONE):
        texts.append(branched(module(range(first, first + IN_ONE), judged_forms())))
        arrays |= {name: folded(words) for name, words in runner.results(texts[-1]).items()}
    packed = np.frombuffer(lzma.compress("\f".join(texts).encode()), np.uint8)
    arrays["texts"] = packed
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    print(f"{len(arrays) - 1} kernels are recorded")


# NVIDIA's compiler, at every level, loses guards of instructions that it expands: `@%p set.lt.f32.s32 %f, ...` alone,
# with a false guard, turns the value of %f into another number, as if its bits were an integer's. As branches they
# stay.
_LOST_GUARD = re.compile(r"(?m)^(\s*)@(!?)(%\w+) ((?:set|testp|v\w+4)\..*)$")


def branched(text):
    """The same program with branches for the guards that NVIDIA's compiler loses."""
    numbers = itertools.count()

    def branch(match):
        space, negated, guard, instruction = match.groups()
        label = f"UNGUARDED{next(numbers)}"
        return f"{space}@{'' if negated else '!'}{guard} bra {label};\n{space}{instruction}\n{label}:"

    return _LOST_GUARD.sub(branch, text)


def compare(file, every=1):
    """Compare one module of each `every` of the recorded ones."""
    begin()
    runner, count, wrong = Runner(), 0, 0
    recorded = np.load(file)
    for text in lzma.decompress(recorded["texts"].tobytes()).decode().split("\f")[:: int(every)]:
        for name, words in runner.results(text).items():
            count += 1
            different = np.nonzero(folded(words) != recorded[name])[0]
            if len(different):
                wrong += 1
                print(f"{name}: not as recorded at {different.tolist()}")
    print(f"{count} kernels, {wrong} differ")
    return wrong


def plain(folder):
    return _compared((file.name, file.read_text()) for file in sorted(Path(folder).glob("*.ptx")))


def drawn(first, end):
    """Compare kernels first to end - 1; two thirds of the time would be the optimiser's, and the reader's of C++."""
    from cuda_shim.translate.ptx import writer

    writer.OPTIONS = (*writer.OPTIONS, b"-O0")
    os.environ["CUDA_SHIM_CPU_SPLIT"] = "0"
    return _compared(_texts(range(int(first), int(end))), said_every=10)


def _texts(seeds):
    from tests.ptx.forms import judged_forms
    from tests.ptx.random_flow import module

    for first in range(seeds.start, seeds.stop, IN_ONE):
        yield str(first), module(range(first, min(first + IN_ONE, seeds.stop)), judged_forms())


def _compared(texts, said_every=0):
    """Return the number of kernels whose structured form and plain dispatch differ, and print them."""
    from cuda_shim.translate.ptx import writer

    begin()
    runner, wrong, count = Runner(), 0, 0
    translate = writer.translate
    for number, (source, text) in enumerate(texts, 1):
        expected = runner.results(text)
        # Another text, since compiled code is cached by its text.
        writer.translate = functools.partial(translate, plain=True)
        outputs = runner.results(text + "// plain\n")
        writer.translate = translate
        for name, words in expected.items():
            count += 1
            different = np.nonzero(words != outputs[name])[0]
            if len(different):
                wrong += 1
                print(f"{source} {name}: differs at {different[:6].tolist()}, {len(different)} words", flush=True)
        if said_every and number % said_every == 0:
            print(f"{count} so far, {wrong} differ", flush=True)
    print(f"{count} kernels, {wrong} differ", flush=True)
    return wrong


if __name__ == "__main__":
    modes: dict[str, Any] = {"record": record, "compare": compare, "plain": plain, "drawn": drawn}
    raise SystemExit(1 if modes[sys.argv[1]](*sys.argv[2:]) else 0)
