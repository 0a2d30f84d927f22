"""Addresses of a thread's own memory of which a PTX module keeps the low 32 bits, as Triton's compiler has LLVM do."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
from cuda.bindings import driver

sys.path.append(str(Path(__file__).resolve().parents[2]))
from tests.program_files import read_program

# Each thread writes squares into its own memory, and reads one back by a generic address and one by a local address.
TEXT = read_program(__file__, "narrow_addresses.ptx")


def ok(result):
    assert int(result[0]) == 0, result[0]
    return result[1:] if len(result) > 2 else result[-1]


if __name__ == "__main__":
    ok(driver.cuInit(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(ok(driver.cuDeviceGet(0))))))
    kernel = ok(driver.cuModuleGetFunction(ok(driver.cuModuleLoadData(TEXT.encode())), b"squares"))
    result = np.zeros(64, np.uint32)
    place = ok(driver.cuMemAlloc(result.nbytes))
    ok(driver.cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, 0, ((int(place),), (ctypes.c_void_p,)), 0))
    ok(driver.cuMemcpyDtoH(result.ctypes.data, place, result.nbytes))
    thread = np.arange(64)
    assert np.array_equal(result, (thread % 8) ** 2 + thread + 49 + thread), result
    print("right")
