"""Modules loaded from every kind of buffer, their kernels and globals."""

import tempfile
from pathlib import Path

import numpy
from _device import context, image
from _show import call, show
from cuda.bindings import driver

SOURCE = """
extern "C" __device__ int counter = 5;
extern "C" __constant__ float table[4];
extern "C" __global__ void fill(int *to) { to[threadIdx.x] = counter + threadIdx.x; }
extern "C" __global__ void other(float *to, float by) { to[threadIdx.x] = by; }
"""
context()
code = image(SOURCE)
module = call(driver.cuModuleLoadData, code)
fill = call(driver.cuModuleGetFunction, module, b"fill")
again = driver.cuModuleGetFunction(module, b"fill")[1]
show("the same function", fill == again)
call(driver.cuModuleGetFunction, module, b"missing", note="missing")
call(driver.cuModuleGetFunction, module, "fill", note="str")
call(driver.cuModuleGetFunction, module, b"", note="empty")
call(driver.cuModuleGetFunction, None, b"fill", note="null module")
call(driver.cuModuleGetFunctionCount, module, values=True)
call(driver.cuModuleEnumerateFunctions, 2, module)
address, size = call(driver.cuModuleGetGlobal, module, b"counter")
show("size", size)
value = numpy.zeros(1, dtype=numpy.int32)
driver.cuMemcpyDtoH(value, address, 4)
show("value", value.tolist())
call(driver.cuModuleGetGlobal, module, b"table", note="constant")
call(driver.cuModuleGetGlobal, module, b"missing", note="missing")
call(driver.cuFuncGetModule, fill)
call(driver.cuFuncGetName, fill, values=True)
call(driver.cuModuleGetLoadingMode)
call(driver.cuModuleUnload, module)
for note, buffer in {
    "bytearray": bytearray(code),
    "numpy": numpy.frombuffer(code, dtype=numpy.uint8),
    "memoryview": memoryview(code),
}.items():
    loaded = call(driver.cuModuleLoadData, buffer, note=note)
    call(driver.cuModuleUnload, loaded, note=note)
data = numpy.frombuffer(code, dtype=numpy.uint8)
call(driver.cuModuleLoadData, data.ctypes.data, note="address")
call(driver.cuModuleLoadDataEx, code, 0, [], [])
call(driver.cuModuleLoadDataEx, code, 0, None, None, note="None")
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "module.cubin"
    path.write_bytes(code)
    call(driver.cuModuleLoad, str(path).encode())
    call(driver.cuModuleLoad, str(path), note="str")
    call(driver.cuModuleLoad, str(path).encode() + b".not", note="no such file")
    path.write_bytes(b"")
    call(driver.cuModuleLoad, str(path).encode(), note="empty file")
call(driver.cuModuleUnload, None, note="null")
