"""Rectangles copied through the driver."""

import numpy
from _device import context
from _show import call, fields, show
from cuda.bindings import driver

context()
memory = driver.CUmemorytype
source = numpy.arange(32, dtype=numpy.uint8).reshape(4, 8)
target = numpy.zeros((4, 8), dtype=numpy.uint8)
device, pitch = driver.cuMemAllocPitch(8, 4, 4)[1:]
into = driver.CUDA_MEMCPY2D()
into.srcMemoryType = memory.CU_MEMORYTYPE_HOST
into.srcHost = source.ctypes.data
into.srcPitch = 8
into.dstMemoryType = memory.CU_MEMORYTYPE_DEVICE
into.dstDevice = device
into.dstPitch = pitch
into.WidthInBytes = 8
into.Height = 4
fields("copy", into, "srcMemoryType", "dstMemoryType", "srcHost", "dstDevice", "srcArray", "srcXInBytes")
call(driver.cuMemcpy2D, into)
out = driver.CUDA_MEMCPY2D()
out.srcMemoryType = memory.CU_MEMORYTYPE_DEVICE
out.srcDevice = device
out.srcPitch = pitch
out.srcXInBytes = 2
out.srcY = 1
out.dstMemoryType = memory.CU_MEMORYTYPE_HOST
out.dstHost = target.ctypes.data
out.dstPitch = 8
out.WidthInBytes = 4
out.Height = 2
call(driver.cuMemcpy2DUnaligned, out)
show("part", target.tolist())
stream = driver.cuStreamCreate(0)[1]
call(driver.cuMemcpy2DAsync, out, stream)
call(driver.cuStreamSynchronize, stream)
call(driver.cuMemcpy2D, driver.CUDA_MEMCPY2D(), note="empty")
out.WidthInBytes = 4096
call(driver.cuMemcpy2D, out, note="wider than the pitch")
call(driver.cuMemcpy2D, None, note="None")
call(driver.cuMemcpy2D, 5, note="int")
show("memory type of str", lambda: setattr(out, "srcMemoryType", "x"))
show("pitch negative", lambda: setattr(out, "srcPitch", -1))
