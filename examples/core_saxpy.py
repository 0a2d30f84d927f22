"""SAXPY with cuda.core, NVIDIA's package for Python programs: pip install cuda-core

python -m cuda_shim run examples/core_saxpy.py
"""

import numpy as np
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

SOURCE = """
template <class T>
__global__ void saxpy(T a, const T *x, const T *y, T *out, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = a * x[i] + y[i];
}
"""


def main() -> None:
    device = Device()
    device.set_current()
    stream = device.create_stream()
    capability = device.compute_capability
    options = ProgramOptions(std="c++17", arch=f"sm_{capability.major}{capability.minor}")
    code = Program(SOURCE, "c++", options).compile("cubin", name_expressions=("saxpy<float>",))

    n = 1 << 20
    memory = LegacyPinnedMemoryResource()  # seen by the host and by the device
    buffers = [memory.allocate(4 * n, stream=stream) for _ in range(3)]
    x, y, out = (np.from_dlpack(buffer).view(np.float32) for buffer in buffers)
    x[:], y[:] = np.arange(n), 1
    launch(
        stream, LaunchConfig(grid=256, block=256), code.get_kernel("saxpy<float>"),
        np.float32(2), *buffers, np.uint64(n),
    )  # fmt: skip
    stream.sync()
    assert (out == 2 * x + 1).all()
    print(f"{n} values with cuda.core: ok")


if __name__ == "__main__":
    main()
