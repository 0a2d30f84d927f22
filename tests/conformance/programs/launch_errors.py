"""Launches that cannot be."""

import ctypes
from typing import Any

from _device import context, function
from _show import call
from cuda.bindings import driver

context()
one = function('extern "C" __global__ void one(int *to) { *to = 1; }', b"one")
pointer = driver.cuMemAlloc(256)[1]
packed = ((pointer,), (None,))
stream = driver.cuStreamCreate(0)[1]


def launch(
    note: str, grid: tuple[Any, Any, Any], block: tuple[Any, Any, Any], shared: int = 0, on: Any = stream
) -> None:
    call(driver.cuLaunchKernel, one, *grid, *block, shared, on, packed, 0, note=note)


launch("good", (1, 1, 1), (1, 1, 1), 64)
launch("float sizes", (1.9, 1, 1), (1, 1.5, 1), 64)
launch("no grid", (0, 1, 1), (1, 1, 1))
launch("no block", (1, 1, 1), (0, 1, 1))
launch("block too large", (1, 1, 1), (1025, 1, 1))
launch("block too large in all", (1, 1, 1), (32, 32, 2))
launch("block too deep", (1, 1, 1), (1, 1, 65))
launch("grid too high", (1, 65536, 1), (1, 1, 1))
launch("grid too wide", (1 << 31, 1, 1), (1, 1, 1))
launch("too much shared", (1, 1, 1), (1, 1, 1), 1 << 20)
launch("default stream", (1, 1, 1), (1, 1, 1), 64, None)
call(driver.cuLaunchKernel, None, 1, 1, 1, 1, 1, 1, 0, stream, packed, 0, note="null function")
call(driver.cuStreamSynchronize, stream)
set_shared = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
call(driver.cuFuncSetAttribute, one, set_shared, 1 << 20, note="too much shared")
call(driver.cuFuncSetAttribute, one, set_shared, -1, note="negative")
config = driver.CUlaunchConfig()
call(driver.cuLaunchKernelEx, config, one, packed, 0, note="empty configuration")
call(driver.cuLaunchKernelEx, None, one, packed, 0, note="None")
call(driver.cuLaunchKernelEx, 5, one, packed, 0, note="int")
call(
    driver.cuLaunchCooperativeKernel,
    one,
    1 << 20,
    1,
    1,
    1,
    1,
    1,
    64,
    stream,
    packed,
    note="too large to be cooperative",
)
call(driver.cuCtxSynchronize)
unused = ctypes.c_int(0)
call(driver.cuLaunchKernel, one, 1, 1, 1, 1, 1, 1, 0, unused, packed, 0, note="stream c_int")
