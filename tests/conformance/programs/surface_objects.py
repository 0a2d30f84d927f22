"""Surfaces, written by a kernel."""

import numpy
from _device import context, function
from _show import call, fields, show
from cuda.bindings import driver, runtime

SOURCE = """
extern "C" __global__ void write(cudaSurfaceObject_t to) {
  surf2Dwrite((int)(threadIdx.x + 10), to, threadIdx.x * 4, 0);
}
"""
context()
described = driver.CUDA_ARRAY3D_DESCRIPTOR()
described.Width, described.Height, described.NumChannels = 4, 1, 1
described.Format = driver.CUarray_format.CU_AD_FORMAT_SIGNED_INT32
described.Flags = driver.CUDA_ARRAY3D_SURFACE_LDST
array = call(driver.cuArray3DCreate, described)
resource = driver.CUDA_RESOURCE_DESC()
resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
resource.res.array.hArray = array
surface = call(driver.cuSurfObjectCreate, resource)
got = call(driver.cuSurfObjectGetResourceDesc, surface)
fields("resource", got, "resType", "res.array.hArray")
write = function(SOURCE, b"write")
call(driver.cuLaunchKernel, write, 1, 1, 1, 4, 1, 1, 0, 0, ((surface,), (None,)), 0)
call(driver.cuCtxSynchronize)
result = numpy.zeros(4, dtype=numpy.int32)
call(driver.cuMemcpyAtoH, result, array, 0, 16)
show("written", result.tolist())
call(driver.cuSurfObjectDestroy, surface)
call(driver.cuSurfObjectCreate, driver.CUDA_RESOURCE_DESC(), note="empty")
call(driver.cuSurfObjectDestroy, 0, note="null")
channel = runtime.cudaCreateChannelDesc(32, 0, 0, 0, runtime.cudaChannelFormatKind.cudaChannelFormatKindSigned)[1]
made = call(runtime.cudaMallocArray, channel, 4, 4, runtime.cudaArraySurfaceLoadStore)
again = runtime.cudaResourceDesc()
again.resType = runtime.cudaResourceType.cudaResourceTypeArray
again.res.array.array = made
surface = call(runtime.cudaCreateSurfaceObject, again)
call(runtime.cudaGetSurfaceObjectResourceDesc, surface)
call(runtime.cudaDestroySurfaceObject, surface)
plain = runtime.cudaMallocArray(channel, 4, 4, 0)[1]
again.res.array.array = plain
call(runtime.cudaCreateSurfaceObject, again, note="array without surface access")
