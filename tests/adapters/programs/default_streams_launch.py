import cuda_shim

cuda_shim.enable(backend="cpu")
import ctypes
import json

from cuda.bindings import driver, nvrtc


def ok(answer):
    assert int(answer[0]) == 0, answer
    return answer[1] if len(answer) == 2 else answer[1:]


ok(driver.cuInit(0))
ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(0))))
source = b"""extern "C" __global__ void slow(int* out, int rounds) {
    volatile int n = 0;
    for (int i = 0; i < rounds; i++) n = n + 1;
    out[0] = n;
}
extern "C" __global__ void wrong(int* out) { __trap(); }"""
program = ok(nvrtc.nvrtcCreateProgram(source, b"slow.cu", 0, [], []))
ok(nvrtc.nvrtcCompileProgram(program, 0, []))
image = b" " * ok(nvrtc.nvrtcGetCUBINSize(program))
ok(nvrtc.nvrtcGetCUBIN(program, image))
module = ok(driver.cuModuleLoadData(image))
slow, wrong = (ok(driver.cuModuleGetFunction(module, name)) for name in (b"slow", b"wrong"))
out = ok(driver.cuMemAllocManaged(4, 1))
stream = ok(driver.cuStreamCreate(1))


def launch(function, values, types):
    return int(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, (values, types), 0)[0])


launch(slow, (out, 1), (None, ctypes.c_int))
ok(driver.cuStreamSynchronize(stream))
ended = []
for _ in range(5):
    assert launch(slow, (out, 20_000_000), (None, ctypes.c_int)) == 0
    ended.append(int(driver.cuStreamQuery(stream)[0]))
    ok(driver.cuStreamSynchronize(stream))
graph = ok(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL))
assert launch(slow, (out, 5), (None, ctypes.c_int)) == 0
captured = ok(driver.cuStreamEndCapture(stream))
nodes = ok(driver.cuGraphGetNodes(captured, 8))[1]
print(json.dumps({"ended": ended, "nodes": nodes, "wrong": launch(wrong, (out,), (None,))}))
