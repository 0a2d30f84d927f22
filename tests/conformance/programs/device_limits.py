"""Limits, cache configuration and priorities of a device."""

from _show import call
from cuda.bindings import runtime

limit = runtime.cudaLimit
for name in ("cudaLimitStackSize", "cudaLimitPrintfFifoSize", "cudaLimitMallocHeapSize"):
    call(runtime.cudaDeviceGetLimit, getattr(limit, name), note=name)
call(runtime.cudaDeviceSetLimit, limit.cudaLimitStackSize, 4096)
call(runtime.cudaDeviceGetLimit, limit.cudaLimitStackSize, note="after", values=True)
call(runtime.cudaDeviceSetLimit, limit.cudaLimitMallocHeapSize, 16 << 20, note="heap")
call(runtime.cudaDeviceGetLimit, limit.cudaLimitMallocHeapSize, note="heap after", values=True)
call(runtime.cudaDeviceGetLimit, 1000, note="no such")
call(runtime.cudaDeviceSetLimit, 1000, 1, note="no such")
call(runtime.cudaDeviceGetCacheConfig)
call(runtime.cudaDeviceSetCacheConfig, runtime.cudaFuncCache.cudaFuncCachePreferShared)
call(runtime.cudaDeviceSetCacheConfig, 1000, note="no such")
call(runtime.cudaDeviceGetStreamPriorityRange)
call(runtime.cudaCtxResetPersistingL2Cache)
