import sys
from pathlib import Path

from cuda.bindings import nvrtc

SOURCE = b"""__device__ int other(int& a, short b, char c) { return (a & b) % (c + 200); }
extern "C" __global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = sqrtf(x[i]);
}"""
status, program = nvrtc.nvrtcCreateProgram(SOURCE, b"k.cu", 0, [], [])
(status,) = nvrtc.nvrtcCompileProgram(program, 0, [])
assert status == nvrtc.nvrtcResult.NVRTC_SUCCESS
status, size = nvrtc.nvrtcGetCUBINSize(program)
code = b" " * size
nvrtc.nvrtcGetCUBIN(program, code)
Path(sys.argv[1]).write_bytes(code)
