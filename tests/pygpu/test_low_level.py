"""DeviceArray and device control: refused arguments, and the statuses of failures."""

from __future__ import annotations

import numpy as np
import pytest


def test_bytes_are_taken_as_they_are(gpu):
    """Elements of another size: the array is flat, and never longer than its buffer."""
    data = np.arange(6, dtype=np.int16).reshape(2, 3)
    assert gpu.DeviceArray_int16(data).shape() == (2, 3)
    assert gpu.DeviceArray_int32(data).shape() == (3,)
    with pytest.raises(ValueError, match="a buffer of 12 bytes holds no whole number of int64"):
        gpu.DeviceArray_int64(data)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (np.arange(6)[::2], ValueError, "has to be C-contiguous"),
        ("text", TypeError, "bytes-like object is required"),
        (1.5, TypeError, "bytes-like object is required"),
        (-1, ValueError, "must not be negative"),
        ([2, "x"], TypeError, "made of integers"),
        (np.array([None]), TypeError, "Cannot change data-type"),
    ],
)
def test_what_it_is_not_made_from(gpu, data, error, message):
    with pytest.raises(error, match=message):
        gpu.DeviceArray_int64(data)


def test_its_properties(gpu):
    array = gpu.DeviceArray_float32([2, 3])
    assert (array.size(), array.shape(), array.strides(), array.nbytes()) == (6, (2, 3), (12, 4), 24)
    assert repr(array) == "<DeviceArray_float32: shape=(2, 3), allocated=False>"
    array.host_data().get()[:] = 2
    assert np.array(array).tolist() == [[2, 2, 2], [2, 2, 2]]
    assert np.array(array, copy=True) is not np.asarray(array)


def test_free_and_allocate_again(gpu):
    data = np.array([1, 2])
    array = gpu.DeviceArray_int64(data)
    assert array.free() == 0
    assert array.allocate() == 0
    first = int(array.device_data())
    assert array.allocate() == 0, "a second time does nothing"
    assert int(array.device_data()) == first
    assert array.free() == 0
    assert int(array.device_data()) == 0
    assert (array.to_device(), array.to_host()) == (1, 1)
    assert (array.allocate(), array.to_device(), array.to_host()) == (0, 0, 0)


def test_a_read_only_buffer_is_not_written_to(gpu):
    array = gpu.DeviceArray_int16(b"abcd")
    assert (array.allocate(), array.to_device()) == (0, 0)
    with pytest.raises(ValueError, match="read-only"):
        array.to_host()


def test_functions_check_their_arguments(gpu):
    event = gpu.cudaEvent_t()
    for call, message in (
        (lambda: gpu.cudaSetDevice("0"), r"cudaSetDevice\(\): device has to be an integer, not str"),
        (lambda: gpu.cudaSetDevice(1.0), "has to be an integer, not float"),
        (gpu.cudaSetDevice, r"cudaSetDevice\(\): missing a required argument: 'device'"),
        (lambda: gpu.cudaGetDevice(1), r"cudaGetDevice\(\): too many positional arguments"),
        (lambda: gpu.cudaEventRecord(0), "event has to be a PyGPU.cudaEvent_t, not int"),
        (lambda: gpu.cudaEventRecord(event, 7), "stream has to be a PyGPU.cudaStream_t, or 0"),
        (lambda: gpu.cudaEventRecord(event, event), "stream has to be a PyGPU.cudaStream_t, or 0"),
        (lambda: gpu.cudaError_t("1"), "cannot be interpreted as an integer"),
        (lambda: gpu.cudaEvent_t("1"), "cannot be interpreted as an integer"),
    ):
        with pytest.raises(TypeError, match=message):
            call()
    assert gpu.cudaEventRecord(stream=0, event=event) == 0
    assert gpu.cudaEventRecord(event, None) == 0


def test_what_cannot_be_made_says_so_by_its_status(gpu, cuda):
    event, stream = gpu.cudaEvent_t(0xFFFF), gpu.cudaStream_t(0xFFFF)
    assert event.last_status() == stream.last_status() == 1
    assert event.get() is stream.get() is None
    assert gpu.cudaEventRecord(event) == gpu.cudaStreamSynchronize(stream) == 400
    gpu.cudaGetLastError()


def test_streams_of_every_kind(gpu, cuda):
    plain, quiet, urgent = gpu.cudaStream_t(), gpu.cudaStream_t(1), gpu.cudaStream_t(1, -1)
    for stream, flags in ((plain, 0), (quiet, 1), (urgent, 1)):
        assert stream.last_status() == 0
        assert cuda.runtime.cudaStreamGetFlags(stream.get()) == (0, flags)
        assert stream.__cuda_stream__() == (0, int(stream))
        assert gpu.cudaStreamQuery(stream) == gpu.cudaStreamSynchronize(stream) == 0
    event = gpu.cudaEvent_t(cuda.runtime.cudaEventDisableTiming)
    assert gpu.cudaEventRecord(event, quiet) == gpu.cudaStreamWaitEvent(plain, event) == 0
    assert gpu.cudaDeviceSynchronize() == 0


def test_statuses_compare_and_hash_by_their_number(gpu):
    one, other = gpu.cudaError_t(1), gpu.cudaError(1)
    assert one == other == 1
    assert one != 0
    assert one != "1"
    assert len({one, other, 1}) == 1
    assert gpu.cudaGetErrorName(1) == "cudaErrorInvalidValue"


def test_signatures_are_reported(gpu):
    import inspect

    assert str(inspect.signature(gpu.cudaEventRecord)) == "(event, stream=0)"
    assert gpu.cudaEventRecord.__doc__
    assert gpu.cudaEventRecord.__name__ == "cudaEventRecord"
