"""Boxes copied through the driver and the runtime."""

import numpy
from _device import runtime_device
from _show import call, fields, show
from cuda.bindings import driver, runtime

runtime_device()
source = numpy.arange(24, dtype=numpy.uint8).reshape(2, 3, 4)
target = numpy.zeros_like(source)
extent = runtime.make_cudaExtent(4, 3, 2)
box = runtime.cudaMalloc3D(extent)[1]
into = runtime.cudaMemcpy3DParms()
fields("empty", into, "srcArray", "srcPtr.ptr", "kind")
into.srcPtr = runtime.make_cudaPitchedPtr(source.ctypes.data, 4, 4, 3)
into.dstPtr = box
into.extent = extent
into.kind = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice
fields("filled", into, "kind", "extent.width", "srcPtr.pitch", "srcPos.x")
call(runtime.cudaMemcpy3D, into)
back = driver.CUDA_MEMCPY3D()
back.srcMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE
back.srcDevice = box.ptr
back.srcPitch = box.pitch
back.srcHeight = 3
back.dstMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_HOST
back.dstHost = target
back.dstPitch = 4
back.dstHeight = 3
back.WidthInBytes, back.Height, back.Depth = 4, 3, 2
call(driver.cuMemcpy3D, back)
show("equal", target.tolist())
stream = runtime.cudaStreamCreate()[1]
call(driver.cuMemcpy3DAsync, back, stream)
call(runtime.cudaMemcpy3DAsync, into, stream)
call(runtime.cudaStreamSynchronize, stream)
call(runtime.cudaMemset3D, box, 9, runtime.make_cudaExtent(2, 2, 1))
call(runtime.cudaMemset3DAsync, box, 8, runtime.make_cudaExtent(1, 1, 1), stream)
call(runtime.cudaStreamSynchronize, stream)
call(driver.cuMemcpy3D, back, note="set")
show("set", target.tolist())
call(runtime.cudaMemcpy3D, runtime.cudaMemcpy3DParms(), note="empty")
call(driver.cuMemcpy3D, driver.CUDA_MEMCPY3D(), note="empty")
call(runtime.cudaMemcpy3D, None, note="None")
peer = runtime.cudaMemcpy3DPeerParms()
peer.srcPtr = box
peer.dstPtr = box
peer.extent = runtime.make_cudaExtent(1, 1, 1)
call(runtime.cudaMemcpy3DPeer, peer)
call(runtime.cudaMemcpy3DPeerAsync, peer, stream)
call(runtime.cudaStreamSynchronize, stream)
