%%cuda_shim check
from cuda.bindings import driver, nvrtc
source = b"extern \"C\" __global__ void k(float *x) { x[threadIdx.x] = 1; }"
program = nvrtc.nvrtcCreateProgram(source, b"k.cu", 0, [], [])[1]
nvrtc.nvrtcCompileProgram(program, 0, [])
code = bytes(nvrtc.nvrtcGetPTXSize(program)[1])
nvrtc.nvrtcGetPTX(program, code)
driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
kernel = driver.cuModuleGetFunction(driver.cuModuleLoadData(code)[1], b"k")[1]
x = driver.cuMemAlloc(16)[1]
driver.cuLaunchKernel(kernel, 1, 1, 1, 8, 1, 1, 0, 0, ((x,), (None,)), 0)
status = driver.cuCtxSynchronize()[0]
print(status.name)
assert status == 0
