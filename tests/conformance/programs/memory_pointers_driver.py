"""The driver's attributes of pointers."""

import ctypes

from _device import context
from _show import call, show
from cuda.bindings import driver

context()
attribute = driver.CUpointer_attribute
device = driver.cuMemAlloc(256)[1]
host = driver.cuMemAllocHost(256)[1]
managed = driver.cuMemAllocManaged(256, 1)[1]
own = ctypes.create_string_buffer(256)
places = {"device": device, "host": host, "managed": managed, "own": ctypes.addressof(own)}
for where, pointer in places.items():
    for name in [
        "CONTEXT",
        "MEMORY_TYPE",
        "DEVICE_POINTER",
        "HOST_POINTER",
        "SYNC_MEMOPS",
        "BUFFER_ID",
        "IS_MANAGED",
        "DEVICE_ORDINAL",
        "RANGE_START_ADDR",
        "RANGE_SIZE",
        "MAPPED",
    ]:
        member = getattr(attribute, f"CU_POINTER_ATTRIBUTE_{name}")
        call(driver.cuPointerGetAttribute, member, pointer, note=f"{where} {name}")
for name in ("MEMORY_TYPE", "IS_MANAGED", "DEVICE_ORDINAL", "RANGE_SIZE", "MAPPED"):
    member = getattr(attribute, f"CU_POINTER_ATTRIBUTE_{name}")
    call(driver.cuPointerGetAttribute, member, device, note=f"{name} value", values=True)
start = driver.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, int(device) + 16)[1]
show("range start", int(start) == int(device))
names = [
    attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
    attribute.CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
    attribute.CU_POINTER_ATTRIBUTE_IS_MANAGED,
]
call(driver.cuPointerGetAttributes, 3, names, device)
call(driver.cuPointerGetAttributes, 3, names, ctypes.addressof(own), note="own")
call(driver.cuPointerGetAttributes, 4, names, device, note="list too short")
call(driver.cuPointerSetAttribute, True, attribute.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, device)
call(driver.cuPointerGetAttribute, attribute.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, device, note="after", values=True)
call(driver.cuPointerGetAttribute, attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0, note="null")
call(driver.cuPointerGetAttribute, 1000, device, note="no such")
