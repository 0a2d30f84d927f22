import ctypes
import ctypes.util

names = ["libcuda.so.1", "libcuda.so", "libcudart.so.13", "libcudart.so", "libnvrtc.so.13"]
opened = [ctypes.CDLL(name) for name in names]
count = ctypes.c_int()
print(opened[0].cuInit(0), opened[1].cuDeviceGetCount(ctypes.byref(count)), count.value)
print(opened[2].cudaFree(None), opened[4].nvrtcVersion(ctypes.byref(count), ctypes.byref(count)))
print([ctypes.util.find_library(name) for name in ("cuda", "cudart", "nvrtc")], ctypes.util.find_library("c"))
# The dynamic loader finds them by the names in the files, for C code that opens them.
loader = ctypes.CDLL(None)
loader.dlopen.restype = ctypes.c_void_p
print([bool(loader.dlopen(name, 2)) for name in (b"libcuda.so.1", b"libcudart.so.13", b"libnvrtc.so.13")])
