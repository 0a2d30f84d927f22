"""Small kernels that are ordinary CUDA and whose meaning a reader of their tokens alone would get wrong.

Each `.cu` file holds many kernels `name(int* out, int n)`, which are started with three blocks of 64 threads. None has
a race; integers alone are compared, so every form of a kernel must leave the same bits.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tests.hip_on_host.program_outcomes import Launch, Program

FOLDER = Path(__file__).resolve().parent

GRID, BLOCK, N = 3, 64, 5
SHARED_BYTES = 1024

#: NVRTC's options: before 13, generic lambdas and deduction guides are the host's without `-default-device`.
NVRTC_OPTIONS = ("-std=c++17", "-default-device")

_KERNEL = re.compile(
    r'^(?:extern "C" __global__ void (?P<plain>\w+)\(|KERNEL\((?P<macro>\w+)\))(?:[^\n]*\}\n|.*?^\}\n)', re.MULTILINE | re.DOTALL
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class File:
    """A program of kernels that hide their meaning in the same way."""

    name: str
    source: str

    @property
    def kernels(self) -> tuple[str, ...]:
        """The names of its kernels."""
        return tuple(_name(found) for found in _KERNEL.finditer(self.source))

    def source_of(self, kernels: Sequence[str]) -> str:
        """The file without its other kernels; the lines stay where they are."""
        return _KERNEL.sub(
            lambda found: found[0] if _name(found) in kernels else "\n" * found[0].count("\n"), self.source
        )

    def program(self, kernels: Sequence[str]) -> Program:
        """Some of its kernels, and how to start them."""
        arguments = (given(), np.int32(N))
        launches = (Launch(name, arguments, (GRID, 1, 1), (BLOCK, 1, 1), SHARED_BYTES) for name in kernels)
        return Program(self.source_of(kernels), tuple(launches), ("-std=c++17",))

    def programs(self, together: int) -> list[Program]:
        """Return all its kernels, `together` in a program: one that cannot be split may leave its neighbours whole."""
        names = self.kernels
        return [self.program(names[first : first + together]) for first in range(0, len(names), together)]


def _name(found: re.Match[str]) -> str:
    return found["plain"] or found["macro"]


def files() -> dict[str, File]:
    """Return all files, by name."""
    return {path.stem: File(path.stem, path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.cu"))}


def given() -> npt.NDArray[np.int32]:
    """Return the values of `out` before a launch."""
    return (np.arange(GRID * BLOCK, dtype=np.int32) * 37 + 11) % 101
