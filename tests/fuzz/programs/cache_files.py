import ctypes
import os

from cuda_shim.backends import host_libraries

host_libraries.ensure_libraries = lambda *_: os.environ["RUNTIME"]
import cuda_shim

cuda_shim.enable(backend="cpu", cuda="12.9")
from cuda.bindings import driver, nvrtc

from tests.fuzz.world import INCLUDING, ok

ok(driver.cuInit(0))
ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(0))))
outside = os.path.abspath("../outside").encode()
program = ok(nvrtc.nvrtcCreateProgram(INCLUDING % (outside + b"/mine.h"), b"k.cu", 0, [], []))
ok(nvrtc.nvrtcCompileProgram(program, 1, [b"-I" + outside]))
code = bytes(ok(nvrtc.nvrtcGetCUBINSize(program)))
ok(nvrtc.nvrtcGetCUBIN(program, code))
memory, back = ok(driver.cuMemAlloc(4)), (ctypes.c_int * 1)()
function = ok(driver.cuModuleGetFunction(ok(driver.cuModuleLoadData(code)), b"kernel"))
ok(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, ((memory,), (None,)), 0))
ok(driver.cuMemcpyDtoH(back, memory, 4))
PTX = b""".version 7.0
.target sm_80
.address_size 64
.visible .entry store(.param .u64 at) {
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [at];
  st.global.u32 [%rd1], 35;
  ret;
}
"""
function = ok(driver.cuModuleGetFunction(ok(driver.cuModuleLoadData(PTX)), b"store"))
ok(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, ((memory,), (None,)), 0))
first = back[0]
ok(driver.cuMemcpyDtoH(back, memory, 4))
print(first, back[0])
