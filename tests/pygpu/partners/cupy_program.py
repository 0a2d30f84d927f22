"""Arrays of PyGPU and of CuPy's build for ROCm, whose calls of HIP the CPU runtime answers; run by test_partners.py."""

import gc
import os
import sys

import numpy as np
import PyGPU

data = np.arange(6.0).reshape(2, 3)
ours = PyGPU.to_gpu(data)
# The modules of CuPy that need AMD's mathematical libraries find files of those names with nothing in them, so a
# function may be looked for only when it is called.
sys.setdlopenflags(os.RTLD_LAZY)
import cupy  # noqa: E402


class OnAMD:
    """The array as it answers on an AMD GPU, where DLPack's device is ROCm's."""

    def __dlpack_device__(self):
        return 10, ours.device

    def __dlpack__(self, **wanted):
        return ours.__dlpack__(dl_device=(10, ours.device), **wanted)


def check_shared(theirs, array):
    assert (theirs.data.ptr, theirs.shape, theirs.dtype) == (array.ptr, array.shape, array.dtype)
    assert np.array_equal(theirs.get(), array.get())


# From PyGPU to CuPy: the same memory, which stays while CuPy has it.
for theirs in (cupy.asarray(ours), cupy.from_dlpack(OnAMD()), cupy.fromDlpack(ours.__dlpack__(dl_device=(10, 0)))):
    check_shared(theirs, ours)
memory = cupy.cuda.UnownedMemory(ours.ptr, ours.nbytes, ours)
check_shared(cupy.ndarray((2, 3), "f8", cupy.cuda.MemoryPointer(memory, 0)), ours)
address = ours.ptr
kept = cupy.from_dlpack(OnAMD())
ours = PyGPU.to_gpu(data + 1)
gc.collect()
assert ours.ptr != address
assert np.array_equal(kept.get(), data)
kept.set(data * 2)
assert np.array_equal(kept.get(), data * 2)

# From CuPy to PyGPU, in C order and not, of every dtype.
for name in PyGPU.SUPPORTED_DTYPES:
    theirs = cupy.asarray(data.astype(name))
    for array in (PyGPU.GPUArray(theirs), PyGPU.from_dlpack(theirs)):
        check_shared(theirs, array)
theirs = cupy.asarray(data)
for view, expected in ((theirs.T, data.T), (theirs[:, ::2], data[:, ::2])):
    for array in (PyGPU.GPUArray(view), PyGPU.from_dlpack(view)):
        assert array.ptr != theirs.data.ptr
        assert np.array_equal(array.get(), expected)
array = PyGPU.from_dlpack(theirs)
del theirs
gc.collect()
cupy.get_default_memory_pool().free_all_blocks()
others = [cupy.asarray(data + number) for number in range(9)]
assert np.array_equal(array.get(), data)

# On a stream of CuPy's, which is waited for; and as an index.
with cupy.cuda.Stream(non_blocking=True):
    theirs = cupy.asarray(data)
    assert np.array_equal(PyGPU.GPUArray(theirs).get(), data)
assert ours[cupy.asarray(np.array([1, 0]))].get().tolist() == (data + 1)[::-1].tolist()
for dtype in ("bool", "float16", "int8"):
    for take in (PyGPU.GPUArray, PyGPU.from_dlpack):
        try:
            take(cupy.asarray(np.zeros(2, dtype)))
        except TypeError as error:
            said = str(error)
        else:
            said = "nothing"
        assert dtype in said or "not one of PyGPU's" in said, (dtype, said)
print("ok")
