"""Flags of page-locked host memory, and the flags that the driver reports afterwards."""

import ctypes

from _device import context
from _show import call, show
from cuda.bindings import driver

context()
portable, mapped, combined = (
    driver.CU_MEMHOSTALLOC_PORTABLE,
    driver.CU_MEMHOSTALLOC_DEVICEMAP,
    driver.CU_MEMHOSTALLOC_WRITECOMBINED,
)
show("flags", [portable, mapped, combined])
for note, flags in (("none", 0), ("portable", portable), ("mapped", mapped), ("combined", combined),
                    ("all", portable | mapped | combined)):  # fmt: skip
    host = call(driver.cuMemHostAlloc, 64, flags, note=note)
    call(driver.cuMemHostGetFlags, host, note=note, values=True)
    call(driver.cuMemHostGetDevicePointer, host, 0, note=note)
    call(driver.cuMemFreeHost, host, note=note)
page = ctypes.create_string_buffer(1 << 16)
for note, flags in (("none", 0), ("portable", driver.CU_MEMHOSTREGISTER_PORTABLE),
                    ("mapped", driver.CU_MEMHOSTREGISTER_DEVICEMAP)):  # fmt: skip
    call(driver.cuMemHostRegister, page, len(page), flags, note=note)
    call(driver.cuMemHostGetFlags, page, note=f"registered, {note}", values=True)
    call(driver.cuMemHostUnregister, page, note=note)
