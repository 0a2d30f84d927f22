"""Fills memory by the example's function and prints its status and the memory."""

import numpy as np
from cuda.bindings import driver

driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
_, memory = driver.cuMemAlloc(4)
status = driver.cuMemExample(dstDevice=memory, uc=7, N=3)
results = np.zeros(4, np.uint8)
driver.cuMemsetD8(int(memory) + 3, 1, 1)
driver.cuMemcpyDtoH(results.ctypes.data, memory, 4)
print(status, results.tolist())
