"""Arrays made, described and copied through the driver."""

import numpy
from _device import context
from _show import call, fields, show
from cuda.bindings import driver

context()
wanted = driver.CUDA_ARRAY_DESCRIPTOR()
wanted.Width, wanted.Height, wanted.NumChannels = 16, 0, 1
wanted.Format = driver.CUarray_format.CU_AD_FORMAT_FLOAT
array = call(driver.cuArrayCreate, wanted)
got = call(driver.cuArrayGetDescriptor, array)
fields("got", got, "Width", "Height", "NumChannels", values=True)
fields("got", got, "Format")
source = numpy.arange(16, dtype=numpy.float32)
target = numpy.zeros_like(source)
device = driver.cuMemAlloc(64)[1]
call(driver.cuMemcpyHtoA, array, 0, source, 64)
call(driver.cuMemcpyAtoD, device, array, 0, 64)
call(driver.cuMemcpyDtoA, array, 4, device, 16)
call(driver.cuMemcpyAtoH, target, array, 0, 64)
show("moved", target.tolist())
other = driver.cuArrayCreate(wanted)[1]
call(driver.cuMemcpyAtoA, other, 0, array, 0, 64)
stream = driver.cuStreamCreate(0)[1]
call(driver.cuMemcpyHtoAAsync, other, 0, source, 64, stream)
call(driver.cuMemcpyAtoHAsync, target, other, 0, 64, stream)
call(driver.cuStreamSynchronize, stream)
show("moved again", target[:4].tolist())
call(driver.cuArrayDestroy, other)
solid = driver.CUDA_ARRAY3D_DESCRIPTOR()
solid.Width, solid.Height, solid.Depth, solid.NumChannels = 4, 3, 2, 2
solid.Format = driver.CUarray_format.CU_AD_FORMAT_UNSIGNED_INT16
deep = call(driver.cuArray3DCreate, solid)
got = call(driver.cuArray3DGetDescriptor, deep)
fields("deep", got, "Width", "Height", "Depth", "NumChannels", "Flags", values=True)
fields("deep", got, "Format")
call(driver.cuArray3DGetDescriptor, array, note="of a line")
call(driver.cuArrayDestroy, deep)
wanted.NumChannels = 3
call(driver.cuArrayCreate, wanted, note="3 channels")
wanted.NumChannels, wanted.Width = 1, 0
call(driver.cuArrayCreate, wanted, note="no width")
call(driver.cuArrayCreate, None, note="None")
call(driver.cuArrayDestroy, None, note="null")
show("bad format", lambda: setattr(wanted, "Format", "x"))
call(driver.cuArrayDestroy, array)
