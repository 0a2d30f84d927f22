"""Run kernels that overrun their arrays, or call what is no function; print a line of JSON with each outcome.

    kernel_stacks.py IMAGE CASES [child]

IMAGE is a file of CUDA C++ or PTX, CASES a list of [kernel, number]. With "child" a forked child runs them, after a
launch in the parent. Between the cases the device is reset, and a right kernel must give its results.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc

THREADS = 32


def value(result: tuple[Any, ...]) -> Any:
    assert int(result[0]) == 0, result[0]
    return result[1] if len(result) == 2 else None


def compiled(path: Path) -> bytes:
    """Return the code of a file."""
    if path.suffix == ".ptx":
        return path.read_bytes()
    program = value(nvrtc.nvrtcCreateProgram(path.read_bytes(), b"kernel.cu", 0, [], []))
    value(nvrtc.nvrtcCompileProgram(program, 0, []))
    image = bytes(value(nvrtc.nvrtcGetCUBINSize(program)))
    value(nvrtc.nvrtcGetCUBIN(program, image))
    return image


def run(image: bytes, kernel: str, number: int) -> tuple[str, list[int]]:
    """Launch a kernel on a fresh device; return the outcome and the results, which a failed launch has none of."""
    device = value(driver.cuDeviceGet(0))
    value(driver.cuCtxSetCurrent(value(driver.cuDevicePrimaryCtxRetain(device))))
    function = value(driver.cuModuleGetFunction(value(driver.cuModuleLoadData(image)), kernel.encode()))
    values, out = np.array([1, 2, 3, 4], "i4"), np.zeros(THREADS, "i4")
    p, results = (value(driver.cuMemAlloc(array.nbytes)) for array in (values, out))
    value(driver.cuMemcpyHtoD(p, values, values.nbytes))
    arguments = ((p, number, results), (None, ctypes.c_int, None))
    value(driver.cuLaunchKernel(function, 8, 1, 1, THREADS, 1, 1, 0, 0, arguments, 0))
    status = driver.cuCtxSynchronize()[0]
    if int(status) == 0:
        value(driver.cuMemcpyDtoH(out, results, out.nbytes))
    value(driver.cuDevicePrimaryCtxReset(device))
    return status.name, out.tolist()


def main(path: str, cases: str, *where: str) -> None:
    value(driver.cuInit(0))
    image = compiled(Path(path))
    right = ("CUDA_SUCCESS", [31 - thread + 5 for thread in range(THREADS)])
    assert run(image, "right", 5) == right
    child = os.fork() if where else 0
    if child:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    for kernel, number in json.loads(cases):
        status, results = run(image, kernel, number)
        print(json.dumps([kernel, number, status, results[0]]), flush=True)
        assert run(image, "right", 5) == right, (kernel, number)
    assert len([bytes(size) for size in range(3000)]) == 3000


if __name__ == "__main__":
    main(*sys.argv[1:])
