"""Devices through the driver: finding, naming and measuring them."""

from _show import call, fields, kind, show
from cuda.bindings import driver

call(driver.cuDeviceGetCount, note="before cuInit", values=True)
call(driver.cuDeviceGet, 0, note="before cuInit")
call(driver.cuInit, 0)
call(driver.cuInit, 1, note="bad flags")
call(driver.cuDeviceGetCount)
device = call(driver.cuDeviceGet, 0)
show("device number", int(device))
show("device repr", repr(device))
call(driver.cuDeviceGet, 99, note="no such")
call(driver.cuDeviceGet, -1, note="negative")
call(driver.cuDeviceTotalMem, device)
call(driver.cuDeviceTotalMem, 99, note="no such")
call(driver.cuDeviceComputeCapability, device)
call(driver.cuDeviceGetProperties, device)
call(driver.cuDeviceGetProperties, 99, note="no such")

name = call(driver.cuDeviceGetName, 64, device)
show("name length", len(name))
show("name ends in NUL", name.endswith(b"\0"))
show("short name length", len(call(driver.cuDeviceGetName, 4, device, note="4 bytes") or b""))
call(driver.cuDeviceGetName, 64, 99, note="no such")

uuid = call(driver.cuDeviceGetUuid, device)
show("uuid length", len(uuid.bytes))
call(driver.cuDeviceGetUuid, 99, note="no such")

bus = call(driver.cuDeviceGetPCIBusId, 32, device)
kind("bus", bus)
show("bus length", len(bus))
show("bus shape", bus.split(b"\0")[0].count(b":"))
found = call(driver.cuDeviceGetByPCIBusId, bus.split(b"\0")[0])
show("found again", int(found))
call(driver.cuDeviceGetByPCIBusId, b"nonsense", note="nonsense")
call(driver.cuDeviceGetPCIBusId, 32, 99, note="no such")
properties = call(driver.cuDeviceGetProperties, device, note="again")
fields("properties", properties, "maxThreadsPerBlock", "maxThreadsDim", "maxGridSize", "SIMDWidth", "memPitch")
