import ctypes

library = ctypes.CDLL("libcuda.so.1")
assert library.cuInit(0) == 0
word, pointer = ctypes.c_uint64, ctypes.c_void_p
context, graph, node = pointer(), pointer(), pointer()
library.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
library.cuCtxSetCurrent(context)
assert library.cuGraphCreate(ctypes.byref(graph), 0) == 0
params = (ctypes.c_char * 256)()
for dependencies, count in (
    (0x1000, 1),
    (ctypes.addressof(params), 1 << 40),
    (ctypes.addressof(params), (1 << 64) - 1),
):
    print(library.cuGraphAddNode_v2(ctypes.byref(node), graph, pointer(dependencies), None, word(count), params))
    ones, attributes = [(1 << 32) + 1] * 3, min(count, (1 << 32) - 1)
    launch = (ctypes.c_uint64 * 7)(*ones, 0, 0, dependencies, attributes)
    print(library.cuLaunchKernelEx(launch, None, None, None))
