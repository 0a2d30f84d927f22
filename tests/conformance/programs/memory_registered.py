"""Memory of the program's own, registered."""

import numpy
from _device import context
from _show import call
from cuda.bindings import driver, runtime

context()
block = numpy.zeros(16384, dtype=numpy.uint8)
start = (block.ctypes.data + 4095) & ~4095
call(driver.cuMemHostRegister, start, 4096, driver.CU_MEMHOSTREGISTER_DEVICEMAP)
call(driver.cuMemHostRegister, start, 4096, 0, note="twice")
call(driver.cuMemHostGetDevicePointer, start, 0)
call(driver.cuMemHostUnregister, start)
call(driver.cuMemHostUnregister, start, note="twice")
call(driver.cuMemHostRegister, start, 0, 0, note="nothing")
call(driver.cuMemHostRegister, 0, 4096, 0, note="null")
call(driver.cuMemHostRegister, start, 4096, 0xFFFF, note="bad flags")
call(runtime.cudaHostRegister, start, 4096, runtime.cudaHostRegisterDefault)
call(runtime.cudaHostGetDevicePointer, start, 0)
call(runtime.cudaHostGetFlags, start)
call(runtime.cudaHostRegister, start, 4096, 0, note="twice")
call(runtime.cudaHostUnregister, start)
call(runtime.cudaHostUnregister, start, note="twice")
call(runtime.cudaHostRegister, None, 4096, 0, note="None")
call(runtime.cudaHostRegister, block, 4096, 0, note="an array")
call(runtime.cudaHostUnregister, block, note="an array")
