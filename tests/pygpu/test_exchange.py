"""`__cuda_array_interface__` and DLPack, both ways; numpy judges the capsules, in both versions of the protocol."""

from __future__ import annotations

import ctypes
import gc
import time
from types import SimpleNamespace

import numpy as np
import pytest

from cuda_shim.pygpu import dlpack
from tests.adapters.answers import ok


class Producer:
    """An object with DLPack's two methods."""

    def __init__(self, capsule, device):
        self._capsule, self._device = capsule, device

    def __dlpack__(self, **_):
        return self._capsule

    def __dlpack_device__(self):
        return self._device


def test_the_interface_describes_the_array(gpu, dtype):
    array = gpu.to_gpu(np.zeros((2, 3), dtype))
    assert array.__cuda_array_interface__ == {
        "shape": (2, 3), "typestr": dtype.str, "data": (array.ptr, False), "strides": None, "stream": None, "version": 3
    }  # fmt: skip


def test_an_interface_is_shared_and_keeps_its_owner(gpu, cuda, double):
    owner = gpu.to_gpu(np.arange(4))
    theirs = SimpleNamespace(__cuda_array_interface__=owner.__cuda_array_interface__, owner=owner)
    free = ok(cuda.runtime.cudaMemGetInfo())[0]
    array = gpu.GPUArray(theirs)
    assert array.ptr == owner.ptr
    assert ok(cuda.runtime.cudaMemGetInfo())[0] == free, "no copy"
    address = owner.ptr
    del owner, theirs
    gc.collect()
    others = [gpu.to_gpu(np.arange(4)) for _ in range(9)]
    assert all(other.ptr != address for other in others)
    double(array.ptr, 4)
    assert array.get().tolist() == [0, 2, 4, 6]
    array.free()
    with pytest.raises(ValueError, match="freed"):
        array.get()


def test_a_strided_interface_is_copied(gpu):
    owner = gpu.to_gpu(np.arange(12).reshape(3, 4))
    described = {**owner.__cuda_array_interface__, "shape": (4, 3), "strides": (8, 32)}
    array = gpu.GPUArray(SimpleNamespace(__cuda_array_interface__=described))
    assert array.ptr != owner.ptr
    assert np.array_equal(array.get(), np.arange(12).reshape(3, 4).T)


def test_the_stream_of_an_interface_is_waited_for(gpu):
    owner = gpu.to_gpu(np.arange(2))
    stream = gpu.cudaStream_t()
    for handle in (1, 2, int(stream)):
        described = {**owner.__cuda_array_interface__, "stream": handle}
        assert gpu.GPUArray(SimpleNamespace(__cuda_array_interface__=described)).get().tolist() == [0, 1]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"data": (4096, False)}, ValueError, "0x1000 is not an address of device memory"),
        ({"data": (4096, True)}, ValueError, "read-only"),
        ({"mask": object()}, ValueError, "masked"),
        ({"strides": (3,)}, ValueError, "no whole elements"),
        ({"typestr": "|b1"}, TypeError, "dtype bool is not supported"),
        ({"typestr": "nonsense"}, TypeError, "has an invalid __cuda_array_interface__"),
        ({"data": None}, TypeError, "has an invalid __cuda_array_interface__"),
    ],
)
def test_interfaces_that_are_refused(gpu, change, error, message):
    owner = gpu.to_gpu(np.arange(2))
    described = {**owner.__cuda_array_interface__, **change}
    with pytest.raises(error, match=message):
        gpu.GPUArray(SimpleNamespace(__cuda_array_interface__=described))


def test_an_address_that_is_not_aligned(gpu):
    owner = gpu.to_gpu(np.arange(4))
    described = {**owner.__cuda_array_interface__, "shape": (2,), "data": (owner.ptr + 4, False)}
    with pytest.raises(ValueError, match="not aligned"):
        gpu.GPUArray(SimpleNamespace(__cuda_array_interface__=described))


def test_work_on_the_default_stream_is_done_when_an_array_is_handed_over(gpu, cuda):
    """A callback that takes its time, in front of the reader."""
    array = gpu.to_gpu(np.arange(3))
    done = []

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def slow(_):
        time.sleep(0.2)
        done.append(1)

    for hand_over in (lambda: array.__cuda_array_interface__, array.__dlpack__):
        done.clear()
        ok(cuda.runtime.cudaLaunchHostFunc(0, cuda.runtime.cudaHostFn_t(_ptr=ctypes.addressof(slow)), 0))
        hand_over()
        assert done == [1]


@pytest.mark.parametrize("versioned", [False, True], ids=["plain", "versioned"])
def test_numpy_reads_our_capsules(gpu, dtype, versioned):
    """The memory of the CPU backend is the host's: under that name numpy takes the very same capsule."""
    for shape in ((2, 3, 4), (), (0, 2)):
        data = np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)
        array = gpu.to_gpu(data)
        capsule = dlpack.export(array.ptr, shape, dtype, (dlpack.CPU, 0), array, versioned)
        found = np.from_dlpack(Producer(capsule, (dlpack.CPU, 0)))
        assert found.dtype == dtype
        assert np.array_equal(found, data)
        if found.size:
            assert found.ctypes.data == array.ptr


