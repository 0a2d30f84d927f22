import json
import sys

from cuda.bindings import driver, nvrtc

source, standard, names = json.load(sys.stdin)


def ok(answer):
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) > 1 else None


program = ok(nvrtc.nvrtcCreateProgram(source.encode(), b"probe.cu", 0, [], []))
for name in names:
    ok(nvrtc.nvrtcAddNameExpression(program, name.encode()))
ok(nvrtc.nvrtcCompileProgram(program, 1, [standard.encode()]))
lowered = [ok(nvrtc.nvrtcGetLoweredName(program, name.encode())) for name in names]
image = bytearray(ok(nvrtc.nvrtcGetCUBINSize(program)))
ok(nvrtc.nvrtcGetCUBIN(program, image))
ok(driver.cuInit(0))
ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(0))))
module = ok(driver.cuModuleLoadData(bytes(image)))
found = [
    0 in (int(get(module, name)[0]) for get in (driver.cuModuleGetFunction, driver.cuModuleGetGlobal))
    for name in lowered
]
kind = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
shared = ok(driver.cuFuncGetAttribute(kind, ok(driver.cuModuleGetFunction(module, b"_Z6sharesPi"))))
print(json.dumps([[name.decode() for name in lowered], found, shared]))
