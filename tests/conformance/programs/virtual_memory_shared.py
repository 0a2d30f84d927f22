"""Memory exported as a file descriptor and imported again."""

from _device import context
from _show import call, kind, show
from cuda.bindings import driver

context()
file = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
wanted = driver.CUmemAllocationProp()
wanted.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
wanted.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
wanted.requestedHandleTypes = file
kind("requested", wanted.requestedHandleTypes)
option = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
grain = driver.cuMemGetAllocationGranularity(wanted, option)[1]
handle = call(driver.cuMemCreate, grain, wanted, 0)
descriptor = call(driver.cuMemExportToShareableHandle, handle, file, 0)
show("a descriptor", isinstance(descriptor, int) and descriptor > 2)
other = call(driver.cuMemImportFromShareableHandle, descriptor, file)
call(driver.cuMemRelease, other)
call(driver.cuMemRelease, handle)
call(driver.cuMemImportFromShareableHandle, 9999, file, note="no such")
