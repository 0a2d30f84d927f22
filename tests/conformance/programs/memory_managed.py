"""Managed memory, advice, prefetching and range attributes, in the forms of 13.x."""

import ctypes

from _device import context
from _show import call, kind, show
from cuda.bindings import driver, runtime

context()
attach = driver.CUmemAttach_flags
pointer = call(driver.cuMemAllocManaged, 4096, attach.CU_MEM_ATTACH_GLOBAL)
ctypes.memset(int(pointer), 3, 4096)
show("written by the host", ctypes.string_at(int(pointer), 3))
here = driver.CUmemLocation()
here.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
here.id = 0
host = driver.CUmemLocation()
host.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_HOST
advice = driver.CUmem_advise
call(driver.cuMemAdvise, pointer, 4096, advice.CU_MEM_ADVISE_SET_READ_MOSTLY, here)
call(driver.cuMemAdvise, pointer, 4096, advice.CU_MEM_ADVISE_SET_PREFERRED_LOCATION, here, note="preferred")
call(driver.cuMemAdvise, pointer, 4096, 1000, here, note="no such")
call(driver.cuMemPrefetchAsync, pointer, 4096, host, 0, 0, note="to the host")
call(driver.cuMemPrefetchAsync, pointer, 4096, here, 0, 0, note="to the device")
call(driver.cuMemPrefetchAsync, pointer, 4096, here, 7, 0, note="bad flags")
call(driver.cuMemPrefetchAsync, pointer, 4096, None, 0, 0, note="None")
call(driver.cuCtxSynchronize)
attribute = driver.CUmem_range_attribute
get = driver.cuMemRangeGetAttribute
call(get, 4, attribute.CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, pointer, 4096, note="read mostly", values=True)
call(get, 4, attribute.CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, pointer, 4096, note="preferred", values=True)
call(get, 4, attribute.CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, pointer, 4096, note="last", values=True)
call(get, 8, attribute.CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, pointer, 4096, note="accessed by", values=True)
names = [attribute.CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, attribute.CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION]
call(driver.cuMemRangeGetAttributes, [4, 4], names, 2, pointer, 4096)
call(driver.cuMemFree, pointer)
call(driver.cuMemAllocManaged, 4096, 0, note="no flags")
call(driver.cuMemAllocManaged, 0, attach.CU_MEM_ATTACH_GLOBAL, note="nothing")
managed = call(runtime.cudaMallocManaged, 4096, runtime.cudaMemAttachGlobal)
kind("managed", managed)
place = runtime.cudaMemLocation()
place.type = runtime.cudaMemLocationType.cudaMemLocationTypeDevice
call(runtime.cudaMemAdvise, managed, 4096, runtime.cudaMemoryAdvise.cudaMemAdviseSetReadMostly, place)
call(runtime.cudaMemPrefetchAsync, managed, 4096, place, 0, 0)
call(
    runtime.cudaMemRangeGetAttribute,
    4,
    runtime.cudaMemRangeAttribute.cudaMemRangeAttributeReadMostly,
    managed,
    4096,
    values=True,
)
call(runtime.cudaFree, managed)
call(runtime.cudaMallocManaged, 4096, 9, note="bad flags")
