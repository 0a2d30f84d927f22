"""Linear memory through the driver."""

from _device import context
from _show import call, kind, show
from cuda.bindings import driver

context()
pointer = call(driver.cuMemAlloc, 1024)
show("address is whole", int(pointer) % 256)
kind("getPtr", pointer.getPtr())
show("equal to a copy", driver.CUdeviceptr(int(pointer)) == pointer)
show("true", bool(pointer))
show("adds", lambda: pointer + 4)
show("hex", lambda: hex(pointer))
base, size = call(driver.cuMemGetAddressRange, int(pointer) + 100)
show("range base", int(base) == int(pointer))
show("range size", size)
call(driver.cuMemFree, pointer)
call(driver.cuMemGetAddressRange, pointer, note="freed")
call(driver.cuMemFree, pointer, note="twice")
call(driver.cuMemFree, 0, note="null")
call(driver.cuMemFree, None, note="None")
call(driver.cuMemFree, 16, note="nonsense")
call(driver.cuMemAlloc, 0, note="nothing")
call(driver.cuMemAlloc, 1 << 60, note="too much")
call(driver.cuMemAlloc, -1, note="negative")
call(driver.cuMemAlloc, 16.9, note="float")
call(driver.cuMemAlloc, "16", note="str")
call(driver.cuMemAlloc, bytesize=16, note="keyword")
call(driver.cuMemGetInfo)
