"""An instance of a kernel template, compiled and launched with cuda.core."""

import numpy as np
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

SOURCE = "template <class T> __global__ void twice(T* values) { values[threadIdx.x] *= 2; }"

device = Device()
device.set_current()
stream = device.create_stream()
capability = device.compute_capability
options = ProgramOptions(std="c++17", arch=f"sm_{capability.major}{capability.minor}")
code = Program(SOURCE, "c++", options).compile("cubin", name_expressions=("twice<float>",))
buffer = LegacyPinnedMemoryResource().allocate(4 * 64, stream=stream)
values = np.from_dlpack(buffer).view(np.float32)
values[:] = np.arange(64)
launch(stream, LaunchConfig(grid=1, block=64), code.get_kernel("twice<float>"), buffer)
stream.sync()
assert np.array_equal(values, 2 * np.arange(64))
print("works: a kernel template on a stream")
