"""The primary context, its state and its flags, through the driver and shared with the runtime."""

from _show import call, show
from cuda.bindings import driver, runtime

driver.cuInit(0)
call(driver.cuDevicePrimaryCtxGetState, 0, note="at the start", values=True)
call(driver.cuDevicePrimaryCtxSetFlags, 0, driver.CUctx_flags.CU_CTX_SCHED_YIELD)
call(driver.cuDevicePrimaryCtxGetState, 0, note="after flags", values=True)
call(driver.cuDevicePrimaryCtxSetFlags, 0, 0xFFFF, note="bad")
first = call(driver.cuDevicePrimaryCtxRetain, 0)
second = call(driver.cuDevicePrimaryCtxRetain, 0, note="again")
show("the same", first == second)
show("active", driver.cuDevicePrimaryCtxGetState(0)[2])
call(driver.cuDevicePrimaryCtxRetain, 99, note="no such")
call(driver.cuDevicePrimaryCtxGetState, 99, note="no such")
call(driver.cuCtxSetCurrent, first)
call(driver.cuDevicePrimaryCtxRelease, 0)
call(driver.cuDevicePrimaryCtxRelease, 0, note="again")
call(driver.cuDevicePrimaryCtxRelease, 0, note="once too many")
call(driver.cuDevicePrimaryCtxRelease, 99, note="no such")
call(runtime.cudaFree, 0)
show("active with the runtime", driver.cuDevicePrimaryCtxGetState(0)[2])
call(driver.cuCtxGetCurrent, note="with the runtime")
call(driver.cuCtxGetDevice, note="with the runtime")
call(driver.cuDevicePrimaryCtxReset, 0)
