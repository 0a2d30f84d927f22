import ctypes

from cuda.bindings import driver, runtime

library = ctypes.CDLL("libcuda.so.1")
assert library.cuInit(0) == 0
status, context = driver.cuDevicePrimaryCtxRetain(0)
current = ctypes.c_void_p(1)
assert (library.cuCtxGetCurrent(ctypes.byref(current)), current.value) == (0, None)
assert driver.cuCtxSetCurrent(context)[0] == 0
assert (library.cuCtxGetCurrent(ctypes.byref(current)), current.value) == (0, int(context))
pointer = ctypes.c_uint64()
assert library.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(64)) == 0
assert driver.cuMemsetD8(pointer.value, 7, 64)[0] == 0
room = ctypes.create_string_buffer(64)
assert library.cuMemcpyDtoH_v2(room, pointer, ctypes.c_size_t(64)) == 0 and room.raw == b"\7" * 64
stream = ctypes.c_void_p()
assert library.cuStreamCreate(ctypes.byref(stream), 0) == 0
assert driver.cuStreamBeginCapture(stream.value, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED)[0] == 0
state = ctypes.c_int()
assert library.cuStreamIsCapturing(stream, ctypes.byref(state)) == 0 and state.value == 1
graph = ctypes.c_void_p()
assert library.cuStreamEndCapture(stream, ctypes.byref(graph)) == 0
assert driver.cuGraphDestroy(graph.value)[0] == 0 and driver.cuStreamDestroy(stream.value)[0] == 0
assert driver.cuMemFree(pointer.value)[0] == 0 and library.cuMemFree_v2(pointer) == 1
cudart = ctypes.CDLL("libcudart.so")
assert cudart.cudaFree(ctypes.c_void_p(123)) == 1
assert runtime.cudaGetLastError()[0] == 1 and cudart.cudaGetLastError() == 0
print("one")
