import ctypes
from pathlib import Path

import cuda_shim

cuda_shim.enable(backend="cpu", cuda="12.9", compiled_calls="1")
from cuda.bindings import driver as cu
from cuda.bindings import nvrtc
from cuda.bindings import runtime as rt


def ok(result):
    assert int(result[0]) == 0, result
    return result[1] if len(result) == 2 else result[1:]


ok(rt.cudaFree(0))
library = ctypes.CDLL("libcuda.so.1")
count = ctypes.c_int()
assert library.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value == 1
program = ok(nvrtc.nvrtcCreateProgram(b'extern "C" __global__ void put(int *p) { *p = 42; }', b"k.cu", 0, [], []))
ok(nvrtc.nvrtcCompileProgram(program, 0, []))
code = b" " * ok(nvrtc.nvrtcGetPTXSize(program))
ok(nvrtc.nvrtcGetPTX(program, code))
put = ok(cu.cuModuleGetFunction(ok(cu.cuModuleLoadData(code)), b"put"))
memory = ok(cu.cuMemAllocManaged(4, 1))
for _ in range(3):  # compiled calls begin with the second
    ok(cu.cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, 0, ((memory,), (None,)), 0))
ok(cu.cuCtxSynchronize())
declared = Path(cuda_shim.get_include(), "cuda/bindings/cydriver.pxd").read_text(encoding="utf-8")
print(ctypes.c_int.from_address(int(memory)).value, "cuMemAlloc_v2(" in declared or "cuMemAlloc(" in declared)
