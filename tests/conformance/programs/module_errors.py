"""Bytes that are no image, or no image for this device."""

from _device import context
from _show import call, show
from cuda.bindings import driver

context()
call(driver.cuModuleLoadData, b"this is no image of anything\0", note="nonsense")
call(driver.cuModuleLoadData, b"\0" * 64, note="zeros")
call(driver.cuModuleLoadData, b"\x7fELF" + b"\0" * 124, note="broken ELF")
call(driver.cuModuleLoadData, None, note="None")
call(driver.cuModuleLoadData, "text", note="str")
call(driver.cuModuleLoadData, [1], note="list")
call(driver.cuModuleLoadData, 0, note="null")
call(driver.cuModuleLoadData, b".version 9.9\n.target sm_90\n.address_size 64\n nonsense\0", note="broken PTX")
call(driver.cuModuleLoadFatBinary, b"\0" * 64, note="zeros")
option = driver.CUjit_option
log = bytearray(256)
options = [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
call(driver.cuModuleLoadDataEx, b"nonsense\0", 2, options, [log, 256], note="with a log")
call(driver.cuModuleLoadDataEx, b"nonsense\0", 2, options, [log], note="values too short")
call(driver.cuModuleLoadDataEx, b"nonsense\0", 1, [5], [1], note="option int")
call(driver.cuModuleLoad, b"/no/such/file", note="no such file")
show("log is bytes", type(log).__name__)
