"""cuRAND's device functions: the numbers that kernels of the CPU runtime get from them.

    python -m cuda_shim run --backend cpu -m tests.kernels.random_numbers FOLDER...

records them with NVIDIA's own header, from folders such as those of the wheels nvidia-curand and nvidia-cuda-runtime;
without a folder the header that comes with the CPU runtime is compared with that. Sequences and uniform numbers are the
same on a GPU; for normal ones that is as near as its sine and logarithm are to the host's. Compilers may differ in the
last place of these functions, which are inlined for some and the C library's for others.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.kernels import core_worker
from tests.program_files import read_program

RECORDED = Path(__file__).with_name("random_numbers.json")
THREADS, NUMBERS = 16, 52

SOURCE = read_program(__file__, "random_numbers.cu")


def drawn(folders: list[str]) -> Any:
    """The numbers of each thread."""
    core_worker.begin()
    return core_worker.run(SOURCE, folders, THREADS, np.zeros(1, np.int32), np.zeros((THREADS, NUMBERS)))


def _agree(number: float, recorded: float) -> bool:
    """Return whether two numbers are the same but for the last places of a double, of which floats have none."""
    return abs(number - recorded) <= 2 * np.spacing(abs(recorded))


def main(folders: list[str]) -> None:
    """Record, or compare with the recorded numbers."""
    numbers = [[float(number).hex() for number in thread] for thread in drawn(folders)]
    if folders:
        RECORDED.write_text(json.dumps(numbers).replace("], [", "],\n[") + "\n", encoding="utf-8")
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    different = [
        (thread, index) for thread in range(THREADS) for index in range(NUMBERS)
        if not _agree(float.fromhex(numbers[thread][index]), float.fromhex(recorded[thread][index]))
    ]  # fmt: skip
    print("the same numbers" if not different else f"other numbers (thread, index): {different[:20]}")


if __name__ == "__main__":
    main(sys.argv[1:])
