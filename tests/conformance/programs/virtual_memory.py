"""Virtual memory: reserved, created, mapped, opened and used."""

import numpy
from _device import context
from _show import call, fields, show
from cuda.bindings import driver

context()
wanted = driver.CUmemAllocationProp()
wanted.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
wanted.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
wanted.location.id = 0
option = driver.CUmemAllocationGranularity_flags
grain = call(driver.cuMemGetAllocationGranularity, wanted, option.CU_MEM_ALLOC_GRANULARITY_MINIMUM)
call(driver.cuMemGetAllocationGranularity, wanted, option.CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
show("whole", grain > 0 and grain & (grain - 1) == 0)
address = call(driver.cuMemAddressReserve, 2 * grain, 0, 0, 0)
handle = call(driver.cuMemCreate, grain, wanted, 0)
call(driver.cuMemMap, address, grain, 0, handle, 0)
access = driver.CUmemAccessDesc()
access.location = wanted.location
access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
call(driver.cuMemSetAccess, address, grain, [access], 1)
call(driver.cuMemGetAccess, wanted.location, address)
call(driver.cuMemsetD8, address, 3, 16)
target = numpy.zeros(4, dtype=numpy.uint8)
call(driver.cuMemcpyDtoH, target, address, 4)
show("used", target.tolist())
got = call(driver.cuMemGetAllocationPropertiesFromHandle, handle)
fields("got", got, "type", "location.type", "requestedHandleTypes")
fields("got", got, "location.id", values=True)
again = call(driver.cuMemRetainAllocationHandle, address)
call(driver.cuMemRelease, again)
call(driver.cuMemRelease, handle)
call(driver.cuMemUnmap, address, grain)
call(driver.cuMemcpyDtoH, target, address, 4, note="unmapped")
call(driver.cuMemAddressFree, address, 2 * grain)
