"""Compares the signs in front of the programs with NVRTC's verdicts, and prints each program that differs, with NVRTC's log.

python -m tests.kernels.verdicts.compare [SUBJECT]
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.kernels import compilers
from tests.kernels.verdicts.programs import NVRTC, Program, programs

__all__ = ["differences", "has_that_nvrtc"]

_LAYOUT = max(compilers.WHEELS.values())
_WHEEL = next(wheel for wheel, layout in compilers.WHEELS.items() if layout == _LAYOUT)


def has_that_nvrtc() -> bool:
    """Return whether the wheel is installed whose verdicts the signs are."""
    return _LAYOUT in compilers.nvrtc() and importlib.metadata.version(_WHEEL) == NVRTC


def differences(some: Sequence[Program]) -> Iterator[tuple[Program, str]]:
    """Yield the programs whose sign is not NVRTC's verdict, with its log."""
    nvrtc, before = compilers.nvrtc()[_LAYOUT], Path.cwd()
    with tempfile.TemporaryDirectory(prefix="cuda_shim-verdicts-") as folder:
        os.chdir(folder)  # the options for precompiled headers write there
        try:
            for program in some:
                options = [option.encode() for option in program.options]
                outcome = nvrtc.compile(program.text.encode(), b"program.cu", options)
                if (outcome.status == 0) != program.taken:
                    yield program, outcome.log
        finally:
            os.chdir(before)


def main(words: Sequence[str]) -> int:
    some = programs(*words[:1])
    wrong = 0
    for program, log in differences(some):
        wrong += 1
        print(f"{program.subject}: {program.line}\n{log}")
    print(f"{len(some)} programs, {sum(program.taken for program in some)} of them taken; {wrong} signs are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
