"""Calls with right arguments where no context is current: after the last pop, and in a thread that made none current."""

import ctypes
import tempfile
import threading
from pathlib import Path

from _show import call
from cuda.bindings import driver

PTX = b""".version 7.0
.target sm_52
.address_size 64
.visible .global .align 4 .u32 number;
.visible .entry nothing(.param .u64 unused) { ret; }
\0"""


def ok(answer):
    """Return the outputs of a call that has to work."""
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) == 2 else answer[1:]


def location():
    """Return the first device as a place of memory."""
    place = driver.CUmemLocation()
    place.type, place.id = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE, 0
    return place


driver.cuInit(0)
context = ok(driver.cuDevicePrimaryCtxRetain(0))
driver.cuCtxSetCurrent(context)
module = ok(driver.cuModuleLoadData(PTX))
library = ok(driver.cuLibraryLoadData(PTX, [], [], 0, [], [], 0))
kernel = ok(driver.cuLibraryGetKernel(library, b"nothing"))
function = ok(driver.cuModuleGetFunction(module, b"nothing"))
stream, ended_stream = (ok(driver.cuStreamCreate(0)) for _ in range(2))
event, later, ended_event = (ok(driver.cuEventCreate(0)) for _ in range(3))
driver.cuEventRecord(event, stream)
driver.cuEventRecord(later, stream)
memory, ended_memory = (ok(driver.cuMemAlloc(4096)) for _ in range(2))
managed = ok(driver.cuMemAllocManaged(4096, 1))
pinned, ended_pinned = (ok(driver.cuMemAllocHost(4096)) for _ in range(2))
pooled = ok(driver.cuMemAllocAsync(4096, stream))
pool = ok(driver.cuDeviceGetDefaultMemPool(0))
graph = ok(driver.cuGraphCreate(0))
driver.cuGraphAddEmptyNode(graph, [], 0)
executable = ok(driver.cuGraphInstantiate(graph, 0))
link = ok(driver.cuLinkCreate(0, [], []))
description = driver.CUDA_ARRAY_DESCRIPTOR()
description.Width, description.NumChannels = 16, 1
description.Format = driver.CUarray_format.CU_AD_FORMAT_FLOAT
array = ok(driver.cuArrayCreate(description))
host = ctypes.create_string_buffer(4096)
driver.cuCtxSynchronize()
driver.cuCtxPopCurrent()
here = ctypes.addressof(host)
no_values = ((0,), (ctypes.c_void_p,))
attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NUM_REGS
call(driver.cuCtxGetCurrent)
call(driver.cuCtxPopCurrent)
call(driver.cuCtxSetCurrent, None)
call(driver.cuCtxSynchronize)
call(driver.cuCtxGetApiVersion, context)
call(driver.cuMemAlloc, 16)
call(driver.cuMemcpyHtoD, memory, here, 16)
call(driver.cuMemcpyDtoH, here, memory, 16)
call(driver.cuMemcpyHtoDAsync, memory, here, 16, stream)
call(driver.cuMemcpyHtoDAsync, memory, here, 16, 0, note="no stream")
call(driver.cuMemsetD8, memory, 0, 16)
call(driver.cuMemsetD8Async, memory, 0, 16, stream)
call(driver.cuMemGetAddressRange, memory)
call(driver.cuMemHostGetDevicePointer, pinned, 0)
call(driver.cuMemHostGetFlags, pinned)
call(driver.cuPointerGetAttribute, driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory)
call(driver.cuPointerGetAttributes, 1, [driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE], memory)
call(driver.cuMemAdvise, managed, 4096, driver.CUmem_advise.CU_MEM_ADVISE_SET_READ_MOSTLY, location())
call(driver.cuMemPrefetchAsync, managed, 4096, location(), 0, stream)
call(driver.cuMemPrefetchAsync, managed, 4096, location(), 0, 0, note="no stream")
call(driver.cuMemAllocAsync, 16, stream)
call(driver.cuMemAllocFromPoolAsync, 16, pool, stream)
call(driver.cuMemPoolTrimTo, pool, 0)
call(driver.cuMemFreeAsync, pooled, stream)
call(driver.cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, stream, no_values, 0)
call(driver.cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, 0, no_values, 0, note="no stream")
config = driver.CUlaunchConfig()
config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimX = config.blockDimY = config.blockDimZ = 1
call(driver.cuLaunchKernelEx, config, function, no_values, 0, note="no stream")
config.hStream = stream
call(driver.cuLaunchKernelEx, config, function, no_values, 0)
call(driver.cuFuncGetAttribute, attribute, function)
call(driver.cuFuncGetName, function)
call(driver.cuFuncSetCacheConfig, function, driver.CUfunc_cache.CU_FUNC_CACHE_PREFER_L1)
call(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor, function, 32, 0)
call(driver.cuModuleGetFunction, module, b"nothing")
call(driver.cuModuleGetGlobal, module, b"number")
call(driver.cuModuleLoadData, PTX)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "module.ptx"
    path.write_bytes(PTX)
    call(driver.cuModuleLoad, str(path).encode())
    call(driver.cuLibraryLoadFromFile, str(path).encode(), [], [], 0, [], [], 0)
