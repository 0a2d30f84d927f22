"""Sizes, flags and pitches that CUDA refuses, and kernels' heap."""

import ctypes

import numpy
from _device import good, module, runtime_device
from _show import call, show
from cuda.bindings import driver, runtime

runtime_device()
call(runtime.cudaMallocManaged, 0, runtime.cudaMemAttachGlobal)
floats = good(runtime.cudaCreateChannelDesc(32, 0, 0, 0, runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat))
FLAGS = {
    "layered": runtime.cudaArrayLayered,
    "cubemap": runtime.cudaArrayCubemap,
    "layered cubemap": runtime.cudaArrayLayered | runtime.cudaArrayCubemap,
    "gather": runtime.cudaArrayTextureGather,
}
for name, flags in FLAGS.items():
    call(runtime.cudaMallocArray, floats, 8, 8, flags, note=name)
    for extent in ((8, 0, 0), (8, 0, 3), (8, 8, 0), (8, 8, 3), (8, 8, 6), (8, 7, 6), (8, 8, 12)):
        size = runtime.make_cudaExtent(*extent)
        call(runtime.cudaMalloc3DArray, floats, size, flags, note=f"{name}, {extent}")
for length in (64, 13, 12, 1):
    call(runtime.cudaDeviceGetPCIBusId, length, 0, note=str(length))
    call(driver.cuDeviceGetPCIBusId, length, 0, note=str(length))
array = good(runtime.cudaMallocArray(floats, 4, 4, 0))
host = numpy.zeros(64, numpy.float32)
kinds = runtime.cudaMemcpyKind
for pitch in (0, 15, 16):
    to, back = kinds.cudaMemcpyHostToDevice, kinds.cudaMemcpyDeviceToHost
    call(runtime.cudaMemcpy2DToArray, array, 0, 0, host, pitch, 16, 4, to, note=f"pitch {pitch}")
    call(runtime.cudaMemcpy2DFromArray, host, pitch, array, 0, 0, 16, 4, back, note=f"pitch {pitch}")
kernels = module(
    """extern "C" __global__ void take(void** kept, unsigned long long bytes, int count) {
        for (int i = 0; i < count; ++i) kept[i] = malloc(bytes);
    }"""
)
take = good(driver.cuModuleGetFunction(kernels, b"take"))
limit = good(runtime.cudaDeviceGetLimit(runtime.cudaLimit.cudaLimitMallocHeapSize))
kept = int(good(runtime.cudaMallocHost(64)))
for note, bytes_each, count in (
    ("the heap twice", 2 * limit, 1),
    ("small", 1000, 8),
    ("a third of it, 8 times", limit // 3, 8),
):
    ctypes.memset(kept, 1, 64)
    arguments = (kept, bytes_each, count), (ctypes.c_void_p, ctypes.c_ulonglong, ctypes.c_int)
    call(driver.cuLaunchKernel, take, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0, note=note)
    call(runtime.cudaDeviceSynchronize, note=note)
    got = sum(address != 0 for address in (ctypes.c_uint64 * count).from_address(kept))
    show(f"{note}, all", got == count)
    show(f"{note}, some", got > 0)
