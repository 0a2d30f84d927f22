"""Promises of PybindGPU's page, sentence by sentence, and its examples as they are printed."""

from __future__ import annotations

import ctypes
import runpy
from pathlib import Path

import numpy as np
import pytest

from tests.adapters.answers import ok
from tests.interpreters import run_json

PROGRAMS = Path(__file__).parents[1] / "programs"


@pytest.mark.parametrize("kind", [np.complex64, np.complex128])
def test_the_example_of_the_high_level_interface(gpu, kind):
    names = runpy.run_path(str(PROGRAMS / "pygpu_high_level.py"), {"complex_dtype": kind})
    assert names["k_gpu"].get().tolist() == [1, 2, 3, 4, 5, 6]
    assert names["fk"].shape == (3, 3, 3)
    assert names["fk"].dtype == kind


def test_the_example_of_the_low_level_interface(gpu, double):
    names = {"numpy": np, "DeviceArray_int64": gpu.DeviceArray_int64, "fn": lambda pointer: double(int(pointer), 6)}
    names = runpy.run_path(str(PROGRAMS / "pygpu_low_level.py"), names)
    assert names["A"].tolist() == [2, 4, 6, 8, 10, 12]
    assert names["da"].last_status() == 0


def test_the_example_of_device_control():
    """The status of cudaSetDevice and the value and status of cudaGetDevice, as the page prints them."""
    found = run_json(
        f"""
import cuda_shim, json, runpy
with cuda_shim.enable(backend="cpu", cpu_devices=3):
    import PyGPU
    answer = repr(PyGPU.cudaGetDevice()), repr(PyGPU.cudaSetDevice(2))
    names = runpy.run_path({str(PROGRAMS / "pygpu_device.py")!r}, vars(PyGPU))
    print(json.dumps([*answer, names["idx"], repr(names["err"])]))
""",
        CUDA_SHIM_QUIET="1",
    )
    assert found == ["(0, <cudaError: code=0>)", "<cudaError: code=0>", 2, "<cudaError: code=0>"]


def test_the_primary_context_is_used(gpu, cuda):
    gpu.GPUArray((1,), dtype="int32")
    current = ok(cuda.driver.cuCtxGetCurrent())
    primary = ok(cuda.driver.cuDevicePrimaryCtxRetain(0))
    assert int(current) == int(primary)
    ok(cuda.driver.cuDevicePrimaryCtxRelease(0))


def test_events_and_streams_are_made_by_their_constructors(gpu, cuda):
    event, stream = gpu.cudaEvent_t(), gpu.cudaStream_t()
    assert event.last_status() == stream.last_status() == 0
    assert int(event) != 0 != int(stream)
    # They are CUDA's own: the runtime knows them.
    ok(cuda.runtime.cudaEventRecord(event.get(), stream.get()))
    ok(cuda.runtime.cudaStreamSynchronize(int(stream)))


def test_an_event_is_recorded_by_cudaEventRecord(gpu):
    start, end, stream = gpu.cudaEvent_t(), gpu.cudaEvent_t(), gpu.cudaStream_t()
    assert gpu.cudaEventElapsedTime(start, end) == (None, 400), "nothing is recorded yet"
    assert gpu.cudaEventRecord(start) == 0
    assert gpu.cudaEventRecord(end, stream) == 0
    assert gpu.cudaEventSynchronize(end) == 0
    assert gpu.cudaEventQuery(end) == 0
    milliseconds, status = gpu.cudaEventElapsedTime(start, end)
    assert isinstance(milliseconds, float)
    assert status == 0


def test_the_high_level_array_allocates_and_frees_by_itself(gpu, cuda):
    free, _ = ok(cuda.runtime.cudaMemGetInfo())
    array = gpu.GPUArray((1 << 20,), dtype="float64")
    assert free - ok(cuda.runtime.cudaMemGetInfo())[0] >= 1 << 23
    del array
    assert ok(cuda.runtime.cudaMemGetInfo())[0] == free


def test_the_constructor_selects_the_low_level_array_of_the_dtype(gpu, dtype):
    for array in (gpu.GPUArray((2, 3), dtype=dtype), gpu.GPUArray(np.zeros((2, 3), dtype))):
        assert (array.dtype, array.shape, array.size) == (dtype, (2, 3), 6)
        assert type(array.device_data) is getattr(gpu, f"pointer_wrapper_{dtype}")


@pytest.mark.parametrize("name", ["int16", "int32", "int64", "uint16", "uint32", "uint64", "float32", "float64"])
def test_there_is_a_low_level_array_of_each_dtype(gpu, name):
    data = np.arange(1, 7).astype(name)
    array = getattr(gpu, f"DeviceArray_{name}")(data)
    assert array.allocate() == array.to_device() == 0
    data[:] = 0
    assert array.to_host() == 0
    assert data.tolist() == [1, 2, 3, 4, 5, 6]


