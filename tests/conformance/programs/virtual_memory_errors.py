"""Calls that virtual memory refuses."""

from _device import context
from _show import call
from cuda.bindings import driver

context()
wanted = driver.CUmemAllocationProp()
option = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
call(driver.cuMemGetAllocationGranularity, wanted, option, note="empty")
call(driver.cuMemCreate, 1 << 21, wanted, 0, note="empty")
wanted.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
wanted.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
wanted.location.id = 99
call(driver.cuMemGetAllocationGranularity, wanted, option, note="no such device")
call(driver.cuMemCreate, 1 << 21, wanted, 0, note="no such device")
wanted.location.id = 0
grain = driver.cuMemGetAllocationGranularity(wanted, option)[1]
call(driver.cuMemCreate, grain + 1, wanted, 0, note="unaligned")
call(driver.cuMemCreate, 0, wanted, 0, note="nothing")
call(driver.cuMemCreate, grain, None, 0, note="None")
call(driver.cuMemCreate, grain, 5, 0, note="int")
call(driver.cuMemCreate, grain, wanted, 7, note="bad flags")
call(driver.cuMemAddressReserve, grain + 1, 0, 0, 0, note="unaligned")
call(driver.cuMemAddressReserve, 0, 0, 0, 0, note="nothing")
call(driver.cuMemAddressReserve, grain, 0, "0", 0, note="str")
address = driver.cuMemAddressReserve(grain, 0, 0, 0)[1]
handle = driver.cuMemCreate(grain, wanted, 0)[1]
call(driver.cuMemMap, address, grain, 0, driver.CUmemGenericAllocationHandle(0), 0, note="null handle")
call(driver.cuMemMap, address, grain, 64, handle, 0, note="offset")
call(driver.cuMemMap, 0, grain, 0, handle, 0, note="null address")
call(driver.cuMemUnmap, address, grain, note="not mapped")
call(driver.cuMemMap, address, grain, 0, handle, 0)
call(driver.cuMemMap, address, grain, 0, handle, 0, note="twice")
access = driver.CUmemAccessDesc()
call(driver.cuMemSetAccess, address, grain, [access], 1, note="empty")
call(driver.cuMemSetAccess, address, grain, access, 1, note="no list")
call(driver.cuMemSetAccess, address, grain, [access], 2, note="list too short")
call(driver.cuMemSetAccess, address, grain, [5], 1, note="list of int")
call(driver.cuMemAddressFree, address, grain, note="mapped")
call(driver.cuMemRetainAllocationHandle, 16, note="nonsense")
file = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
call(driver.cuMemExportToShareableHandle, handle, file, 0, note="not requested")
call(driver.cuMemUnmap, address, grain)
call(driver.cuMemRelease, handle)
