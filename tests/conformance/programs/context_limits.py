"""Limits and settings of the current context."""

from _device import context
from _show import call
from cuda.bindings import driver

context()
limit = driver.CUlimit
for name in ("STACK_SIZE", "PRINTF_FIFO_SIZE", "MALLOC_HEAP_SIZE"):
    call(driver.cuCtxGetLimit, getattr(limit, f"CU_LIMIT_{name}"), note=name)
call(driver.cuCtxSetLimit, limit.CU_LIMIT_STACK_SIZE, 2048)
call(driver.cuCtxGetLimit, limit.CU_LIMIT_STACK_SIZE, note="after", values=True)
call(driver.cuCtxGetLimit, 1000, note="no such")
call(driver.cuCtxSetLimit, 1000, 1, note="no such")
call(driver.cuCtxSetLimit, limit.CU_LIMIT_STACK_SIZE, -1, note="negative")
call(driver.cuCtxGetLimit, None, note="None")
call(driver.cuCtxGetCacheConfig)
call(driver.cuCtxSetCacheConfig, driver.CUfunc_cache.CU_FUNC_CACHE_PREFER_L1)
call(driver.cuCtxSetCacheConfig, 1000, note="no such")
call(driver.cuCtxGetStreamPriorityRange)
call(driver.cuCtxResetPersistingL2Cache)
call(driver.cuCtxSynchronize)
call(driver.cuCtxGetFlags)
