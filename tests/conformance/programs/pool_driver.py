"""Stream-ordered memory and pools through the driver."""

import numpy
from _device import context
from _show import call, show
from cuda.bindings import driver

device = context()
stream = driver.cuStreamCreate(0)[1]
source = numpy.arange(8, dtype=numpy.int32)
target = numpy.zeros_like(source)
pointer = call(driver.cuMemAllocAsync, 32, stream)
call(driver.cuMemcpyHtoDAsync, pointer, source, 32, stream)
call(driver.cuMemcpyDtoHAsync, target, pointer, 32, stream)
call(driver.cuMemFreeAsync, pointer, stream)
call(driver.cuStreamSynchronize, stream)
show("moved", target.tolist())
call(driver.cuMemAllocAsync, 0, stream, note="nothing")
call(driver.cuMemAllocAsync, 1 << 60, stream, note="too much")
call(driver.cuMemFreeAsync, 0, stream, note="null")
default = call(driver.cuDeviceGetDefaultMemPool, device)
current = call(driver.cuDeviceGetMemPool, device)
show("the default is in use", default == current)
call(driver.cuDeviceGetDefaultMemPool, 99, note="no such")
wanted = driver.CUmemPoolProps()
wanted.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
wanted.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
wanted.location.id = 0
pool = call(driver.cuMemPoolCreate, wanted)
pointer = call(driver.cuMemAllocFromPoolAsync, 64, pool, stream)
call(driver.cuMemFreeAsync, pointer, stream, note="of the pool")
call(driver.cuStreamSynchronize, stream, note="again")
call(driver.cuDeviceSetMemPool, device, pool)
show("the pool is in use", driver.cuDeviceGetMemPool(device)[1] == pool)
call(driver.cuDeviceSetMemPool, device, default, note="back")
call(driver.cuMemPoolTrimTo, pool, 0)
call(driver.cuMemPoolDestroy, pool)
call(driver.cuMemPoolCreate, driver.CUmemPoolProps(), note="empty")
call(driver.cuMemPoolCreate, None, note="None")
call(driver.cuMemPoolDestroy, default, note="the default")
call(driver.cuMemPoolDestroy, None, note="null")
call(driver.cuMemPoolTrimTo, None, 0, note="null")
