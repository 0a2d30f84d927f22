"""Runs CuPy's kernels of indexing, searching and partial sorting on the backend that is served, against numpy.

    python -m cuda_shim run --backend cpu --cuda 13.5 -m tests.kernels.others.run_numpy_indexing FOLDER [-n COUNT] [-k WORDS]

FOLDER holds the files of `draw_cupy.py`: each kernel as CuPy's own functions call it, with several types, on flat
arrays and on arrays of three dimensions with gaps. COUNT of each kernel are taken, the first ones, all of them by
default; those in whose name WORDS, a regular expression, are found. Numbers are whole and small, so that sums are exact
in any order.
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.kernels.others.run_numpy import (
    Device,
    Program,
    array,
    compiled,
    described,
    differs,
    indexer,
    launched,
    offset,
)

Array = Any


class Case(NamedTuple):
    """A call of a kernel.

    Attributes:
        arguments: arrays and numbers, in the order of the kernel's parameters.
        wanted: numpy's values for each argument that is a result.
        loop: the shape that the kernel goes through.
    """

    arguments: list[Any]
    wanted: dict[int, Any]
    loop: tuple[int, ...]


class Call:
    """The types and the layout of a call."""

    def __init__(self, kinds: dict[str, str], strided: bool) -> None:
        self.kinds, self.strided = kinds, strided
        self._rng = np.random.default_rng(11)

    def shape(self, *sizes: int) -> tuple[int, ...]:
        """The shape as it is, or its size where the call is flat."""
        return sizes if self.strided else (int(np.prod(sizes)),)

    def numbers(self, letter: str, *sizes: int, low: int = 1, high: int = 9) -> Array:
        """Whole numbers of the type that the letter stands for."""
        return self._rng.integers(low, high, self.shape(*sizes)).astype(self.kinds[letter])

    def places(self, letter: str, count: int, below: int, unique: bool = False) -> Array:
        """Indices, of which some are negative; each place at most once where they are `unique`."""
        found = self._rng.permutation(below)[:count] if unique else self._rng.integers(0, below, count)
        return (found - np.where(self._rng.integers(0, 2, count), below, 0)).astype(self.kinds[letter])

    def mask(self, *sizes: int) -> Array:
        return self._rng.integers(0, 2, self.shape(*sizes)).astype(bool)

    def axis(self, letter: str, unique: bool) -> tuple[Array, Array, tuple[int, int, int], Array]:
        """An array, indices along its middle axis, the kernel's sizes of it, and the indices for each element."""
        a = self.numbers("T", 4, 9, 5)
        if not self.strided:
            places = self.places(letter, 60, a.size, unique)
            return a, places, (60, 1, a.size), places
        places = self.places(letter, 7 if unique else 11, 9, unique)
        return a, places, (len(places), 5, 9), np.broadcast_to(places[:, None], (4, len(places), 5))


def _long(value: int) -> Any:
    return np.int64(value)


def _at(a: Array, places: Array) -> tuple[Any, ...]:
    """The index of the places along the middle axis, or in a flat array."""
    return (places,) if a.ndim == 1 else (slice(None), places)


def take(call: Call) -> Case:
    a, places, (cdim, rdim, size), each = call.axis("S", unique=False)
    wanted = a[_at(a, places)]
    ldim = 4 if call.strided else 1
    numbers = [_long(ldim), _long(cdim), _long(rdim), _long(size)]
    return Case([a, each, *numbers, np.zeros_like(wanted)], {6: wanted}, wanted.shape)


def take_scalar(call: Call) -> Case:
    a = call.numbers("T", 4, 9, 5)
    wanted = a[:, -2:-1, :] if call.strided else a[-2:-1]
    sizes = (4, 1, 5, 9) if call.strided else (1, 1, 1, a.size)
    return Case([a, _long(-2), *map(_long, sizes), np.zeros_like(wanted)], {6: wanted}, wanted.shape)


def choose(clip: bool) -> Callable[[Call], Case]:
    def make(call: Call) -> Case:
        low, high = (-3, 9) if clip else (0, 4)
        a, choices = call.numbers("S", 3, 5, 7, low=low, high=high), call.numbers("T", 12, 5, 7)
        each = choices.reshape(4, *a.shape)
        wanted = np.choose(a, each, mode="clip") if clip else np.choose(a, each)
        numbers = [_long(a.size), *([_long(4)] if clip else [])]
        return Case([a, choices, *numbers, np.zeros_like(wanted)], {2 + len(numbers): wanted}, a.shape)

    return make


