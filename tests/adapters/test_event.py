"""Events and errors: the statuses of events in every state, and the names of status numbers."""

import pytest

from tests.adapters.answers import failed, ok, raising


@pytest.fixture
def events(cuda):
    made = [ok(cuda.driver.cuEventCreate(flags)) for flags in (0, 0, 2)]
    yield made
    for event in made:
        ok(cuda.driver.cuEventDestroy(event))


def test_time_between_events_is_a_float(cuda, stream, events):
    first, second, _ = events
    assert type(first) is cuda.driver.CUevent
    for event in (first, second):
        ok(cuda.driver.cuEventRecord(event, stream))
    ok(cuda.driver.cuEventSynchronize(second))
    assert ok(cuda.driver.cuEventQuery(second)) is None
    time = ok(cuda.driver.cuEventElapsedTime(first, second))
    assert type(time) is float
    assert time >= 0


def test_events_without_time(cuda, stream, events):
    first, second, untimed = events
    failed(cuda.driver.cuEventElapsedTime(first, second), "CUDA_ERROR_INVALID_HANDLE", 1)
    for event in (first, untimed):
        ok(cuda.driver.cuEventRecord(event, stream))
        ok(cuda.driver.cuEventSynchronize(event))
    failed(cuda.driver.cuEventElapsedTime(first, untimed), "CUDA_ERROR_INVALID_HANDLE", 1)


def test_an_event_that_was_not_recorded_is_over(cuda, events):
    ok(cuda.driver.cuEventQuery(events[0]))
    ok(cuda.driver.cuEventSynchronize(events[0]))


@pytest.mark.parametrize("flags", [64, 4])
def test_flags_that_make_no_event(cuda, flags):
    failed(cuda.driver.cuEventCreate(flags), "CUDA_ERROR_INVALID_VALUE", 1)


def test_no_event_is_no_handle(cuda, stream, events):
    failed(cuda.driver.cuEventRecord(0, stream), "CUDA_ERROR_INVALID_HANDLE")
    failed(cuda.driver.cuEventQuery(0), "CUDA_ERROR_INVALID_HANDLE")
    failed(cuda.driver.cuEventDestroy(0), "CUDA_ERROR_INVALID_HANDLE")
    failed(cuda.driver.cuEventElapsedTime(0, 0), "CUDA_ERROR_INVALID_HANDLE", 1)
    failed(cuda.runtime.cudaEventElapsedTime(0, 0), "cudaErrorInvalidResourceHandle", 1)
    assert cuda.runtime.cudaGetLastError()[0].name == "cudaErrorInvalidResourceHandle"
    failed(cuda.driver.cuEventRecordWithFlags(events[0], stream, 64), "CUDA_ERROR_INVALID_VALUE")


@pytest.mark.parametrize("number, name, runtime_name, text", [
    (0, b"CUDA_SUCCESS", b"cudaSuccess", b"no error"),
    (1, b"CUDA_ERROR_INVALID_VALUE", b"cudaErrorInvalidValue", b"invalid argument"),
    (700, b"CUDA_ERROR_ILLEGAL_ADDRESS", b"cudaErrorIllegalAddress", b"an illegal memory access was encountered"),
    (999, b"CUDA_ERROR_UNKNOWN", b"cudaErrorUnknown", b"unknown error"),
])  # fmt: skip
def test_errors_have_cudas_names_and_texts(cuda, number, name, runtime_name, text):
    status, error = cuda.driver.CUresult(number), cuda.runtime.cudaError_t(number)
    assert ok(cuda.driver.cuGetErrorName(status)) == name
    assert ok(cuda.driver.cuGetErrorString(status)) == text
    assert ok(cuda.runtime.cudaGetErrorName(error)) == runtime_name
    assert ok(cuda.runtime.cudaGetErrorString(error)) == text


def test_numbers_that_are_no_errors(cuda):
    failed(cuda.driver.cuGetErrorName(12345), "CUDA_ERROR_INVALID_VALUE", 1)
    assert ok(cuda.runtime.cudaGetErrorName(12345)) == b"unrecognized error code"
    with raising(TypeError, "Argument 'error' must not be None"):
        cuda.driver.cuGetErrorName(None)
