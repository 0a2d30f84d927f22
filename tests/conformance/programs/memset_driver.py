"""Memory set through the driver."""

import numpy
from _device import context
from _show import call, show
from cuda.bindings import driver

context()
stream = driver.cuStreamCreate(0)[1]
target = numpy.zeros(16, dtype=numpy.uint8)
pointer = driver.cuMemAlloc(1024)[1]


def after(label: str) -> None:
    driver.cuStreamSynchronize(stream)
    driver.cuMemcpyDtoH(target, pointer, 16)
    show(label, target.tolist())


call(driver.cuMemsetD8, pointer, 255, 16)
call(driver.cuMemsetD16, pointer, 0x0102, 4)
call(driver.cuMemsetD32, int(pointer) + 8, 0xFFFFFFFE, 1)
after("set")
call(driver.cuMemsetD8Async, pointer, 1, 4, stream)
call(driver.cuMemsetD16Async, int(pointer) + 4, 2, 2, stream)
call(driver.cuMemsetD32Async, int(pointer) + 8, 3, 2, stream)
after("set by a stream")
call(driver.cuMemsetD2D8, pointer, 8, 9, 2, 2)
call(driver.cuMemsetD2D16, pointer, 8, 10, 1, 2)
call(driver.cuMemsetD2D32, int(pointer) + 4, 8, 11, 1, 2)
after("rectangles")
call(driver.cuMemsetD2D8Async, pointer, 8, 1, 1, 2, stream)
call(driver.cuMemsetD2D16Async, pointer, 8, 2, 1, 1, stream)
call(driver.cuMemsetD2D32Async, pointer, 8, 3, 1, 1, stream)
after("rectangles by a stream")
call(driver.cuMemsetD8, pointer, 256, 1, note="too large a byte")
call(driver.cuMemsetD8, pointer, -1, 1, note="negative byte")
call(driver.cuMemsetD16, pointer, 65536, 1, note="too large a half")
call(driver.cuMemsetD32, pointer, 1 << 32, 1, note="too large a word")
call(driver.cuMemsetD32, int(pointer) + 1, 1, 1, note="unaligned")
call(driver.cuMemsetD8, 0, 1, 1, note="null")
call(driver.cuMemsetD8, pointer, 1, 0, note="nothing")
call(driver.cuMemsetD8, pointer, 1, 1 << 40, note="too much")
call(driver.cuMemsetD8, pointer, "1", 1, note="str")
call(driver.cuMemsetD8, pointer, 1.5, 1, note="float")
