import ctypes

from cuda.bindings import driver
from cuda.bindings._v2 import nvrtc

program = nvrtc.create_program(b'extern "C" __global__ void seven(int* p) { *p = 7; }', b"seven.cu")
nvrtc.compile_program(program)


def done(answer):
    assert answer[0] == driver.CUresult.CUDA_SUCCESS, answer
    return answer[1] if len(answer) > 1 else None


done(driver.cuInit(0))
done(driver.cuCtxSetCurrent(done(driver.cuDevicePrimaryCtxRetain(done(driver.cuDeviceGet(0))))))
function = done(driver.cuModuleGetFunction(done(driver.cuModuleLoadData(nvrtc.get_ptx(program))), b"seven"))
memory, result = done(driver.cuMemAlloc(4)), ctypes.c_int()
arguments = ((int(memory),), (ctypes.c_void_p,))
done(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0))
done(driver.cuMemcpyDtoH(ctypes.addressof(result), memory, 4))
print(result.value)
try:
    nvrtc.get_pch_heap_size()
except nvrtc.InternalError as error:
    print(error)
