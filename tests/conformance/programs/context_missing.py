"""Answers of calls without a current context, and before cuInit."""

import ctypes

from _show import call
from cuda.bindings import driver

call(driver.cuDeviceGetCount, note="before cuInit")
call(driver.cuMemAlloc, 16, note="before cuInit")
call(driver.cuCtxGetCurrent, note="before cuInit")
call(driver.cuGetErrorName, driver.CUresult.CUDA_ERROR_INVALID_VALUE, note="before cuInit", values=True)
call(driver.cuDriverGetVersion, note="before cuInit")
driver.cuInit(0)
call(driver.cuCtxGetCurrent)
call(driver.cuCtxGetDevice)
call(driver.cuCtxSynchronize)
call(driver.cuCtxPopCurrent)
call(driver.cuMemAlloc, 16)
call(driver.cuMemGetInfo)
call(driver.cuMemAllocHost, 16)
call(driver.cuStreamCreate, 0)
call(driver.cuEventCreate, 0)
call(driver.cuModuleLoadData, b"no image at all\0")
call(driver.cuCtxGetLimit, driver.CUlimit.CU_LIMIT_STACK_SIZE)
call(driver.cuMemAllocManaged, 16, 1)
call(driver.cuMemHostRegister, ctypes.addressof(ctypes.create_string_buffer(4096)), 4096, 0)
call(driver.cuStreamSynchronize, 0)
