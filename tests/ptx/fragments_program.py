"""Runs programs with nvcuda::wmma as NVRTC's PTX, from a folder, and as CUDA C++: both give numpy's products.

    python -m cuda_shim run --backend cpu tests/ptx/fragments_program.py FOLDER

Prints a line for each form.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from cuda.bindings import driver

sys.path.append(str(Path(__file__).resolve().parents[2]))
from tests.kernels.core_worker import begin, check, compiled
from tests.ptx.fragment_programs import KINDS, WARPS, expected_result, forms, inputs, source


def launched(kernel: Any, x: Any, out: Any, from_shared: int) -> Any:
    """Return `out` as the kernel left it."""
    arguments = np.zeros(3, np.uint64)
    for index, array in enumerate((x, out)):
        arguments[index] = int(check(driver.cuMemAlloc(array.nbytes)))
        driver.cuMemcpyHtoD(int(arguments[index]), array.ctypes.data, array.nbytes)
    arguments[2] = from_shared
    places = np.array([arguments.ctypes.data + 8 * index for index in range(3)], np.uint64)
    check((*driver.cuLaunchKernel(kernel, 1, 1, 1, 32 * WARPS, 1, 1, 0, 0, places.ctypes.data, 0), None))
    check((*driver.cuCtxSynchronize(), None))
    driver.cuMemcpyDtoH(out.ctypes.data, int(arguments[1]), out.nbytes)
    for address in arguments[:2]:
        driver.cuMemFree(int(address))
    return out


def main(folder: Path) -> None:
    """Run every form."""
    begin()
    chance = np.random.default_rng(5)
    for kind in KINDS:
        codes = (
            (folder / f"{kind}.ptx").read_bytes() + b"\0",
            compiled(source(kind), ["--gpu-architecture=compute_80"], "wmma.cu"),
        )
        modules = [check(driver.cuModuleLoadData(code)) for code in codes]
        for form in forms(kind):
            x, matrices = inputs(form, chance)
            lines, counts = expected_result(form, matrices)
            for module, made_by in zip(modules, ("NVRTC's PTX", "CUDA C++"), strict=True):
                kernel = check(driver.cuModuleGetFunction(module, form.name.encode()))
                for from_shared in (0, 1) if form.place == "generic" else (0,):
                    result = launched(kernel, x, np.zeros_like(lines), from_shared)
                    assert (result[counts] == lines[counts]).all(), f"{form.name} from {made_by}"
            print(form.name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
