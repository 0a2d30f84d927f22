import ctypes

from cuda.bindings import driver

library = ctypes.CDLL("libcuda.so.1")
assert library.cuInit(0) == 0 and driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])[0] == 0
options = driver.CUjit_option
log, text = ctypes.create_string_buffer(500), b".version 8.0\n.target sm_80\n.address_size 64\nnonsense\0"
wanted = (ctypes.c_int * 2)(options.CU_JIT_ERROR_LOG_BUFFER, options.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
values, state = (ctypes.c_void_p * 2)(ctypes.addressof(log), 500), ctypes.c_void_p()
assert library.cuLinkCreate_v2(2, wanted, values, ctypes.byref(state)) == 0
kind = int(driver.CUjitInputType.CU_JIT_INPUT_PTX)
status = library.cuLinkAddData_v2(state, kind, text, ctypes.c_size_t(len(text)), b"mine", 0, None, None)
image, size = ctypes.c_void_p(), ctypes.c_size_t()
status = status or library.cuLinkComplete(state, ctypes.byref(image), ctypes.byref(size))
print(status != 0, b"nonsense" in log.value or len(log.value) > 10, library.cuLinkDestroy(state))
