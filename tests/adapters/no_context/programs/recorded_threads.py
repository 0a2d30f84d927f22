import ctypes
import threading

from cuda.bindings import driver

driver.cuInit(0)
context = driver.cuDevicePrimaryCtxRetain(0)[1]
driver.cuCtxSetCurrent(context)
memory, stream = driver.cuMemAlloc(64)[1], driver.cuStreamCreate(0)[1]
event = driver.cuEventCreate(0)[1]
host = (ctypes.c_char * 64)()


def calls():
    return [
        int(call(*given)[0])
        for call, *given in (
            (driver.cuMemAlloc, 16),
            (driver.cuMemcpyHtoD, memory, host, 64),
            (driver.cuMemcpyHtoDAsync, memory, host, 64, 0),
            (driver.cuMemcpyHtoDAsync, memory, host, 64, stream),
            (driver.cuStreamSynchronize, stream),
            (driver.cuEventRecord, event, stream),
            (driver.cuEventRecord, event, 0),
            (driver.cuEventSynchronize, event),
            (driver.cuMemGetInfo,),
            (driver.cuCtxSynchronize,),
            (driver.cuMemsetD8Async, memory, 0, 64, stream),
        )
    ]


def thread():
    print("thread", *calls(), int(driver.cuCtxGetCurrent()[1]))
    driver.cuCtxPushCurrent(context)
    print("pushed", *calls(), driver.cuCtxGetCurrent()[1] == context)
    driver.cuCtxPopCurrent()
    print("popped", *calls(), int(driver.cuCtxGetCurrent()[1]))


for _ in range(2):
    print("main", *calls())
    started = threading.Thread(target=thread)
    started.start()
    started.join()
driver.cuCtxSetCurrent(None)
print("none", *calls(), int(driver.cuCtxGetCurrent()[1]))
made = driver.cuCtxCreate(None, 0, 0)[1]
print("made", *calls())
driver.cuCtxDestroy(made)
print("destroyed", *calls())
