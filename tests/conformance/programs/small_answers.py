"""Names of static variables, names of nothing, unregistering, runs between arrays, the rate of clocks."""

import ctypes
import time

import numpy
from _device import context, good, module
from _show import call, show
from cuda.bindings import driver, runtime

context()
loaded = module(
    """static __device__ int hidden = 5; static __constant__ int table[3]; namespace n { static __device__ int inside; }
    extern "C" { static __device__ int plain; }
    extern "C" __global__ void read(int* out) { *out = hidden + table[0] + n::inside + plain; }
    extern "C" __global__ void clocks(long long ticks) {
        const long long start = clock64();
        while (clock64() - start < ticks) {}
    }"""
)
for name in (b"hidden", b"_ZL6hidden", b"table", b"plain", b"inside"):
    call(driver.cuModuleGetGlobal, loaded, name, note=name.decode())
call(driver.cuFuncGetName, 0, note="null")
call(driver.cuKernelGetName, 0, note="null")
buffer = ctypes.create_string_buffer(4 * 4096)
start = ctypes.addressof(buffer) + 4095 & ~4095
call(runtime.cudaHostRegister, start, 8192, 0)
call(runtime.cudaHostUnregister, start + 4096, note="inside")
call(driver.cuMemHostUnregister, start + 64, note="inside")
call(runtime.cudaHostUnregister, start)
call(driver.cuCoredumpSetAttributeGlobal, driver.CUcoredumpSettings.CU_COREDUMP_ENABLE_ON_EXCEPTION, False)
floats = good(runtime.cudaCreateChannelDesc(32, 0, 0, 0, runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat))
first, second = (good(runtime.cudaMallocArray(floats, 8, 4, 0)) for _ in range(2))
picture, back = numpy.arange(32, dtype=numpy.float32), numpy.zeros(32, numpy.float32)
kinds = runtime.cudaMemcpyKind
runtime.cudaMemcpy2DToArray(first, 0, 0, picture, 32, 32, 4, kinds.cudaMemcpyHostToDevice)
for places, count in (
    ((0, 0, 0, 0), 64),
    ((4, 1, 8, 0), 40),
    ((0, 2, 0, 2), 80),
    ((32, 0, 0, 0), 4),
    ((0, 0, 0, 0), 0),
):
    runtime.cudaMemcpy2DToArray(second, 0, 0, numpy.zeros(32, numpy.float32), 32, 32, 4, kinds.cudaMemcpyHostToDevice)
    (to_x, to_y, from_x, from_y), note = places, f"{places} {count}"
    call(
        runtime.cudaMemcpyArrayToArray,
        second,
        to_x,
        to_y,
        first,
        from_x,
        from_y,
        count,
        kinds.cudaMemcpyDeviceToDevice,
        note=note,
    )
    runtime.cudaMemcpy2DFromArray(back, 32, second, 0, 0, 32, 4, kinds.cudaMemcpyDeviceToHost)
    show(f"copied {note}", back.astype(int).tolist())
clocks = good(driver.cuModuleGetFunction(loaded, b"clocks"))
rate = good(driver.cuDeviceGetAttribute(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0))
for ticks in (0, rate * 300):
    began = time.perf_counter()
    arguments = (ticks,), (ctypes.c_longlong,)
    good((*driver.cuLaunchKernel(clocks, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0), None))
    good((*runtime.cudaDeviceSynchronize(), None))
    lasted = time.perf_counter() - began
show("300 milliseconds of ticks last about as long", 0.15 < lasted < 0.6)
