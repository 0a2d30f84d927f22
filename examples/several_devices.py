"""One array over all devices: each squares a part, and the first one collects the parts by copies between devices.

Without several GPUs: python -m cuda_shim run --backend cpu --cpu-devices 4 examples/several_devices.py
"""

from typing import Any

import numpy as np
from cuda.bindings import driver, nvrtc, runtime

SOURCE = rb"""
extern "C" __global__ void square(int *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= values[i];
}
"""
PART = 1 << 16


def check(result: tuple[Any, ...]) -> Any:
    """The outputs of a call, or an exception that names the status it returned."""
    status, *outputs = result
    if status != 0:
        raise RuntimeError(f"{type(status).__name__}: {status.name}")
    return outputs[0] if len(outputs) == 1 else outputs


def compiled(source: bytes) -> bytes:
    """The image of a program in CUDA C++, which each device loads for itself."""
    program = check(nvrtc.nvrtcCreateProgram(source, b"square.cu", 0, [], []))
    check(nvrtc.nvrtcCompileProgram(program, 0, []))
    image = b" " * check(nvrtc.nvrtcGetPTXSize(program))
    check(nvrtc.nvrtcGetPTX(program, image))
    return bytes(image)


def start(device: int, image: bytes, part: Any) -> tuple[int, Any]:
    """Send a part to a device and have it squared there; returns its memory and stream while that runs."""
    check(runtime.cudaSetDevice(device))
    stream = check(runtime.cudaStreamCreate())
    kernel = check(driver.cuModuleGetFunction(check(driver.cuModuleLoadData(image)), b"square"))
    memory = check(runtime.cudaMalloc(part.nbytes))
    to_device = runtime.cudaMemcpyKind.cudaMemcpyHostToDevice
    check(runtime.cudaMemcpyAsync(memory, part, part.nbytes, to_device, stream))
    address, count = np.array([memory], np.uint64), np.array([PART], np.int32)
    arguments = np.array([address.ctypes.data, count.ctypes.data], np.uint64)
    blocks = (PART + 255) // 256
    check(driver.cuLaunchKernel(kernel, blocks, 1, 1, 256, 1, 1, 0, int(stream), arguments.ctypes.data, 0))
    return memory, stream


def main() -> None:
    devices = check(runtime.cudaGetDeviceCount())
    image = compiled(SOURCE)
    values = np.arange(devices * PART, dtype=np.int32) % 1000
    parts = [np.ascontiguousarray(part) for part in np.split(values, devices)]
    running = [start(device, image, part) for device, part in enumerate(parts)]

    check(runtime.cudaSetDevice(0))
    collected = check(runtime.cudaMalloc(values.nbytes))
    for device, (memory, stream) in enumerate(running):
        check(runtime.cudaStreamSynchronize(stream))
        place = int(collected) + device * parts[device].nbytes
        check(runtime.cudaMemcpyPeer(place, 0, memory, device, parts[device].nbytes))
    result = np.empty_like(values)
    to_host = runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost
    check(runtime.cudaMemcpy(result, collected, result.nbytes, to_host))
    assert (result == values * values).all()
    print(f"{values.size} squares on {devices} devices: ok")


if __name__ == "__main__":
    main()
