"""Contexts made and destroyed by the program."""

from _show import call, kind, show
from cuda.bindings import driver

driver.cuInit(0)
context = call(driver.cuCtxCreate, None, 0, 0)
show("current", int(call(driver.cuCtxGetCurrent)) == int(context))
show("device", int(call(driver.cuCtxGetDevice)))
call(driver.cuCtxGetApiVersion, context)
call(driver.cuCtxGetFlags)
call(driver.cuCtxGetId, context)
call(driver.cuCtxSynchronize)
call(driver.cuCtxDestroy, context)
call(driver.cuCtxGetCurrent, note="after destroy")
call(driver.cuCtxCreate, None, 0, 99, note="no such device")
call(driver.cuCtxCreate, None, 0xFFFF, 0, note="bad flags")
blocking = call(driver.cuCtxCreate, None, driver.CUctx_flags.CU_CTX_SCHED_BLOCKING_SYNC, 0, note="blocking")
kind("blocking", blocking)
call(driver.cuCtxDestroy, blocking, note="blocking")
call(driver.cuCtxDestroy, None, note="None")
call(driver.cuCtxCreate, None, 0, "0", note="str")
call(driver.cuCtxCreate, 5, 0, 0, note="params int")
