"""Pitched memory."""

from _device import context
from _show import call, fields, show
from cuda.bindings import driver, runtime

context()
pointer, pitch = call(driver.cuMemAllocPitch, 100, 8, 4)
show("pitch holds a row", pitch >= 100)
show("pitch is whole", pitch % 4)
call(driver.cuMemFree, pointer)
call(driver.cuMemAllocPitch, 100, 8, 3, note="element of 3")
call(driver.cuMemAllocPitch, 0, 8, 4, note="no width")
call(driver.cuMemAllocPitch, 100, 0, 4, note="no height")
pointer, pitch = call(runtime.cudaMallocPitch, 100, 8)
show("pitch holds a row", pitch >= 100)
call(runtime.cudaFree, pointer)
call(runtime.cudaMallocPitch, 0, 8, note="no width")
extent = call(runtime.make_cudaExtent, 100, 8, 4)
fields("extent", extent, "width", "height", "depth", values=True)
pitched = call(runtime.cudaMalloc3D, extent)
fields("pitched", pitched, "ptr", "pitch", "xsize", "ysize")
fields("pitched", pitched, "xsize", "ysize", values=True)
call(runtime.cudaFree, pitched.ptr, note="3D")
made = call(runtime.make_cudaPitchedPtr, 0x100, 128, 100, 8)
fields("made", made, "ptr", "pitch", "xsize", "ysize", values=True)
position = call(runtime.make_cudaPos, 1, 2, 3)
fields("position", position, "x", "y", "z", values=True)
call(runtime.cudaMalloc3D, runtime.make_cudaExtent(0, 8, 4), note="no width")
call(runtime.cudaMalloc3D, None, note="None")
