import ctypes
import os

import cuda_shim

library = ctypes.CDLL("libcuda.so.1")


def find(name, version, flags=0):
    found, how = ctypes.c_void_p(), ctypes.c_int()
    status = library.cuGetProcAddress_v2(name, ctypes.byref(found), version, ctypes.c_uint64(flags), ctypes.byref(how))
    return status, found.value, how.value


# The functions of libcuda.so.1 jump to these.
functions = ctypes.CDLL(os.path.join(cuda_shim.get_library_dir(), "libcuda_shim_c.so"))


def of(name):
    return ctypes.cast(getattr(functions, name), ctypes.c_void_p).value


assert find(b"cuMemAlloc", 12000) == (0, of("cuMemAlloc_v2"), 0)
assert find(b"cuCtxCreate", 13000) == (0, of("cuCtxCreate_v4"), 0)
assert find(b"cuCtxCreate", 12000) == (0, of("cuCtxCreate_v3"), 0)
assert find(b"cuCtxCreate", 11000) == (0, of("cuCtxCreate_v2"), 0)
assert find(b"cuNoSuchThing", 12000) == find(b"", 0) == (0, None, 1)
# Static runtimes ask for the version in which a form came.
assert find(b"cuInit", 2000) == (0, of("cuInit"), 0)
assert find(b"cuMemAlloc", 3020) == (0, of("cuMemAlloc_v2"), 0)
# Forms of the first CUDA, whose pointers had 32 bits, and of captures without a mode: no library of today's has them.
assert find(b"cuMemAlloc", 2000) == find(b"cuStreamBeginCapture", 10000) == (0, None, 1)
# The first form of these takes what the second does, which stands for it.
assert find(b"cuEventDestroy", 2000) == (0, of("cuEventDestroy_v2"), 0)
assert find(b"cuMemHostRegister", 4000) == (0, of("cuMemHostRegister_v2"), 0)
assert find(b"cuStreamGetCtx", 9020) == (0, of("cuStreamGetCtx"), 0)
assert find(b"cuStreamGetCtx", 12050) == (0, of("cuStreamGetCtx_v2"), 0)
assert find(b"cuGraphAddNode", 2000) == (0, None, 2)
assert find(b"cuMemsetD8", 7000, 2) == (0, of("cuMemsetD8_v2_ptds"), 0)
assert find(b"cuStreamQuery", 7000, 2) == (0, of("cuStreamQuery_ptsz"), 0) != find(b"cuStreamQuery", 7000)
assert find(b"cuInit", 99000)[0] == find(b"cuInit", 12000, 77)[0] == 1
print("found")
