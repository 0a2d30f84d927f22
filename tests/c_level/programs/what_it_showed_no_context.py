from cuda.bindings import driver

driver.cuInit(0)
none = driver.CUcontext(0)
status, primary = driver.cuDevicePrimaryCtxRetain(0)
assert driver.cuCtxGetCurrent()[1] == none and driver.cuCtxGetDevice()[0] == 201
for _ in range(2):
    assert driver.cuCtxPushCurrent(primary)[0] == 0
assert driver.cuCtxGetCurrent()[1] == primary and driver.cuCtxGetDevice()[0] == 0
for _ in range(2):
    assert driver.cuCtxPopCurrent() == (0, primary)
assert driver.cuCtxGetCurrent()[1] == none and driver.cuCtxPopCurrent()[0] == 201
from cuda.bindings import runtime

assert runtime.cudaGetDeviceCount()[1] == 1 and driver.cuCtxGetCurrent()[1] == none
assert runtime.cudaFree(0)[0] == 0 and driver.cuCtxGetCurrent()[1] == primary
print("right")