def put(mode: str) -> Callable[[Call], Case]:
    def make(call: Call) -> Case:
        data, values = call.numbers("U", 5, 9, 3), call.numbers("T", 2, 2, 3)
        size, count = data.size, 30
        brought = np.random.default_rng(2).permutation(np.arange(1, size - 1))[
            :count
        ]  # into the array, each place once
        places = brought - np.where(np.arange(count) % 3, 0, size)
        if mode == "wrap":
            places[5::7] += 2 * size
        elif mode == "clip":
            places = brought.copy()
            brought[:2], places[:2] = (0, size - 1), (-7, size + 5)
        wanted = data.copy()
        wanted.flat[brought] = np.resize(values, count)
        results = {4: wanted}
        given = [
            places.astype(call.kinds["S"]).reshape(call.shape(5, 2, 3)),
            values,
            _long(values.size),
            _long(size),
            data,
        ]
        if mode == "raise":
            given[0].flat[7] = size
            wanted.flat[brought[7]] = data.flat[brought[7]]
            given.append(np.zeros(call.shape(1, 1, 1), bool))
            results[5] = np.ones(call.shape(1, 1, 1), bool)
        return Case(given, results, given[0].shape)

    return make


def scatter(operation: Any) -> Callable[[Call], Case]:
    def make(call: Call) -> Case:
        a, places, (cdim, rdim, size), each = call.axis("S", unique=operation is None)
        v = call.numbers("T", *each.shape) if call.strided else call.numbers("T", each.size)
        wanted = a.copy()
        if operation is None:
            wanted[_at(a, places)] = v
        else:
            operation.at(wanted, _at(a, places), v)
        return Case([v, each, _long(cdim), _long(rdim), _long(size), a], {5: wanted}, each.shape)

    return make


def scatter_mask(operation: Any) -> Callable[[Call], Case]:
    def make(call: Call) -> Case:
        a, mask = call.numbers("T", 4, 9, 5), call.mask(4, 9, 5)
        scanned = np.cumsum(mask.ravel()).reshape(mask.shape).astype(call.kinds["S"])
        v = call.numbers("T", int(mask.sum()), 1, 1)
        wanted = a.copy()
        wanted[mask] = v.ravel() if operation is None else operation(a[mask], v.ravel())
        return Case([v, mask, scanned, a], {3: wanted}, mask.shape)

    return make


def getitem_mask(call: Call) -> Case:
    a, mask = call.numbers("T", 4, 9, 5), call.mask(4, 9, 5)
    scanned = np.cumsum(mask.ravel()).reshape(mask.shape).astype(call.kinds["S"])
    wanted = a[mask].reshape(call.shape(int(mask.sum()), 1, 1))
    return Case([a, mask, scanned, np.zeros_like(wanted)], {3: wanted}, mask.shape)


def nonzero(call: Call) -> Case:
    src = call.numbers("T", 4, 9, 5, low=0, high=2)
    scanned = np.cumsum(src.ravel() != 0).reshape(src.shape).astype(call.kinds["S"])
    wanted = np.argwhere(src)
    made = np.zeros((len(wanted), 2 * wanted.shape[1]), np.int64)[:, ::2] if call.strided else np.zeros_like(wanted)
    return Case([src, scanned, made], {2: wanted}, src.shape)


def prepare(call: Call) -> Case:
    s, out = call.numbers("T", 3, 5, 7, low=-20, high=20), call.numbers("S", 3, 5, 7)
    kind = np.dtype(call.kinds["S"]).type
    return Case([s, kind(6), kind(35), out], {3: out + 35 * (s % 6)}, s.shape)


def putmask(call: Call) -> Case:
    mask, values, out = call.mask(3, 5, 7), call.numbers("S", 2, 2, 3), call.numbers("T", 3, 5, 7)
    wanted = out.copy()
    np.putmask(wanted, mask, values)
    return Case([mask, values, np.uint64(values.size), out], {3: wanted}, mask.shape)


def flat_get(call: Call) -> Case:
    a = call.numbers("T", 4, 9, 5)
    wanted = a.ravel()[3:87:2].reshape(call.shape(3, 2, 7))
    return Case([a, _long(3), _long(2), np.zeros_like(wanted)], {3: wanted}, wanted.shape)


