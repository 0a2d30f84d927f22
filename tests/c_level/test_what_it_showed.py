"""Requirements of compiled packages beside functions: the current context, classes that are one, logs of links."""

from __future__ import annotations

from tests.c_level.test_by_name import run


def test_no_context_is_current_before_one_is_made_so() -> None:
    code = """
from cuda.bindings import driver
driver.cuInit(0)
none = driver.CUcontext(0)
status, primary = driver.cuDevicePrimaryCtxRetain(0)
assert driver.cuCtxGetCurrent()[1] == none and driver.cuCtxGetDevice()[0] == 201
for _ in range(2): assert driver.cuCtxPushCurrent(primary)[0] == 0
assert driver.cuCtxGetCurrent()[1] == primary and driver.cuCtxGetDevice()[0] == 0
for _ in range(2): assert driver.cuCtxPopCurrent() == (0, primary)
assert driver.cuCtxGetCurrent()[1] == none and driver.cuCtxPopCurrent()[0] == 201
from cuda.bindings import runtime
assert runtime.cudaGetDeviceCount()[1] == 1 and driver.cuCtxGetCurrent()[1] == none
assert runtime.cudaFree(0)[0] == 0 and driver.cuCtxGetCurrent()[1] == primary
print("right")
"""
    assert run(code) == "right\n"


def test_legacy_modules_share_the_classes_that_mean_the_same() -> None:
    code = """
import cuda.cuda, cuda.cudart
from cuda.bindings import driver, runtime
print(cuda.cuda.CUresult is driver.CUresult, cuda.cudart.cudaError_t is runtime.cudaError_t)
print(cuda.cuda.CUstream is driver.CUstream, cuda.cuda.CUdevice_attribute is driver.CUdevice_attribute)
"""
    assert run(code, "--cuda", "13.5") == "True True\nTrue False\n"


def test_logs_of_links_are_written_where_c_says() -> None:
    code = """
import ctypes
from cuda.bindings import driver
library = ctypes.CDLL("libcuda.so.1")
assert library.cuInit(0) == 0 and driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])[0] == 0
options = driver.CUjit_option
log, text = ctypes.create_string_buffer(500), b".version 8.0\\n.target sm_80\\n.address_size 64\\nnonsense\\0"
wanted = (ctypes.c_int * 2)(options.CU_JIT_ERROR_LOG_BUFFER, options.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
values, state = (ctypes.c_void_p * 2)(ctypes.addressof(log), 500), ctypes.c_void_p()
assert library.cuLinkCreate_v2(2, wanted, values, ctypes.byref(state)) == 0
kind = int(driver.CUjitInputType.CU_JIT_INPUT_PTX)
status = library.cuLinkAddData_v2(state, kind, text, ctypes.c_size_t(len(text)), b"mine", 0, None, None)
image, size = ctypes.c_void_p(), ctypes.c_size_t()
status = status or library.cuLinkComplete(state, ctypes.byref(image), ctypes.byref(size))
print(status != 0, b"nonsense" in log.value or len(log.value) > 10, library.cuLinkDestroy(state))
"""
    assert run(code) == "True True 0\n"


def test_attributes_of_a_launch_are_looked_at_in_c_too() -> None:
    code = """
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
    print(name, in_python, library.cuLaunchKernelEx(ctypes.c_void_p(config.getPtr()), ctypes.c_void_p(int(kernel)), None, None))
config.numAttrs = 1 << 30
print(library.cuLaunchKernelEx(ctypes.c_void_p(config.getPtr()), ctypes.c_void_p(int(kernel)), None, None))
"""
    assert run(code) == "PROGRAMMATIC_EVENT 801 801\nPRIORITY 0 0\nCOOPERATIVE 0 0\n1\n"
