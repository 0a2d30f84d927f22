"""The runtime's attributes of pointers."""

import ctypes

from _device import runtime_device
from _show import call, fields, show
from cuda.bindings import runtime

runtime_device()
device = runtime.cudaMalloc(256)[1]
host = runtime.cudaMallocHost(256)[1]
managed = runtime.cudaMallocManaged(256, runtime.cudaMemAttachGlobal)[1]
own = ctypes.create_string_buffer(256)
places = {"device": device, "inside": device + 16, "host": host, "managed": managed, "own": ctypes.addressof(own)}
for where, pointer in places.items():
    known = call(runtime.cudaPointerGetAttributes, pointer, note=where)
    fields(where, known, "type", "device", "devicePointer", "hostPointer")
    fields(where, known, "device", values=True)
show("device pointer", runtime.cudaPointerGetAttributes(device)[1].devicePointer == device)
show("inside", runtime.cudaPointerGetAttributes(device + 16)[1].devicePointer == device + 16)
show("host pointer", runtime.cudaPointerGetAttributes(host)[1].hostPointer == host)
call(runtime.cudaPointerGetAttributes, 0, note="null")
call(runtime.cudaPointerGetAttributes, "x", note="str")
