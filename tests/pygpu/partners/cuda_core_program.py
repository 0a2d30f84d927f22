"""Arrays of PyGPU and cuda.core: views, a kernel, streams, and memory that cuda.core allocated; run by test_partners.py."""

import numpy as np
import PyGPU
from cuda.core.experimental import Device, LaunchConfig, Program, ProgramOptions, launch
from cuda.core.experimental.utils import StridedMemoryView, args_viewable_as_strided_memory

device = Device()
device.set_current()
array = PyGPU.to_gpu(np.arange(6.0).reshape(2, 3))
stream = device.create_stream()


class Interface:
    __cuda_array_interface__ = array.__cuda_array_interface__


# An array has DLPack too, which cuda.core prefers.
for theirs in (Interface(), array):
    for on in (-1, int(stream.handle)):
        view = StridedMemoryView(theirs, stream_ptr=on)
        assert (view.ptr, view.shape, view.dtype, view.device_id) == (array.ptr, (2, 3), np.float64, 0), view
        assert view.is_device_accessible
        assert not view.readonly


@args_viewable_as_strided_memory((0,))
def address(argument):
    return argument.view(-1).ptr


assert address(array) == array.ptr

source = 'extern "C" __global__ void twice(double *x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; }'
kernel = Program(source, "c++", ProgramOptions(arch="sm_80")).compile("cubin").get_kernel("twice")
launch(stream, LaunchConfig(grid=1, block=6), kernel, array.ptr, np.int32(6))
stream.sync()
assert array.get().tolist() == [[0, 2, 4], [6, 8, 10]]

ours = PyGPU.cudaStream_t()
same = device.create_stream(ours)
assert int(same.handle) == int(ours)

# A Buffer of cuda.core is bytes, by DLPack; with a dtype it is shared.
buffer = device.allocate(array.nbytes)
try:
    PyGPU.from_dlpack(buffer)
except PyGPU.UnsupportedDataType as error:
    said = str(error)
else:
    said = "nothing"
assert "dtype int8 is not supported" in said, said


class Doubles:
    @property
    def __cuda_array_interface__(self):
        return {"shape": (6,), "typestr": "<f8", "data": (int(buffer.handle), False), "version": 3}


shared = PyGPU.GPUArray(Doubles())
assert shared.ptr == int(buffer.handle)
shared.set(np.arange(6.0))
buffer.copy_from(buffer, stream=stream)
stream.sync()
assert shared.get().tolist() == [0, 1, 2, 3, 4, 5]
stream.close()
print("ok")
