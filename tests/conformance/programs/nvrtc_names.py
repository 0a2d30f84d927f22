"""Name expressions and lowered names."""

from _device import architecture, context, good
from _show import call, show
from cuda.bindings import driver, nvrtc

source = b"""
namespace deep { template <typename T, int N> __global__ void many(T *to) { *to = N; } }
__global__ void plain(float *to, int by) { *to = by; }
__device__ int counter = 3;
__constant__ double table[2];
extern "C" __global__ void flat() {}
"""
context()
program = good(nvrtc.nvrtcCreateProgram(source, b"names.cu", 0, [], []))
wanted = [b"deep::many<float, 3>", b"deep::many<int, 4>", b"plain", b"&counter", b"&table", b"flat"]
for name in wanted:
    call(nvrtc.nvrtcAddNameExpression, program, name, note=name.decode())
call(nvrtc.nvrtcGetLoweredName, program, b"plain", note="before compiling")
call(nvrtc.nvrtcAddNameExpression, program, "plain", note="str")
call(nvrtc.nvrtcCompileProgram, program, 1, [architecture()])
image = b" " * good(nvrtc.nvrtcGetCUBINSize(program))
nvrtc.nvrtcGetCUBIN(program, image)
module = good(driver.cuModuleLoadData(image))
for name in wanted:
    lowered = call(nvrtc.nvrtcGetLoweredName, program, name, note=name.decode(), values=True)
    if lowered and b"&" in name:
        address, size = call(driver.cuModuleGetGlobal, module, lowered, note=name.decode())
        show("size", size)
    elif lowered:
        call(driver.cuModuleGetFunction, module, lowered, note=name.decode())
call(nvrtc.nvrtcGetLoweredName, program, b"never added", note="never added")
call(nvrtc.nvrtcAddNameExpression, program, b"plain", note="after compiling")
bad = good(nvrtc.nvrtcCreateProgram(source, b"names.cu", 0, [], []))
call(nvrtc.nvrtcAddNameExpression, bad, b"no_such_kernel<int>", note="no such")
call(nvrtc.nvrtcCompileProgram, bad, 1, [architecture()], note="no such")
