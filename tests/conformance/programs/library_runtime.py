"""Libraries through the runtime."""

from _device import image, runtime_device
from _show import call, fields, show
from cuda.bindings import runtime

SOURCE = """
extern "C" __device__ int counter = 5;
extern "C" __global__ void fill(int *to, int by) { to[threadIdx.x] = by; }
"""
runtime_device()
library = call(runtime.cudaLibraryLoadData, image(SOURCE), [], [], 0, [], [], 0)
kernel = call(runtime.cudaLibraryGetKernel, library, b"fill")
call(runtime.cudaLibraryGetKernel, library, b"missing", note="missing")
call(runtime.cudaLibraryGetKernelCount, library, values=True)
call(runtime.cudaLibraryEnumerateKernels, 1, library)
address, size = call(runtime.cudaLibraryGetGlobal, library, b"counter")
show("size", size)
call(runtime.cudaLibraryGetGlobal, library, b"missing", note="missing")
attributes = call(runtime.cudaFuncGetAttributes, kernel)
fields(
    "attributes",
    attributes,
    "maxThreadsPerBlock",
    "numRegs",
    "sharedSizeBytes",
    "constSizeBytes",
    "localSizeBytes",
    "binaryVersion",
)
call(runtime.cudaFuncSetAttribute, kernel, runtime.cudaFuncAttribute.cudaFuncAttributeMaxDynamicSharedMemorySize, 1024)
call(runtime.cudaFuncSetCacheConfig, kernel, runtime.cudaFuncCache.cudaFuncCachePreferShared)
call(
    runtime.cudaKernelSetAttributeForDevice,
    kernel,
    runtime.cudaFuncAttribute.cudaFuncAttributeMaxDynamicSharedMemorySize,
    2048,
    0,
)
call(runtime.cudaOccupancyMaxActiveBlocksPerMultiprocessor, kernel, 64, 0)
call(runtime.cudaFuncGetAttributes, None, note="null")
call(runtime.cudaLibraryLoadData, b"nonsense\0", [], [], 0, [], [], 0, note="nonsense")
call(runtime.cudaLibraryUnload, library)
