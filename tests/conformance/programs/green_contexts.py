"""Green contexts: how multiprocessors are divided, and what the contexts and streams of a part say."""

from _device import context
from _show import call, show
from cuda.bindings import driver

context()
primary = driver.cuCtxGetCurrent()[1]
KIND = driver.CUdevResourceType.CU_DEV_RESOURCE_TYPE_SM
FLAG = driver.CUgreenCtxCreate_flags.CU_GREEN_CTX_DEFAULT_STREAM
NON_BLOCKING = driver.CUstream_flags.CU_STREAM_NON_BLOCKING
whole = call(driver.cuDeviceGetDevResource, 0, KIND)
count = whole.sm.smCount
half = count // 2
groups, made, rest = call(driver.cuDevSmResourceSplitByCount, 2, whole, 0, max(1, half // 2))
show("two groups", made)
show("groups of a size", all(group.sm.smCount >= half // 2 for group in groups[:made]))
show("all multiprocessors are there", sum(g.sm.smCount for g in groups[:made]) + rest.sm.smCount == count)
call(driver.cuDevSmResourceSplitByCount, 1, whole, 0, count + 1, note="more than there are")
call(driver.cuDevSmResourceSplitByCount, 1, whole, 64, 1, note="wrong flags")
description = call(driver.cuDevResourceGenerateDesc, groups[:1], 1)
call(driver.cuGreenCtxCreate, description, 0, 0, note="flags 0")
call(driver.cuGreenCtxCreate, description, 0, 2, note="flags 2")
call(driver.cuGreenCtxCreate, description, 99, FLAG, note="device 99")
green = call(driver.cuGreenCtxCreate, description, 0, FLAG)
call(driver.cuGreenCtxGetDevResource, green, KIND)
call(driver.cuGreenCtxStreamCreate, green, 0, 0, note="blocking")
stream = call(driver.cuGreenCtxStreamCreate, green, NON_BLOCKING, 0)
same = driver.cuStreamGetGreenCtx(stream)
show("stream's green context", (int(same[0]), same[1] is not None and int(same[1]) == int(green)))
call(driver.cuStreamGetGreenCtx, 0, note="null stream")
plain = driver.cuStreamCreate(0)[1]
call(driver.cuStreamGetGreenCtx, plain, note="plain stream")
of_green = call(driver.cuCtxFromGreenCtx, green)
call(driver.cuCtxFromGreenCtx, None, note="null")
again = driver.cuCtxFromGreenCtx(green)
show("the same context", (int(again[0]), int(again[1]) == int(of_green), int(of_green) == int(primary)))
show("the stream's context", int(driver.cuStreamGetCtx(stream)[1]) == int(of_green))
call(driver.cuStreamGetCtx_v2, stream)
call(driver.cuStreamGetCtx_v2, plain, note="plain stream")
call(driver.cuCtxDestroy, of_green)
call(driver.cuCtxSetCurrent, of_green)
show("current", int(driver.cuCtxGetCurrent()[1]) == int(of_green))
call(driver.cuCtxGetDevice)
call(driver.cuCtxGetDevResource, of_green, KIND)
show("its multiprocessors", driver.cuCtxGetDevResource(of_green, KIND)[1].sm.smCount == groups[0].sm.smCount)
show("the primary's", driver.cuCtxGetDevResource(primary, KIND)[1].sm.smCount == count)
memory = call(driver.cuMemAlloc, 64)
call(driver.cuMemsetD8, memory, 1, 64)
inside = call(driver.cuStreamCreate, NON_BLOCKING, note="where it is current")
call(driver.cuStreamCreate, 0, note="blocking, where it is current")
show("of that context", int(driver.cuStreamGetCtx(inside)[1]) == int(of_green))
same = driver.cuStreamGetGreenCtx(inside)
show("and of the green context", (int(same[0]), same[1] is not None and int(same[1]) == int(green)))
call(driver.cuCtxSynchronize)
call(driver.cuCtxPushCurrent, of_green)
popped = call(driver.cuCtxPopCurrent)
show("popped", int(popped) == int(of_green))
event = driver.cuEventCreate(0)[1]
call(driver.cuCtxRecordEvent, of_green, event)
call(driver.cuCtxWaitEvent, of_green, event)
call(driver.cuGreenCtxRecordEvent, green, event)
call(driver.cuGreenCtxWaitEvent, green, event)
call(driver.cuEventSynchronize, event)
call(driver.cuStreamDestroy, inside)
call(driver.cuStreamDestroy, stream)
call(driver.cuCtxSetCurrent, primary)
call(driver.cuMemFree, memory)
call(driver.cuGreenCtxDestroy, green)
call(driver.cuGreenCtxDestroy, None, note="null")
