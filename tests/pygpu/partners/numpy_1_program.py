"""DLPack with a numpy that makes no capsules of version 1; run by test_partners.py."""

import numpy as np
import PyGPU


class OnHost:
    """An array of the CPU backend, whose memory numpy may share."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **wanted):
        return self.array.__dlpack__(dl_device=(1, 0), copy=False)

    def __dlpack_device__(self):
        return 1, 0


for data in (np.arange(6.0).reshape(2, 3), np.zeros((0, 3), np.int16), np.array(5)):
    array = PyGPU.to_gpu(data)
    assert '"dltensor"' in repr(array.__dlpack__(max_version=(1, 0)))
    found = np.from_dlpack(OnHost(array))
    assert found.dtype == data.dtype
    assert np.array_equal(found, data)
    shared = PyGPU.from_dlpack(array)
    assert shared.ptr == array.ptr
    assert np.array_equal(shared.get(), data)
    assert np.array_equal(PyGPU.from_dlpack(data).get(), data)
print(np.__version__)
