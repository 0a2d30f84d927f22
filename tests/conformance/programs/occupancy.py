"""Occupancy."""

from _device import context, function
from _show import call, show
from cuda.bindings import driver

context()
small = function('extern "C" __global__ void small(int *to) { to[threadIdx.x] = 1; }', b"small")
count = call(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor, small, 128, 0)
show("some", count > 0)
call(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor, small, 0, 0, note="no block")
call(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor, small, 2048, 0, note="block too large")
call(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor, small, 128, 1 << 30, note="too much shared")
call(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor, None, 128, 0, note="null")
flags = driver.CUoccupancy_flags.CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE
call(driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, small, 128, 0, flags)
grid, block = call(driver.cuOccupancyMaxPotentialBlockSize, small, None, 0, 0)
show("whole warps", block % 32)
grid, block = call(driver.cuOccupancyMaxPotentialBlockSize, small, 0, 0, 100, note="limited")
show("within the limit", block <= 100)
call(driver.cuOccupancyMaxPotentialBlockSizeWithFlags, small, None, 0, 0, 0)
call(driver.cuOccupancyMaxPotentialBlockSize, None, None, 0, 0, note="null")
call(driver.cuOccupancyAvailableDynamicSMemPerBlock, small, 1, 128)
call(driver.cuOccupancyMaxPotentialBlockSize, small, "callback", 0, 0, note="callback str")
