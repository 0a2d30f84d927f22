"""Kernels of PTX's video instructions, the operands of their threads, and the results that an NVIDIA GPU recorded."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from tests.ptx.video_forms import statements

__all__ = [
    "THREADS", "batches", "differences", "inline_source", "kernels_of", "module", "numbered_statements", "operand_table",
]  # fmt: skip

#: Statements with their numbers among all.
Numbered = Sequence[tuple[int, str]]

THREADS = 24
_IN_KERNEL = 32
_HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
# Rows of operands: a thread's row for a statement follows that of the thread before, and statements begin at other rows.
_ROWS, _STEP = 240, 7
_EDGES = (
    0, 1, 2, 31, 32, 33, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x00FF80FF,
    0x80017FFE,
)  # fmt: skip


def numbered_statements(step: int = 1) -> Numbered:
    """Return every `step`-th statement."""
    return list(enumerate(statements()))[::step]


def batches(items: Numbered, size: int) -> list[Numbered]:
    return [items[first : first + size] for first in range(0, len(items), size)]


def kernels_of(some: Numbered) -> list[tuple[str, Numbered]]:
    """Return the kernels of some statements: their names, and the statements of each."""
    return [(f"k{index}", each) for index, each in enumerate(batches(some, _IN_KERNEL))]


def operand_table() -> np.ndarray:
    """Return the rows of operands a, b and c: pairs of edges, equal numbers, small shifts, random words.

    The first rows stand again behind the last.
    """
    words = _random_words()
    rows = [(a, b, next(words)) for a, b in list(itertools.product(_EDGES, _EDGES))[::3]]
    rows += [(a, a, edge) for a, edge in zip(words, _EDGES, strict=False)]
    rows += [(a, a ^ 1 << a % 32, b) for a, b in zip(words, itertools.islice(words, 17), strict=False)]
    rows += [(a, shift, c) for a, shift, c in zip(words, range(0, 48, 2), _EDGES * 2, strict=False)]
    rows += [(next(words), next(words), next(words)) for _ in range(_ROWS - len(rows))]
    return np.array(rows[:_ROWS] + rows[:THREADS], np.uint32)


def _random_words() -> Iterator[int]:
    """Yield the words of a linear congruential generator, which are the same everywhere."""
    state = 20240607
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        yield state >> 32


def module(some: Numbered) -> str:
    """Return a module; the result of a kernel's statement n in thread t is word n * THREADS + t."""
    return _HEAD + _written(some, _kernel)


def inline_source(some: Numbered) -> str:
    """Return the same in CUDA C++, as inline PTX."""
    return _written(some, _inline_kernel)


def _written(some: Numbered, write: Callable[[str, Numbered], str]) -> str:
    return "".join(itertools.starmap(write, kernels_of(some)))


def _first_row(number: int) -> int:
    return number * _STEP % _ROWS


def _kernel(name: str, some: Numbered) -> str:
    lines = [f".visible .entry {name}(.param .u64 out, .param .u64 in) {{",
             "  .reg .b32 %t, %a, %b, %c, %d; .reg .b64 %o, %i, %x;",
             "  ld.param.u64 %o, [out]; ld.param.u64 %i, [in]; mov.u32 %t, %tid.x;",
             "  mul.wide.u32 %x, %t, 12; add.s64 %i, %i, %x; mul.wide.u32 %x, %t, 4; add.s64 %o, %o, %x;"]  # fmt: skip
    for place, (number, statement) in enumerate(some):
        at = 12 * _first_row(number)
        loads = " ".join(f"ld.global.u32 %{operand}, [%i+{at + 4 * i}];" for i, operand in enumerate("abc"))
        lines.append(f"  {loads} {statement} st.global.u32 [%o+{4 * THREADS * place}], %d;")
    return "\n".join((*lines, "  ret;", "}\n"))


def _inline_kernel(name: str, some: Numbered) -> str:
    lines = []
    for place, (number, statement) in enumerate(some):
        at = 3 * _first_row(number)
        text = statement.replace("%d", "%0").replace("%a", "%1").replace("%b", "%2").replace("%c", "%3")
        sources = ", ".join(f'"r"(in[{at + i}])' for i in range(3))
        lines.append(f'    asm("{text}" : "=r"(out[{THREADS * place}]) : {sources});')
    return "\n".join((
        f'extern "C" __global__ void {name}(unsigned* out, const unsigned* in) {{',
        "    in += 3 * threadIdx.x, out += threadIdx.x;", *lines, "}\n",
    ))  # fmt: skip


def differences(some: Numbered, results: np.ndarray, file: Path) -> Iterator[str]:
    """Yield a line for each statement whose results, a row of them for each, are not the recorded ones."""
    with np.load(file) as recorded:
        texts, words = str(recorded["statements"]).split("\n"), recorded["results"]
    assert texts == list(statements()), "the recorded statements are others: record them again"
    table = operand_table()
    for (number, statement), own in zip(some, results, strict=True):
        wrong = np.nonzero(own != words[number])[0]
        if len(wrong):
            first = wrong[0]
            inputs = " ".join(f"{value:#x}" for value in table[_first_row(number) + first])
            yield f"{statement} {inputs}: {own[first]:#x} instead of {words[number][first]:#x}, {len(wrong)} times"
