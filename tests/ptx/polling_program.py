"""The kernels of polling.py.

    python -m cuda_shim run --backend cpu tests/ptx/polling_program.py [NAME...]

Prints each kernel's name, and the numbers of the blocks in the order in which they had their turns.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from cuda.bindings import driver

sys.path.append(str(Path(__file__).resolve().parents[2]))
from tests.kernels.core_worker import begin, check, compiled
from tests.ptx.polling import sources

BLOCKS, THREADS = 4, {"semaphore": 96}


def order(name: str, source: str) -> list[int]:
    """Run a kernel; return the blocks in order."""
    is_ptx = source.startswith(".version")
    code = source.encode() if is_ptx else compiled(source, ["--gpu-architecture=compute_80"], f"{name}.cu")
    kernel = check(driver.cuModuleGetFunction(check(driver.cuModuleLoadData(code)), b"wait"))
    memory = int(check(driver.cuMemAlloc(256)))
    check((*driver.cuMemsetD8(memory, 0, 256), None))
    arguments = np.array([memory, memory + 128], np.uint64)
    places = np.array([arguments.ctypes.data, arguments.ctypes.data + 8], np.uint64)
    threads = THREADS.get(name, 1)
    check((*driver.cuLaunchKernel(kernel, BLOCKS, 1, 1, threads, 1, 1, 0, 0, places.ctypes.data, 0), None))
    check((*driver.cuCtxSynchronize(), None))
    out = np.zeros(1 + BLOCKS, np.uint32)
    check((*driver.cuMemcpyDtoH(out.ctypes.data, memory + 128, out.nbytes), None))
    return [int(block) for block in out[1:]]


def main(names: list[str]) -> None:
    """Run the kernels of these names, or all."""
    begin()
    for name, source in sources().items():
        if not names or name in names:
            print(json.dumps([name, order(name, source)]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
