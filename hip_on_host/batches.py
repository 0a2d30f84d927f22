"""Unity batches: one run of the compiler reads the headers of several units and instantiates their templates once.

Compiling each unit by itself takes half as long again. So files of a folder share one name space: a name that
two of them declare, even in anonymous namespaces, is an error there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from hip_on_host import sources

__all__ = ["Batch", "batches"]

# About eight batches in all: enough for the cores of a small machine, few enough that headers do not count.
_BYTES = 256 << 10


@dataclass(frozen=True)
class Batch:
    """Units for one run of the compiler: their name for it, and whether it optimizes fully."""

    name: str
    optimized: bool
    units: tuple[Path, ...]

    @property
    def size(self) -> int:
        """Bytes of text, to which the time of compiling is about proportional."""
        return sum(unit.stat().st_size for unit in self.units)

    @property
    def text(self) -> str:
        """A source that is all of them."""
        return "".join(f'#include "{unit}"\n' for unit in self.units)


def batches(units: Iterable[Path]) -> list[Batch]:
    """Return the units in batches of one part and one way of optimising, the same ones in every build."""
    result: list[Batch] = []
    for (part, optimized, excluded), group in groupby(sorted(units, key=lambda unit: (_kind(unit), unit)), key=_kind):
        for units_of_batch in _divided(list(group)):
            result.append(Batch(f"{part}-{excluded or len(result)}", optimized, tuple(units_of_batch)))
    return result


def _kind(unit: Path) -> tuple[str, bool, str]:
    return sources.part(unit), sources.is_optimized(unit), unit.stem if sources.is_excluded_from_unity(unit) else ""


def _divided(units: list[Path]) -> list[list[Path]]:
    """Return pieces of nearly equal size, none much larger than a batch should be."""
    sizes = [unit.stat().st_size for unit in units]
    count = -(-sum(sizes) // _BYTES)
    pieces: list[list[Path]] = [[] for _ in range(count)]
    passed = 0
    for unit, size in zip(units, sizes, strict=True):
        pieces[min(passed * count // sum(sizes), count - 1)].append(unit)
        passed += size
    return pieces
