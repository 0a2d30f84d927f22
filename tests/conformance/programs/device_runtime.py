"""Devices through the runtime."""

from _show import call, show
from cuda.bindings import runtime

call(runtime.cudaGetDeviceCount)
call(runtime.cudaGetDevice, values=True)
call(runtime.cudaSetDevice, 0)
call(runtime.cudaSetDevice, 99, note="no such")
call(runtime.cudaSetDevice, -1, note="negative")
call(runtime.cudaGetDevice, note="after a failure", values=True)
call(runtime.cudaInitDevice, 0, 0, 0)
call(runtime.cudaInitDevice, 99, 0, 0, note="no such")
bus = call(runtime.cudaDeviceGetPCIBusId, 32, 0)
show("bus length", len(bus))
call(runtime.cudaDeviceGetByPCIBusId, bus.split(b"\0")[0], values=True)
call(runtime.cudaDeviceGetByPCIBusId, b"nonsense", note="nonsense")
call(runtime.cudaDeviceGetPCIBusId, 32, 99, note="no such")
attribute = runtime.cudaDeviceAttr
call(runtime.cudaDeviceGetAttribute, attribute.cudaDevAttrWarpSize, 0, values=True)
call(runtime.cudaDeviceGetAttribute, attribute.cudaDevAttrMultiProcessorCount, 0)
call(runtime.cudaDeviceGetAttribute, attribute.cudaDevAttrMaxThreadsPerBlock, 0, values=True)
call(runtime.cudaDeviceGetAttribute, attribute.cudaDevAttrMaxSharedMemoryPerBlock, 0, note="shared")
call(runtime.cudaDeviceGetAttribute, attribute.cudaDevAttrMemoryPoolsSupported, 0, note="pools", values=True)
call(runtime.cudaDeviceGetAttribute, 10, 0, note="int", values=True)
call(runtime.cudaDeviceGetAttribute, attribute.cudaDevAttrWarpSize, 99, note="no such device")
call(runtime.cudaDeviceGetAttribute, 100000, 0, note="no such attribute")
call(runtime.cudaDeviceSynchronize)
call(runtime.cudaGetDeviceFlags)
call(runtime.cudaSetDeviceFlags, runtime.cudaDeviceScheduleAuto)
call(runtime.cudaSetDeviceFlags, 0xFFFF, note="bad")
call(runtime.cudaGetDeviceFlags, note="after")
call(runtime.cudaDeviceGetStreamPriorityRange)
