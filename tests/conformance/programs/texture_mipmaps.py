"""Arrays of several levels."""

from _device import context
from _show import call, fields
from cuda.bindings import driver, runtime

context()
described = driver.CUDA_ARRAY3D_DESCRIPTOR()
described.Width, described.Height, described.NumChannels = 8, 8, 1
described.Format = driver.CUarray_format.CU_AD_FORMAT_FLOAT
levels = call(driver.cuMipmappedArrayCreate, described, 3)
level = call(driver.cuMipmappedArrayGetLevel, levels, 1)
got = call(driver.cuArrayGetDescriptor, level)
fields("level", got, "Width", "Height", values=True)
call(driver.cuMipmappedArrayGetLevel, levels, 9, note="no such level")
call(driver.cuMipmappedArrayDestroy, levels)
channel = runtime.cudaCreateChannelDesc(32, 0, 0, 0, runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat)[1]
levels = call(runtime.cudaMallocMipmappedArray, channel, runtime.make_cudaExtent(8, 8, 0), 3, 0)
call(runtime.cudaGetMipmappedArrayLevel, levels, 0)
call(runtime.cudaFreeMipmappedArray, levels)
call(driver.cuMipmappedArrayCreate, described, 0, note="no levels")
