"""Load a fat binary as NVIDIA's runtime does for the kernels that are linked into a program, and launch some."""

from __future__ import annotations

import ctypes
import struct
import sys
from pathlib import Path

from cuda.bindings import driver


def fat_binary(text: bytes) -> bytes:
    """One uncompressed PTX text for sm_90."""
    text += bytes(8 - len(text) % 8)
    entry = struct.pack("<HHIIIIIIIIIQQQ", 1, 0x101, 64, len(text), 0, 0, 0, 0, 90, 64, 0, 0x11, 0, 0)
    entry = entry.ljust(64, b"\0")
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry) + len(text)) + entry + text


def done(answer):
    """The results of a call that succeeds."""
    status, *results = answer
    assert int(status) == 0, status
    return results[0] if results else None


done(driver.cuInit(0))
done(driver.cuCtxSetCurrent(done(driver.cuDevicePrimaryCtxRetain(0))))
image = ctypes.create_string_buffer(fat_binary(Path(sys.argv[1]).read_bytes()))
wrapper = struct.pack("<IIQQ", 0x466243B1, 1, ctypes.addressof(image), 0)
place = ctypes.create_string_buffer(wrapper)
library = done(driver.cuLibraryLoadData(ctypes.addressof(place), [], [], 0, [], [], 0))
other = done(driver.cuLibraryLoadData(ctypes.addressof(place), [], [], 0, [], [], 0))
done(driver.cuLibraryUnload(other))
print("unloaded", int(driver.cuLibraryGetKernel(other, b"increase")[0]) != 0)
ctypes.memset(image, 0, len(image))  # the library keeps what it needs
print("kernels", done(driver.cuLibraryGetKernelCount(library)))
kernels = {name: done(driver.cuLibraryGetKernel(library, name)) for name in (b"increase", b"read_twice", b"read_text")}
output = done(driver.cuMemAlloc(4))
value = ctypes.c_uint32()


def launch(name, *pointers):
    """Launch a kernel of one block of four threads."""
    values = [ctypes.c_uint64(int(pointer)) for pointer in pointers]
    places = (ctypes.c_void_p * 2)(*map(ctypes.addressof, values))
    function = done(driver.cuKernelGetFunction(kernels[name]))
    done(driver.cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, 0, ctypes.addressof(places), 0))


launch(b"increase")
launch(b"increase")
for name in (b"read_twice", b"read_text"):
    launch(name, output)
    done(driver.cuMemcpyDtoH(ctypes.addressof(value), output, 4))
    print(name.decode(), value.value)
versions = (
    driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_PTX_VERSION,
    driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_BINARY_VERSION,
)
function = done(driver.cuKernelGetFunction(kernels[b"increase"]))
print("versions", *(done(driver.cuFuncGetAttribute(version, function)) for version in versions))
print("versions", *(done(driver.cuKernelGetAttribute(version, kernels[b"increase"], 0)) for version in versions))
print("counter", *(int(driver.cuLibraryGetGlobal(library, name)[0]) for name in (b"counter", b"other", b"none")))
address, size = driver.cuLibraryGetGlobal(library, b"counter")[1:]
done(driver.cuMemcpyDtoH(ctypes.addressof(value), address, size))
print("counter", value.value, size)
print("errors", *(int(driver.cuLibraryGetKernel(library, name)[0]) for name in (b"none", b"twice")))
done(driver.cuCtxSynchronize())
print("broken", int(driver.cuLibraryGetKernel(library, b"broken")[0]))
print("context", int(driver.cuCtxSynchronize()[0]))
