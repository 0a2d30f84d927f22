"""Cooperative launches and launches with attributes."""

import ctypes

import numpy
from _device import context, module
from _show import call, fields, show
from cuda.bindings import driver

SOURCE = """
extern "C" __global__ void add(int *to, int by) { atomicAdd(to, by); }
"""
context()
add = driver.cuModuleGetFunction(module(SOURCE), b"add")[1]
stream = driver.cuStreamCreate(0)[1]
pointer = driver.cuMemAlloc(64)[1]
driver.cuMemsetD8(pointer, 0, 64)
packed = ((pointer, 2), (None, ctypes.c_int))
target = numpy.zeros(1, dtype=numpy.int32)
call(driver.cuLaunchCooperativeKernel, add, 2, 1, 1, 4, 1, 1, 0, stream, packed)
config = driver.CUlaunchConfig()
config.gridDimX, config.gridDimY, config.gridDimZ = 2, 1, 1
config.blockDimX, config.blockDimY, config.blockDimZ = 3, 1, 1
config.hStream = stream
fields("configuration", config, "gridDimX", "sharedMemBytes", "numAttrs", values=True)
fields("configuration", config, "hStream", "attrs")
call(driver.cuLaunchKernelEx, config, add, packed, 0)
attribute = driver.CUlaunchAttribute()
attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
attribute.value.cooperative = 1
config.attrs = [attribute]
config.numAttrs = 1
fields("configuration", config, "attrs")
call(driver.cuLaunchKernelEx, config, add, packed, 0, note="cooperative")
priority = driver.CUlaunchAttribute()
priority.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PRIORITY
priority.value.priority = 0
config.attrs = [attribute, priority]
config.numAttrs = 2
call(driver.cuLaunchKernelEx, config, add, packed, 0, note="two attributes")
call(driver.cuStreamSynchronize, stream)
driver.cuMemcpyDtoH(target, pointer, 4)
show("added", target.tolist())