call(driver.cuLibraryLoadData, PTX, [], [], 0, [], [], 0)
call(driver.cuLibraryGetKernel, library, b"nothing")
call(driver.cuLibraryGetGlobal, library, b"number")
call(driver.cuKernelGetFunction, kernel)
call(driver.cuKernelGetAttribute, attribute, kernel, 0)
call(driver.cuStreamSynchronize, stream)
call(driver.cuStreamQuery, stream)
call(driver.cuStreamGetFlags, stream)
call(driver.cuStreamGetPriority, stream)
call(driver.cuStreamGetId, stream)
call(driver.cuStreamGetCtx, stream)
call(driver.cuStreamIsCapturing, stream)
call(driver.cuStreamWaitEvent, stream, event, 0)
call(driver.cuLaunchHostFunc, stream, driver.CUhostFn(0), 0, note="null function")
call(driver.cuEventCreate, 0)
call(driver.cuEventRecord, event, stream)
call(driver.cuEventRecord, event, 0, note="no stream")
call(driver.cuEventQuery, later)
call(driver.cuEventSynchronize, later)
call(driver.cuEventElapsedTime, later, later)
call(driver.cuStreamBeginCapture, stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED)
call(driver.cuGraphAddEmptyNode, graph, [], 0)
call(driver.cuGraphGetNodes, graph, 1)
call(driver.cuGraphInstantiate, graph, 0)
call(driver.cuGraphLaunch, executable, stream)
call(driver.cuGraphUpload, executable, stream)
call(driver.cuLinkAddData, link, driver.CUjitInputType.CU_JIT_INPUT_PTX, PTX, len(PTX), b"input", 0, [], [])
call(driver.cuLinkComplete, link)
call(driver.cuLinkDestroy, link)
call(driver.cuLinkCreate, 0, [], [])
call(driver.cuArrayGetDescriptor, array)
call(driver.cuArrayDestroy, array)
call(driver.cuGraphExecDestroy, executable)
call(driver.cuGraphDestroy, graph)
call(driver.cuEventDestroy, ended_event)
call(driver.cuStreamDestroy, ended_stream)
call(driver.cuMemFree, ended_memory)
call(driver.cuMemFreeHost, ended_pinned)
call(driver.cuLibraryUnload, library)
call(driver.cuModuleUnload, module)
call(driver.cuDeviceGetAttribute, driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0)
driver.cuCtxSetCurrent(context)


def in_a_thread():
    """Call where the main thread's context does not count, and where one is made current."""
    call(driver.cuCtxGetCurrent, note="thread")
    call(driver.cuMemAlloc, 16, note="thread")
    call(driver.cuMemcpyHtoD, memory, here, 16, note="thread")
    call(driver.cuCtxSetCurrent, context, note="thread")
    call(driver.cuMemcpyHtoD, memory, here, 16, note="thread with context")
    call(driver.cuCtxPopCurrent, note="thread")
    call(driver.cuMemcpyHtoD, memory, here, 16, note="thread after its pop")


thread = threading.Thread(target=in_a_thread)
thread.start()
thread.join()
call(driver.cuMemcpyHtoD, memory, here, 16, note="main thread")
call(driver.cuCtxSetCurrent, None, note="main thread")
call(driver.cuMemcpyHtoD, memory, here, 16, note="main thread without context")
