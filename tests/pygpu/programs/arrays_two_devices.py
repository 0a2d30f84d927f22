import numpy as np

import cuda_shim

with cuda_shim.enable(backend="cpu", cpu_devices=2):
    import PyGPU

    assert PyGPU.cudaSetDevice(1) == 0
    array = PyGPU.to_gpu(np.arange(6))
    assert PyGPU.cudaSetDevice(0) == 0
    part = array[::-2]
    assert (array.device, part.device, PyGPU.cudaGetDevice()) == (1, 1, (0, 0))
    assert part.get().tolist() == [5, 3, 1]
    assert array.__dlpack_device__() == (2, 1) and PyGPU.GPUArray(array).device == 1
    other = PyGPU.to_gpu(np.arange(3))
    PyGPU.cudaSetDevice(1)
    stream, event = PyGPU.cudaStream_t(), PyGPU.cudaEvent_t()
    assert PyGPU.cudaDeviceReset() == 0
    assert "freed" in repr(array) and "freed" in repr(part) and stream.get() is None
    assert PyGPU.cudaStreamSynchronize(stream) == PyGPU.cudaEventRecord(event) == 400
    assert other.get().tolist() == [0, 1, 2]
    again = PyGPU.to_gpu(np.arange(6))
    assert again[1:3].get().tolist() == [1, 2]
    del array, part, stream, event
    assert again.get().tolist() == [0, 1, 2, 3, 4, 5]