def flat_set(call: Call) -> Case:
    a, values = call.numbers("T", 4, 9, 5), call.numbers("T", 2, 2, 3)
    wanted = a.copy()
    wanted.flat[3:87:2] = np.resize(values, 42)
    return Case([values, _long(3), _long(2), a], {3: wanted}, call.shape(3, 2, 7))


def resize(call: Call) -> Case:
    x = call.numbers("T", 2, 2, 3)
    wanted = np.resize(x, call.shape(3, 5, 7))
    return Case([x, _long(x.size), np.zeros_like(wanted)], {2: wanted}, wanted.shape)


def piecewise(call: Call) -> Case:
    mask, value, y = call.mask(3, 5, 7), call.numbers("T", 3, 5, 7), call.numbers("T", 3, 5, 7)
    return Case([mask, value, y], {2: np.where(mask, value, y)}, mask.shape)


def triangle(lower: bool) -> Callable[[Call], Case]:
    def make(call: Call) -> Case:
        x = call.numbers("S", 6, 7, 5)
        rows, columns = (0, 1) if lower else (1, 2)  # CuPy's tril is for matrices alone
        place = np.indices(x.shape)
        kept = place[columns] - place[rows] <= 1 if lower else place[columns] - place[rows] >= 1
        return Case([_long(1), x], {1: np.where(kept, x, 0)}, x.shape)

    return make


def _bins(call: Call) -> tuple[Array, Array]:
    """Numbers and increasing bins, of which some are among the numbers."""
    x = call.numbers("S", 3, 5, 7, low=0, high=30)
    bins = np.unique(call.numbers("T", 2, 3, 2, low=1, high=28))
    return x, bins.reshape(call.shape(len(bins), 1, 1))


def searchsorted(call: Call) -> Case:
    x, bins = _bins(call)
    wanted = np.searchsorted(bins.ravel(), x, side="right")
    given = [x, bins, _long(bins.size), np.bool_(True), np.bool_(True), np.zeros(x.shape, np.int64)]
    return Case(given, {5: wanted}, x.shape)


def exists(both: bool) -> Callable[[Call], Case]:
    def make(call: Call) -> Case:
        x, bins = _bins(call)
        given = [x, bins, _long(bins.size), np.bool_(False), np.zeros(x.shape, bool)]
        wanted: dict[int, Any] = {4: np.isin(x, bins)}
        if both:
            given.append(np.zeros(x.shape, np.int64))
            wanted[5] = np.searchsorted(bins.ravel(), x)
        return Case(given, wanted, x.shape)

    return make


def setxor(call: Call) -> Case:
    x = np.sort(call.numbers("T", 30, 1, 1, low=0, high=40), axis=0)
    values, counts = np.unique(x, return_counts=True)
    wanted = np.isin(x, values[counts == 1])
    return Case([x, _long(x.size), np.zeros(x.shape, bool)], {2: wanted}, x.shape)


def bincount(weighted: bool) -> Callable[[Call], Case]:
    def make(call: Call) -> Case:
        x = call.numbers("S", 3, 5, 7)
        weights = [call.numbers("T", 3, 5, 7)] if weighted else []
        counts = np.bincount(x.ravel(), weights[0].ravel() if weighted else None, minlength=12)
        wanted = counts.astype(call.kinds["U"]).reshape(call.shape(12, 1, 1))
        return Case([x, *weights, np.zeros_like(wanted)], {1 + len(weights): wanted}, x.shape)

    return make


def histogram(weighted: bool) -> Callable[[Call], Case]:
    def make(call: Call) -> Case:
        x = call.numbers("S", 3, 5, 7, low=0, high=30)
        bins = np.array([1, 4, 5, 11, 20, 28], call.kinds["T"]).reshape(call.shape(6, 1, 1))
        weights = [call.numbers("W", 3, 5, 7)] if weighted else []
        counts, _ = np.histogram(x, bins.ravel(), weights=weights[0] if weighted else None)
        wanted = counts.astype(call.kinds["Y" if weighted else "U"]).reshape(call.shape(5, 1, 1))
        return Case([x, bins, np.int32(6), *weights, np.zeros_like(wanted)], {3 + len(weights): wanted}, x.shape)

    return make


def get_indices(call: Call) -> Case:
    chosen = call.numbers("U", 40, 1, 1, low=0, high=2)
    places = np.flatnonzero(chosen).astype(chosen.dtype)
    wanted = places.reshape(call.shape(len(places), 1, 1))
    return Case([np.cumsum(chosen, axis=0, dtype=chosen.dtype), np.zeros_like(wanted)], {1: wanted}, chosen.shape)


