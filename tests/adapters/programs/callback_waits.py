import ctypes

from cuda.bindings import driver, runtime


def ok(answer):
    assert answer[0] == 0, answer
    return answer[-1]


ok(driver.cuInit(0))
context = ok(driver.cuCtxCreate(0, 0))
stream, event = ok(driver.cuStreamCreate(0)), ok(driver.cuEventCreate(0))
memory, host = ok(driver.cuMemAlloc(4)), bytearray(4)
function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: print(data, end=" "))
address = driver.CUhostFn(_ptr=ctypes.addressof(function))
waits = [
    lambda: driver.cuStreamSynchronize(stream),
    driver.cuCtxSynchronize,
    runtime.cudaDeviceSynchronize,
    lambda: (ok(driver.cuEventRecord(event, stream)), driver.cuEventSynchronize(event))[1],
    lambda: driver.cuMemcpyDtoH(host, memory, 4),
    lambda: driver.cuMemcpy(memory, memory, 4),
    lambda: runtime.cudaMemset(int(memory), 0, 4),
    lambda: driver.cuMemFree(memory),
    lambda: driver.cuStreamDestroy(stream),
]
for number, wait in enumerate(waits, 1):
    ok(driver.cuLaunchHostFunc(stream, address, number))
    ok(wait())
ok(runtime.cudaDeviceSynchronize())
