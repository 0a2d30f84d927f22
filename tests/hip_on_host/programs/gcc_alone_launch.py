import ctypes
import sys
from pathlib import Path

import numpy as np
from cuda.bindings import driver, nvrtc


def ok(answer):
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) == 2 else None


ok(driver.cuInit(0))
ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(0))))
program = ok(nvrtc.nvrtcCreateProgram(Path(sys.argv[1]).read_bytes(), b"k.cu", 0, [], []))
ok(nvrtc.nvrtcCompileProgram(program, 0, []))
code = bytearray(ok(nvrtc.nvrtcGetCUBINSize(program)))
ok(nvrtc.nvrtcGetCUBIN(program, code))
module = ok(driver.cuModuleLoadData(bytes(code)))
values = np.zeros(64, np.int32)
out = ok(driver.cuMemAlloc(values.nbytes))
for name in sys.argv[2:]:
    ok(driver.cuMemsetD8(out, 0, values.nbytes))
    function = ok(driver.cuModuleGetFunction(module, name.encode()))
    ok(driver.cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, 0, ((out, 60), (None, ctypes.c_int)), 0))
    ok(driver.cuMemcpyDtoH(values.ctypes.data, out, values.nbytes))
    print(name, *values)
