"""Occupancy where shared memory depends on the block's size, and through the runtime."""

import ctypes
from typing import Any

from _device import context, module
from _show import call, show
from cuda.bindings import driver, runtime

context()
loaded = module('extern "C" __global__ void add(int *to, int by) { atomicAdd(to, by); }')
add = driver.cuModuleGetFunction(loaded, b"add")[1]
asked: list[int] = []


@ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)
def demand(threads: int) -> int:
    asked.append(threads)
    return 32 * threads


@ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)
def nothing(_: int) -> int:
    return 0


def of(function: Any) -> Any:
    return driver.CUoccupancyB2DSize(_ptr=ctypes.addressof(function))


grid, block = call(driver.cuOccupancyMaxPotentialBlockSize, add, of(demand), 0, 0)
fits = driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(add, block, 32 * block)[1]
attribute = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
show("a full device", grid == fits * driver.cuDeviceGetAttribute(attribute, 0)[1])
show("whole warps", block % 32)
show("asked downwards", asked == sorted(asked, reverse=True))
asked.clear()
call(driver.cuOccupancyMaxPotentialBlockSize, add, of(demand), 0, 100, note="limited")
show("asked first", asked[0])
show("whole warps after that", [threads for threads in asked[1:] if threads % 32])
call(driver.cuOccupancyMaxPotentialBlockSizeWithFlags, add, of(nothing), 0, 64, 0, note="of no demand")
call(driver.cuOccupancyMaxPotentialBlockSize, add, int(of(nothing)), 0, 0, note="by number")
call(driver.cuOccupancyMaxPotentialBlockSize, add, None, 1 << 30, 0, note="too much shared")
call(driver.cuOccupancyMaxPotentialBlockSize, add, None, 0, -1, note="negative limit")
call(driver.cuOccupancyMaxPotentialBlockSizeWithFlags, add, None, 0, 0, 9, note="bad flags")
call(driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, add, 64, 0, 9, note="bad flags")
call(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor, add, -1, 0, note="negative block")
call(driver.cuOccupancyAvailableDynamicSMemPerBlock, add, 0, 64, note="no blocks")
call(driver.cuOccupancyAvailableDynamicSMemPerBlock, add, 1, 64, note="one block")
call(driver.cuOccupancyAvailableDynamicSMemPerBlock, None, 1, 64, note="null")
call(runtime.cudaOccupancyMaxActiveBlocksPerMultiprocessor, None, 64, 0, note="null")
call(driver.cuOccupancyMaxPotentialBlockSize, add, nothing, 0, 0, note="the function itself")
