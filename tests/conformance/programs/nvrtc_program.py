"""Programs compiled by nvrtc, and their images."""

from _device import architecture, context
from _show import call, show
from cuda.bindings import driver, nvrtc

context()
program = call(nvrtc.nvrtcCreateProgram, b'extern "C" __global__ void one(int *to) { *to = 1; }', b"one.cu", 0, [], [])
call(nvrtc.nvrtcGetCUBINSize, program, note="before compiling")
call(nvrtc.nvrtcGetPTXSize, program, note="before compiling")
call(nvrtc.nvrtcCompileProgram, program, 1, [architecture()])
size = call(nvrtc.nvrtcGetCUBINSize, program)
filled = b" " * size
call(nvrtc.nvrtcGetCUBIN, program, filled)
show("filled in place", filled.strip() != b"")
show("an ELF image", filled[:4])
call(nvrtc.nvrtcGetCUBIN, program, bytearray(size), note="bytearray")
call(nvrtc.nvrtcGetCUBIN, program, "text", note="str")
module = call(driver.cuModuleLoadData, filled)
call(driver.cuModuleGetFunction, module, b"one")
size = call(nvrtc.nvrtcGetPTXSize, program)
filled = b" " * size
call(nvrtc.nvrtcGetPTX, program, filled)
call(driver.cuModuleLoadData, filled, note="from nvrtcGetPTX")
call(nvrtc.nvrtcGetProgramLogSize, program)
call(nvrtc.nvrtcDestroyProgram, program)
again = call(nvrtc.nvrtcCreateProgram, b"__global__ void two() {}", None, 0, None, None, note="None")
call(nvrtc.nvrtcCompileProgram, again, 0, None, note="no options")
call(nvrtc.nvrtcCompileProgram, again, 0, [], note="twice")
show("repr", type(again).__name__)
call(nvrtc.nvrtcDestroyProgram, again, note="again")
call(nvrtc.nvrtcGetLTOIRSize, program if program is None else nvrtc.nvrtcProgram(0), note="null")
