import ctypes

from cuda.bindings import driver, nvrtc

library = ctypes.CDLL("libcuda.so.1")
driver.cuInit(0)
driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
program = nvrtc.nvrtcCreateProgram(b'extern "C" __global__ void k() {}', b"k.cu", 0, [], [])[1]
nvrtc.nvrtcCompileProgram(program, 0, [])
image = b" " * nvrtc.nvrtcGetPTXSize(program)[1]
nvrtc.nvrtcGetPTX(program, image)
kernel = driver.cuModuleGetFunction(driver.cuModuleLoadData(image)[1], b"k")[1]
for name in ("PROGRAMMATIC_EVENT", "PRIORITY", "COOPERATIVE"):
    attribute, config = driver.CUlaunchAttribute(), driver.CUlaunchConfig()
    attribute.id = getattr(driver.CUlaunchAttributeID, f"CU_LAUNCH_ATTRIBUTE_{name}")
    for member in ("gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ"):
        setattr(config, member, 1)
    config.attrs, config.numAttrs = [attribute], 1
    in_python = int(driver.cuLaunchKernelEx(config, kernel, 0, 0)[0])
    print(
        name,
        in_python,
        library.cuLaunchKernelEx(ctypes.c_void_p(config.getPtr()), ctypes.c_void_p(int(kernel)), None, None),
    )
config.numAttrs = 1 << 30
print(library.cuLaunchKernelEx(ctypes.c_void_p(config.getPtr()), ctypes.c_void_p(int(kernel)), None, None))
