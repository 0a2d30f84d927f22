"""The stack of contexts of a thread."""

from _show import call, show
from cuda.bindings import driver

driver.cuInit(0)
call(driver.cuCtxGetCurrent, note="at the start")
call(driver.cuCtxPopCurrent, note="empty")
first = driver.cuCtxCreate(None, 0, 0)[1]
second = driver.cuCtxCreate(None, 0, 0)[1]
show("second is current", int(driver.cuCtxGetCurrent()[1]) == int(second))
popped = call(driver.cuCtxPopCurrent)
show("popped second", int(popped) == int(second))
show("first is current", int(driver.cuCtxGetCurrent()[1]) == int(first))
call(driver.cuCtxPushCurrent, second)
show("second again", int(driver.cuCtxGetCurrent()[1]) == int(second))
call(driver.cuCtxPushCurrent, first)
show("equal", driver.cuCtxGetCurrent()[1] == first)
call(driver.cuCtxPopCurrent, note="again")
call(driver.cuCtxSetCurrent, first)
show("set replaces", driver.cuCtxGetCurrent()[1] == first)
call(driver.cuCtxSetCurrent, None, note="None")
show("beneath is current", int(call(driver.cuCtxGetCurrent, note="after None")) == int(first))
call(driver.cuCtxPushCurrent, None, note="None")
call(driver.cuCtxDestroy, second)
call(driver.cuCtxDestroy, first)
call(driver.cuCtxGetCurrent, note="at the end")
