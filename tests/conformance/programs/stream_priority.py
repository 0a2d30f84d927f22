"""Priorities of streams."""

from _device import context
from _show import call, show
from cuda.bindings import driver

context()
low, high = call(driver.cuCtxGetStreamPriorityRange)
show("the highest is the least", high <= low)
show("the lowest", low)
stream = call(driver.cuStreamCreateWithPriority, 0, high)
show("priority", driver.cuStreamGetPriority(stream)[1] == high)
beyond = call(driver.cuStreamCreateWithPriority, 1, high - 1000, note="beyond")
show("clamped", driver.cuStreamGetPriority(beyond)[1] == high)
beneath = call(driver.cuStreamCreateWithPriority, 1, 1000, note="beneath")
show("clamped", driver.cuStreamGetPriority(beneath)[1] == low)
call(driver.cuStreamCreateWithPriority, 77, 0, note="bad flags")
call(driver.cuStreamCreateWithPriority, 0, "high", note="str")