@pytest.mark.parametrize("versioned", [False, True], ids=["plain", "versioned"])
def test_a_capsule_keeps_the_memory_until_its_consumer_is_done(gpu, cuda, versioned):
    free = ok(cuda.runtime.cudaMemGetInfo())[0]
    array = gpu.GPUArray((1 << 16,), "int64")
    capsule = dlpack.export(array.ptr, array.shape, array.dtype, (dlpack.CPU, 0), array, versioned)
    consumer = np.from_dlpack(Producer(capsule, (dlpack.CPU, 0)))
    del array, capsule
    gc.collect()
    assert ok(cuda.runtime.cudaMemGetInfo())[0] < free
    del consumer
    gc.collect()
    assert ok(cuda.runtime.cudaMemGetInfo())[0] == free


def test_a_capsule_that_nobody_takes_lets_go(gpu, cuda):
    free = ok(cuda.runtime.cudaMemGetInfo())[0]
    for version in (None, (1, 0)):
        capsule = gpu.GPUArray((1 << 16,), "int64").__dlpack__(max_version=version)
        assert ok(cuda.runtime.cudaMemGetInfo())[0] < free
        assert f'"dltensor{"_versioned" if version else ""}"' in repr(capsule)
        del capsule
        gc.collect()
        assert ok(cuda.runtime.cudaMemGetInfo())[0] == free


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_we_read_numpys_capsules(dtype, version):
    data = np.arange(12).astype(dtype).reshape(3, 4)[:, ::2]
    tensor = dlpack.take(data.__dlpack__(max_version=version))
    assert (tensor.address, tensor.shape, tensor.dtype) == (data.ctypes.data, (3, 2), dtype)
    assert tensor.strides == (4, 2)


def test_arrays_of_the_host_are_copied(gpu):
    data = np.arange(6.0).reshape(2, 3)
    array = gpu.from_dlpack(data)
    data[:] = 0
    assert array.get().tolist() == [[0, 1, 2], [3, 4, 5]]


def test_arrays_of_the_device_are_shared(gpu, cuda, double):
    free = ok(cuda.runtime.cudaMemGetInfo())[0]
    owner = gpu.to_gpu(np.arange(4))
    array = gpu.from_dlpack(owner)
    assert array.ptr == owner.ptr
    del owner
    gc.collect()
    double(array.ptr, 4)
    assert array.get().tolist() == [0, 2, 4, 6]
    assert array[1:].get().tolist() == [2, 4, 6]
    del array
    gc.collect()
    assert ok(cuda.runtime.cudaMemGetInfo())[0] == free


def test_a_producer_of_before_version_one(gpu):
    owner = gpu.to_gpu(np.arange(3))

    class Old(Producer):
        def __dlpack__(self, stream=None):  # type: ignore[override]
            return owner.__dlpack__(stream=stream)

    assert gpu.from_dlpack(Old(None, (2, 0))).ptr == owner.ptr


def test_the_device_can_be_asked_for(gpu):
    array = gpu.to_gpu(np.arange(3))
    assert array.__dlpack_device__() == (dlpack.CUDA, 0)
    assert np.from_dlpack(array, device="cpu").tolist() == [0, 1, 2]
    for device in ((dlpack.CUDA, 0), (dlpack.ROCM, 0)):
        array.__dlpack__(dl_device=device, stream=1)
    for device in ((dlpack.CUDA, 1), (8, 0)):
        with pytest.raises(BufferError, match="the array is on device 0"):
            array.__dlpack__(dl_device=device)
    copied = gpu.from_dlpack(Producer(array.__dlpack__(copy=True), (dlpack.CUDA, 0)))
    assert copied.ptr != array.ptr
    assert copied.get().tolist() == [0, 1, 2]


def test_what_from_dlpack_refuses(gpu):
    array = gpu.to_gpu(np.arange(3))
    used = array.__dlpack__()
    gpu.from_dlpack(Producer(used, (2, 0)))
    with pytest.raises(TypeError, match="used before"):
        gpu.from_dlpack(Producer(used, (2, 0)))
    with pytest.raises(TypeError, match="no capsule"):
        gpu.from_dlpack(Producer("text", (2, 0)))
    with pytest.raises(BufferError, match="kind 8"):
        gpu.from_dlpack(Producer(None, (8, 0)))
    with pytest.raises(TypeError, match="takes an object with __dlpack__, not a list"):
        gpu.from_dlpack([1])


def test_numpy_copies(gpu):
    array = gpu.to_gpu(np.array([1, 2]))
    assert np.asarray(array).tolist() == [1, 2]
    assert np.array(array, dtype=np.float32).dtype == np.float32
    assert (np.array([10, 20]) + array).tolist() == [11, 22]
    with pytest.raises(ValueError, match="without a copy"):
        array.__array__(copy=False)