CALLS: dict[str, Callable[[Call], Case]] = {
    "take": take, "take_scalar": take_scalar, "choose": choose(False), "choose_clip": choose(True),
    "put_raise": put("raise"), "put_wrap": put("wrap"), "put_clip": put("clip"),
    "scatter_update": scatter(None), "scatter_add": scatter(np.add), "scatter_sub": scatter(np.subtract),
    "scatter_max": scatter(np.maximum), "scatter_min": scatter(np.minimum), "scatter_and": scatter(np.bitwise_and),
    "scatter_or": scatter(np.bitwise_or), "scatter_xor": scatter(np.bitwise_xor),
    "scatter_update_mask": scatter_mask(None), "scatter_max_mask": scatter_mask(np.maximum),
    "scatter_min_mask": scatter_mask(np.minimum), "scatter_and_mask": scatter_mask(np.bitwise_and),
    "scatter_or_mask": scatter_mask(np.bitwise_or), "scatter_xor_mask": scatter_mask(np.bitwise_xor),
    "getitem_mask": getitem_mask, "nonzero_kernel": nonzero, "prepare_array_indexing": prepare,
    "putmask_kernel": putmask, "flatiter_getitem_slice": flat_get, "flatiter_setitem_slice": flat_set,
    "resize": resize, "piecewise_kernel": piecewise, "tril_kernel": triangle(True), "triu_kernel": triangle(False),
    "searchsorted_kernel": searchsorted, "exists_kernel": exists(False), "exists_and_searchsorted_kernel": exists(True),
    "setxorkernel": setxor, "bincount_kernel": bincount(False), "bincount_with_weight_kernel": bincount(True),
    "histogram_kernel": histogram(False), "weighted_histogram_kernel": histogram(True), "get_indices": get_indices,
}  # fmt: skip
_NAME = re.compile(r"cupy-indexing-(?:cupy_)?(\w+)-((?:[A-Z]\.\w+?_?)+)-(flat|strided)-")


def programs(folder: Path, words: str) -> Iterator[tuple[Program, Case]]:
    """The drawn programs with their arguments."""
    for file in sorted(folder.glob("cupy-indexing-*.json")):
        found = _NAME.match(file.name)
        if found is None or not re.search(words, file.name):
            continue
        name, letters, layout = found.groups()
        kinds = dict(one.split(".") for one in letters.split("_"))
        content = json.loads(file.read_text(encoding="utf-8"))
        kernel = name if name == "setxorkernel" else f"cupy_{name}"
        program = Program(file, layout, name, kernel, [], [], content["source"].encode(), content["options"])
        yield program, CALLS[name](Call(kinds, layout == "strided"))


def run(program: Program, case: Case, device: Device) -> str:
    """Run a case; return the difference of its results from numpy's, empty where there is none."""
    kernel = compiled(program, [])
    parameters, held = [], {}
    for number, argument in enumerate(case.arguments):
        if isinstance(argument, np.ndarray):
            gaps = program.kind == "strided" and argument.ndim == 3
            one = array(argument.shape, gaps, argument) if gaps else argument
            held[number] = one, device.holds(one)
            parameters.append(described(one, held[number][1] + offset(one)))
        else:
            parameters.append(argument.tobytes())
    launched(kernel, [*parameters, indexer(case.loop)], 2)
    told = []
    for number, wanted in case.wanted.items():
        device.reads(*held[number])
        told.append(differs(held[number][0], wanted))
    return "; ".join(filter(None, told))


def main() -> None:
    """Run the programs and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-n", dest="count", type=int, default=sys.maxsize)
    parser.add_argument("-k", dest="words", default="")
    asked = parser.parse_args()
    device, of_each = Device(), collections.Counter[str]()
    equal = 0
    for program, case in programs(asked.folder, asked.words):
        of_each[program.function] += 1
        if of_each[program.function] > asked.count:
            of_each[program.function] -= 1
            continue
        try:
            difference = run(program, case, device)
        except AssertionError as error:
            difference = f"failed: {str(error)[:400]}"
        finally:
            device.forget()
        equal += not difference
        if difference:
            print(f"{program.file.name}: {difference}", flush=True)
    print(f"{equal} of {of_each.total()} calls of {len(of_each)} kernels as numpy")


if __name__ == "__main__":
    main()
