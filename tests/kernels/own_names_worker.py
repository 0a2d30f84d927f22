"""Compiles the programs of a JSON file, launches their kernels and prints the arrays that they fill.

The file: [[source, [kernel, ...], floats], ...]; a kernel gets an array of that many floats, each its index.
"""

import json
import sys

import numpy as np
from cuda.bindings import driver, nvrtc


def checked(result):
    assert not int(result[0]), result
    return result[1] if len(result) == 2 else result[1:]


def image_of(source):
    program = checked(nvrtc.nvrtcCreateProgram(source.encode(), b"names.cu", 0, [], []))
    options = [b"--gpu-architecture=sm_75"]
    status = int(nvrtc.nvrtcCompileProgram(program, len(options), options)[0])
    if status:
        log = b" " * checked(nvrtc.nvrtcGetProgramLogSize(program))
        checked(nvrtc.nvrtcGetProgramLog(program, log))
        sys.exit(log.decode())
    image = b" " * checked(nvrtc.nvrtcGetPTXSize(program))
    checked(nvrtc.nvrtcGetPTX(program, image))
    return image


def written_by(kernel, floats):
    values = np.arange(floats, dtype=np.float32)
    memory = checked(driver.cuMemAlloc(values.nbytes))
    checked(driver.cuMemcpyHtoD(memory, values.ctypes.data, values.nbytes))
    pointer = np.array([int(memory)], dtype=np.uint64)
    number = np.array([7], dtype=np.int32)  # of kernels with two parameters
    arguments = np.array([pointer.ctypes.data, number.ctypes.data], dtype=np.uint64)
    checked(driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, arguments.ctypes.data, 0))
    checked(driver.cuMemcpyDtoH(values.ctypes.data, memory, values.nbytes))
    checked(driver.cuMemFree(memory))
    return values.tolist()


checked(driver.cuInit(0))
checked(driver.cuCtxSetCurrent(checked(driver.cuDevicePrimaryCtxRetain(0))))
if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as opened:
        programs = json.load(opened)
    results = []
    for source, names, floats in programs:
        module = checked(driver.cuModuleLoadData(image_of(source)))
        kernels = [checked(driver.cuModuleGetFunction(module, name.encode())) for name in names]
        results.append([written_by(kernel, floats) for kernel in kernels])
    print(json.dumps(results))
