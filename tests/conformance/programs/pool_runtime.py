"""Stream-ordered memory and pools through the runtime."""

from _device import runtime_device
from _show import call, show
from cuda.bindings import driver, runtime

runtime_device()
stream = runtime.cudaStreamCreate()[1]
pointer = call(runtime.cudaMallocAsync, 64, stream)
call(runtime.cudaMemsetAsync, pointer, 0, 64, stream)
call(runtime.cudaFreeAsync, pointer, stream)
call(runtime.cudaStreamSynchronize, stream)
call(runtime.cudaMallocAsync, 0, stream, note="nothing", values=True)
call(runtime.cudaMallocAsync, 1 << 60, stream, note="too much")
call(runtime.cudaGetLastError)
default = call(runtime.cudaDeviceGetDefaultMemPool, 0)
show("in use", call(runtime.cudaDeviceGetMemPool, 0) == default)
wanted = runtime.cudaMemPoolProps()
wanted.allocType = runtime.cudaMemAllocationType.cudaMemAllocationTypePinned
wanted.location.type = runtime.cudaMemLocationType.cudaMemLocationTypeDevice
pool = call(runtime.cudaMemPoolCreate, wanted)
call(runtime.cudaDeviceSetMemPool, 0, pool)
call(runtime.cudaDeviceSetMemPool, 0, default, note="back")
pointer = call(runtime.cudaMallocFromPoolAsync, 64, pool, stream)
call(runtime.cudaFreeAsync, pointer, stream, note="of the pool")
call(runtime.cudaStreamSynchronize, stream, note="again")
attribute = runtime.cudaMemPoolAttr
call(runtime.cudaMemPoolSetAttribute, pool, attribute.cudaMemPoolAttrReleaseThreshold, driver.cuuint64_t(4096))
got = call(runtime.cudaMemPoolGetAttribute, pool, attribute.cudaMemPoolAttrReleaseThreshold)
show("threshold", int(got))
call(runtime.cudaMemPoolGetAttribute, pool, attribute.cudaMemPoolReuseFollowEventDependencies, values=True)
call(runtime.cudaMemPoolGetAttribute, pool, attribute.cudaMemPoolAttrUsedMemCurrent)
call(runtime.cudaMemPoolGetAttribute, pool, 1000, note="no such")
call(runtime.cudaMemPoolTrimTo, pool, 0)
place = runtime.cudaMemLocation()
place.type = runtime.cudaMemLocationType.cudaMemLocationTypeDevice
call(runtime.cudaMemPoolGetAccess, pool, place)
call(runtime.cudaMemPoolDestroy, pool)
call(runtime.cudaMemPoolDestroy, None, note="null")
call(runtime.cudaMemPoolCreate, runtime.cudaMemPoolProps(), note="empty")
call(runtime.cudaDeviceGetDefaultMemPool, 99, note="no such")