def test_to_gpu_and_get_go_there_and_back(gpu, dtype):
    data = np.arange(24).astype(dtype).reshape(2, 3, 4)
    array = gpu.GPUArray(data)
    data += 1
    assert np.array_equal(array.get(), data - 1), "what is on the device is a copy"
    array.to_gpu()
    assert np.array_equal(array.get(), data)
    assert array.get().dtype == dtype


def test_get_gives_an_array_of_its_own(gpu):
    data = np.arange(4)
    array = gpu.to_gpu(data)
    array.get()[:] = 9
    assert data.tolist() == array.get().tolist() == [0, 1, 2, 3]


def test_ptr_is_an_integer_for_ctypes(gpu, double):
    array = gpu.to_gpu(np.array([1, 2, 3]))
    assert type(array.ptr) is int
    assert ctypes.c_void_p(array.ptr).value == int(array.device_data)
    double(array.ptr, 3)
    assert array.get().tolist() == [2, 4, 6]


def test_a_device_array_is_unallocated_at_first(gpu):
    array = gpu.DeviceArray_int64(np.zeros(3, np.int64))
    assert int(array.device_data()) == 0
    assert not array.allocated()
    assert array.allocate() == 0
    assert int(array.device_data()) != 0


def test_host_data_points_into_the_buffer(gpu):
    data = np.array([1, 2, 3])
    pointer = gpu.DeviceArray_int64(data).host_data()
    assert int(pointer) == data.ctypes.data
    pointer.get()[0] = 7
    assert data.tolist() == [7, 2, 3]


def test_the_low_level_array_does_not_look_at_the_dtype(gpu):
    array = gpu.DeviceArray_int64(np.array([1.0, -2.0]))
    assert (array.allocate(), array.to_device(), array.to_host()) == (0, 0, 0)
    assert np.asarray(array).view(np.float64).tolist() == [1.0, -2.0]


def test_the_low_level_array_does_not_allocate_by_itself(gpu):
    array = gpu.DeviceArray_int64(np.array([1, 2]))
    assert array.to_device() == 1  # cudaErrorInvalidValue
    assert not array.allocated()
    assert array.last_status() == 1


def test_the_status_is_an_object_that_holds_the_number(gpu, cuda):
    status = gpu.cudaSetDevice(99)
    assert repr(status) == "<cudaError: code=101>"
    assert int(status) == status.as_int() == status.code == 101
    assert status == cuda.runtime.cudaError_t.cudaErrorInvalidDevice
    assert isinstance(status, gpu.cudaError_t)
    assert gpu.cudaGetErrorName(status) == "cudaErrorInvalidDevice"
    assert gpu.cudaGetErrorString(status) == "invalid device ordinal"
    assert gpu.cudaGetLastError() == 101
    assert gpu.cudaGetLastError() == 0


def test_last_status_is_that_of_the_last_call(gpu):
    array = gpu.DeviceArray_int64(1 << 55)
    assert array.last_status() == 0
    assert array.allocate() == 2  # cudaErrorMemoryAllocation
    assert array.last_status() == 2
    array = gpu.DeviceArray_int64(4)
    array.allocate()
    assert array.last_status() == 0


def test_a_value_comes_before_its_status(gpu):
    assert gpu.cudaGetDevice() == (0, 0)
    assert gpu.cudaGetDeviceCount() == (1, 0)
    assert repr(gpu.cudaGetDevice()) == "(0, <cudaError: code=0>)"


def test_host_pointers_are_safe_and_device_pointers_are_integers(gpu):
    array = gpu.DeviceArray_float32(np.array([1.5, 2.5], np.float32))
    array.allocate()
    host, device = array.host_data(), array.device_data()
    assert (host.is_safe(), device.is_safe()) == (True, False)
    assert host.get().tolist() == [1.5, 2.5]
    assert device.__int__() == int(device) > 0
    with pytest.raises(ValueError, match="a pointer to memory of a device is not safe to read"):
        device.get()


def test_pointers_by_themselves(gpu):
    pointer = gpu.pointer_wrapper_int16()
    assert (int(pointer), pointer.is_safe()) == (0, False)
    with pytest.raises(ValueError, match="the null pointer"):
        pointer.get()
    pointer.create(5)
    pointer.get()[:] = 3
    assert ctypes.cast(ctypes.c_void_p(int(pointer)), ctypes.POINTER(ctypes.c_int16))[4] == 3
    pointer.destroy()
    assert int(pointer) == 0
    assert gpu.ptr_wrapper_int16 is gpu.pointer_wrapper_int16
    with pytest.raises(ValueError, match="must not be negative"):
        pointer.create(-1)


def test_ctypes_takes_a_pointer_as_it_is(gpu):
    array = gpu.DeviceArray_int64(np.array([5]))
    libc = ctypes.CDLL(None)
    libc.labs.argtypes, libc.labs.restype = [ctypes.c_void_p], ctypes.c_long
    assert libc.labs(array.host_data()) == int(array.host_data())


def test_what_a_program_of_pycuda_needs_is_there(gpu):
    assert {"GPUArray", "to_gpu", "cudaSetDevice", "cudaGetDevice"} <= set(dir(gpu))
