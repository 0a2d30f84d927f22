"""Textures through the driver, read by a kernel."""

import ctypes

import numpy
from _device import context, function
from _show import call, fields, show
from cuda.bindings import driver

SOURCE = """
extern "C" __global__ void read(float *to, cudaTextureObject_t from) {
  to[threadIdx.x] = tex2D<float>(from, threadIdx.x + 0.5f, 0.5f);
}
"""
context()
described = driver.CUDA_ARRAY_DESCRIPTOR()
described.Width, described.Height, described.NumChannels = 4, 1, 1
described.Format = driver.CUarray_format.CU_AD_FORMAT_FLOAT
array = driver.cuArrayCreate(described)[1]
line = numpy.array([1, 2, 3, 4], dtype=numpy.float32)
copy = driver.CUDA_MEMCPY2D()
copy.srcMemoryType, copy.srcHost, copy.srcPitch = driver.CUmemorytype.CU_MEMORYTYPE_HOST, line, 16
copy.dstMemoryType, copy.dstArray = driver.CUmemorytype.CU_MEMORYTYPE_ARRAY, array
copy.WidthInBytes, copy.Height = 16, 1
call(driver.cuMemcpy2D, copy)
resource = driver.CUDA_RESOURCE_DESC()
resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
resource.res.array.hArray = array
wanted = driver.CUDA_TEXTURE_DESC()
mode = driver.CUaddress_mode
wanted.addressMode = [mode.CU_TR_ADDRESS_MODE_CLAMP, mode.CU_TR_ADDRESS_MODE_CLAMP, mode.CU_TR_ADDRESS_MODE_WRAP]
wanted.filterMode = driver.CUfilter_mode.CU_TR_FILTER_MODE_POINT
fields("wanted", wanted, "addressMode", "filterMode", "flags", "maxAnisotropy", "borderColor")
texture = call(driver.cuTexObjectCreate, resource, wanted, None)
got = call(driver.cuTexObjectGetResourceDesc, texture)
fields("resource", got, "resType", "res.array.hArray")
got = call(driver.cuTexObjectGetTextureDesc, texture)
fields("texture", got, "addressMode", "filterMode")
pointer = driver.cuMemAlloc(64)[1]
read = function(SOURCE, b"read")
call(driver.cuLaunchKernel, read, 1, 1, 1, 4, 1, 1, 0, 0, ((pointer, texture), (None, None)), 0)
result = numpy.zeros(4, dtype=numpy.float32)
call(driver.cuMemcpyDtoH, result, pointer, 16)
show("read", result.tolist())
call(
    driver.cuLaunchKernel,
    read,
    1,
    1,
    1,
    4,
    1,
    1,
    0,
    0,
    ((pointer, int(texture)), (None, ctypes.c_ulonglong)),
    0,
    note="by number",
)
call(driver.cuTexObjectGetResourceViewDesc, texture)
call(driver.cuTexObjectDestroy, texture)
call(driver.cuTexObjectCreate, driver.CUDA_RESOURCE_DESC(), wanted, None, note="empty")
call(driver.cuTexObjectCreate, None, wanted, None, note="None")
call(driver.cuTexObjectDestroy, 0, note="null")
linear = driver.CUDA_RESOURCE_DESC()
linear.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_LINEAR
linear.res.linear.devPtr = pointer
linear.res.linear.format = driver.CUarray_format.CU_AD_FORMAT_FLOAT
linear.res.linear.numChannels = 1
linear.res.linear.sizeInBytes = 64
call(driver.cuTexObjectCreate, linear, driver.CUDA_TEXTURE_DESC(), None, note="linear")
show("address mode of one", lambda: setattr(wanted, "addressMode", [mode.CU_TR_ADDRESS_MODE_CLAMP]))
