import os

from cuda.bindings import nvrtc

include = os.path.join(os.environ["CUDA_HOME"], "include")
source = b"""
#include <cuda_runtime.h>
#include "cuda_fp16.h"
#include <cuda/std/cstdint>
extern "C" __global__ void k(__half* x, cuda::std::uint32_t n) { if (threadIdx.x < n) x[threadIdx.x] += x[0]; }
"""
with open(os.path.join(include, "cuda_fp16.h"), "rb") as file:
    half = file.read()
ways = {
    "option": ([b"-I" + include.encode()], [], []),
    "words": ([b"--include-path", f"{include}/../include/".encode()], [], []),
    "text": ([], [half], [b"cuda_fp16.h"]),
}
for name, (options, texts, names) in ways.items():
    status, program = nvrtc.nvrtcCreateProgram(source, b"k.cu", len(texts), texts, names)
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    log = b" " * nvrtc.nvrtcGetProgramLogSize(program)[1]
    nvrtc.nvrtcGetProgramLog(program, log)
    print(name, status.name, *log.split())
