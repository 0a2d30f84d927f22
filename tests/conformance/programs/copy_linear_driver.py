"""Copies of linear memory through the driver, from and to every kind of buffer."""

import ctypes

import numpy
from _device import context
from _show import call, show
from cuda.bindings import driver

context()
source = numpy.arange(16, dtype=numpy.float32)
target = numpy.zeros_like(source)
first = driver.cuMemAlloc(64)[1]
second = driver.cuMemAlloc(64)[1]
call(driver.cuMemcpyHtoD, first, source, 64)
call(driver.cuMemcpyDtoD, second, first, 64)
call(driver.cuMemcpyDtoH, target, second, 64)
show("equal", bool((source == target).all()))
room = bytearray(8)
call(driver.cuMemcpyDtoH, room, int(first) + 4, 8, note="bytearray")
show("bytearray", bytes(room))
call(driver.cuMemcpyHtoD, first, b"\1\2\3\4", 4, note="bytes")
letters = (ctypes.c_ubyte * 4)()
call(driver.cuMemcpyDtoH, letters, first, 4, note="ctypes array")
show("ctypes array", list(letters))
call(driver.cuMemcpyDtoH, target.ctypes.data, first, 4, note="address")
call(driver.cuMemcpyHtoD, numpy.uint64(int(first)), source, 64, note="numpy address")
call(driver.cuMemcpyHtoD, first, memoryview(b"\5\6\7\10"), 4, note="memoryview")
call(driver.cuMemcpyHtoD, first, source[::2], 32, note="strided")
call(driver.cuMemcpyHtoD, first, [1, 2], 8, note="list")
call(driver.cuMemcpyHtoD, first, "text", 4, note="str")
call(driver.cuMemcpyHtoD, first, source, -1, note="negative size")
call(driver.cuMemcpyHtoD, first, None, 4, note="None")
call(driver.cuMemcpyHtoD, 0, source, 64, note="null target")
call(driver.cuMemcpyHtoD, first, source, 0, note="nothing")
call(driver.cuMemcpyHtoD, first, source, 1 << 40, note="too much")
call(driver.cuMemcpyDtoD, 16, first, 64, note="nonsense")
call(driver.cuMemcpy, second, first, 64)
stream = driver.cuStreamCreate(0)[1]
call(driver.cuMemcpyHtoDAsync, first, source, 64, stream)
call(driver.cuMemcpyDtoDAsync, second, first, 64, stream)
call(driver.cuMemcpyDtoHAsync, target, second, 64, stream)
call(driver.cuMemcpyAsync, second, first, 64, stream)
call(driver.cuStreamSynchronize, stream)
show("equal again", bool((source == target).all()))
call(driver.cuMemcpyHtoDAsync, first, source, 64, None, note="default stream")
call(driver.cuMemcpyHtoDAsync, first, source, 64, "0", note="stream str")
