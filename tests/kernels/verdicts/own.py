"""Compiles programs as a CUDA Python program does, and prints each whose sign is not this project's verdict.

python -m cuda_shim run --backend cpu -m tests.kernels.verdicts.own [--step N] [--logs] [SUBJECT ...]

A line has the wrong verdict, + or -, the subject and the program.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence

from tests.kernels.verdicts.logs import compiled
from tests.kernels.verdicts.programs import programs

__all__ = ["main"]


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="own", description=__doc__)
    parser.add_argument("--step", type=int, default=1, help="compile every Nth program")
    parser.add_argument("--logs", action="store_true", help="print the beginning of the logs of refused programs")
    parser.add_argument("subjects", nargs="*", default=["*"])
    chosen = parser.parse_args(words)
    some = [program for subject in chosen.subjects for program in programs(subject)[:: chosen.step]]
    with tempfile.TemporaryDirectory(prefix="cuda_shim-verdicts-") as folder:
        os.chdir(folder)  # the options for precompiled headers write there
        for program in some:
            taken, log = compiled(program.text, list(program.options))
            if taken != program.taken:
                print(f"{'+' if taken else '-'} {program.subject}: {program.line}", flush=True)
                if chosen.logs and not taken:
                    print("    " + "\n    ".join(log.splitlines()[:3]), flush=True)
        os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
