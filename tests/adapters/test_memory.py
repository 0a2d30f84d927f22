"""Linear, pitched, pinned, registered and managed memory: limits, types and flags as CUDA has them."""

import numpy as np
import pytest

from tests.adapters.answers import failed, not_a, ok, raising

HUGE = 1 << 60


def test_device_memory_is_a_device_pointer_in_the_driver_and_an_int_in_the_runtime(cuda):
    pointer = ok(cuda.driver.cuMemAlloc(64))
    assert type(pointer) is cuda.driver.CUdeviceptr
    assert int(pointer)
    assert ok(cuda.driver.cuMemFree(pointer)) is None
    address = ok(cuda.runtime.cudaMalloc(64))
    assert type(address) is int
    assert ok(cuda.runtime.cudaFree(address)) is None


@pytest.mark.parametrize("call, arguments", [
    ("cuMemAlloc", (0,)), ("cuMemAllocManaged", (0, 1)), ("cuMemAlloc", (0.9,)),
])  # fmt: skip
def test_no_bytes_is_an_error_in_the_driver(cuda, call, arguments):
    failed(getattr(cuda.driver, call)(*arguments), "CUDA_ERROR_INVALID_VALUE", 1)


@pytest.mark.parametrize("call, arguments", [
    ("cudaMalloc", (0,)), ("cudaMallocHost", (0,)), ("cudaHostAlloc", (0, 0)), ("cudaMallocAsync", (0, 0)),
])  # fmt: skip
def test_no_bytes_is_a_null_pointer_in_the_runtime(cuda, call, arguments):
    assert ok(getattr(cuda.runtime, call)(*arguments)) == 0


@pytest.mark.parametrize("flags", [0, 1, 4])
def test_no_managed_bytes_are_a_null_pointer_in_the_runtime_alone(cuda, flags):
    assert ok(cuda.runtime.cudaMallocManaged(0, flags)) == 0
    failed(cuda.driver.cuMemAllocManaged(0, 1), "CUDA_ERROR_INVALID_VALUE", 1)


def test_no_pinned_bytes_is_a_null_pointer_in_the_driver_too(cuda):
    assert ok(cuda.driver.cuMemAllocHost(0)) == 0
    assert ok(cuda.driver.cuMemHostAlloc(0, 0)) == 0


def test_too_much_memory_is_an_error(cuda):
    failed(cuda.driver.cuMemAlloc(HUGE), "CUDA_ERROR_OUT_OF_MEMORY", 1)
    failed(cuda.runtime.cudaMalloc(HUGE), "cudaErrorMemoryAllocation", 1)
    assert cuda.runtime.cudaGetLastError()[0].name == "cudaErrorMemoryAllocation"
    assert cuda.runtime.cudaGetLastError() == (0,)


@pytest.mark.parametrize("size, error, text", [
    ("a", TypeError, "an integer is required"),
    (None, TypeError, "an integer is required"),
    (-1, OverflowError, "can't convert negative value to size_t"),
])  # fmt: skip
def test_a_size_that_is_none_is_cuda_pythons_error(cuda, size, error, text):
    with raising(error, f"{text}"):
        cuda.driver.cuMemAlloc(size)


@pytest.mark.parametrize("arguments", [(0, 1, 4), (16, 0, 4), (100, 10, 3)])
def test_pitched_memory_needs_bytes_rows_and_elements_of_4_8_or_16(cuda, arguments):
    failed(cuda.driver.cuMemAllocPitch(*arguments), "CUDA_ERROR_INVALID_VALUE", 2)


def test_pitched_memory_reports_its_pitch(cuda):
    pointer, pitch = ok(cuda.driver.cuMemAllocPitch(100, 10, 4))
    assert type(pointer) is cuda.driver.CUdeviceptr
    assert pitch >= 100
    assert ok(cuda.driver.cuMemGetAddressRange(int(pointer) + 5))[1] >= 10 * pitch - (pitch - 100)
    ok(cuda.driver.cuMemFree(pointer))
    assert ok(cuda.runtime.cudaMallocPitch(0, 0)) == [0, 0]


def test_volumes_are_described_by_a_pitched_pointer(cuda):
    volume = ok(cuda.runtime.cudaMalloc3D(cuda.runtime.make_cudaExtent(16, 4, 2)))
    assert (type(volume), volume.xsize, volume.ysize) == (cuda.runtime.cudaPitchedPtr, 16, 4)
    assert volume.pitch >= 16
    ok(cuda.runtime.cudaFree(volume.ptr))
    assert ok(cuda.runtime.cudaMalloc3D(cuda.runtime.cudaExtent())).ptr == 0
    with raising(TypeError, not_a("runtime.cudaExtent", "extent", "NoneType")):
        cuda.runtime.cudaMalloc3D(None)


@pytest.mark.parametrize("flags", [0, 4])
def test_managed_memory_is_for_everybody_or_the_host(cuda, flags):
    failed(cuda.driver.cuMemAllocManaged(16, flags), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(cuda.runtime.cudaMallocManaged(16, flags), "cudaErrorInvalidValue", 1)


def test_freeing_nothing_is_fine_and_freeing_what_is_no_allocation_is_not(cuda):
    pointer = ok(cuda.driver.cuMemAlloc(64))
    for nothing in (0, None):
        ok(cuda.driver.cuMemFree(nothing))
    for wrong in (5, int(pointer) + 16):
        failed(cuda.driver.cuMemFree(wrong), "CUDA_ERROR_INVALID_VALUE")
    ok(cuda.driver.cuMemFree(pointer))
    failed(cuda.driver.cuMemFree(pointer), "CUDA_ERROR_INVALID_VALUE")
    with raising(TypeError, "an integer is required"):
        cuda.driver.cuMemFree("a")


@pytest.mark.parametrize("flags, reported", [(0, 2), (1, 3), (2, 2), (4, 6), (7, 7)])
def test_pinned_memory_is_always_mapped_and_portable_where_it_was_asked_for(cuda, flags, reported):
    memory = ok(cuda.driver.cuMemHostAlloc(64, flags))
    assert type(memory) is int
    assert ok(cuda.driver.cuMemHostGetFlags(memory)) == reported
    assert ok(cuda.runtime.cudaHostGetFlags(memory)) == reported
    device = ok(cuda.driver.cuMemHostGetDevicePointer(memory, 0))
    assert (type(device), int(device)) == (cuda.driver.CUdeviceptr, memory)
    ok(cuda.driver.cuMemFreeHost(memory))


def test_flags_are_reported_of_pinned_memory_alone(cuda):
    ordinary = np.zeros(64, np.uint8)
    failed(cuda.driver.cuMemHostGetFlags(ordinary), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(cuda.runtime.cudaHostGetFlags(ordinary), "cudaErrorInvalidValue", 1)
    failed(cuda.driver.cuMemHostGetDevicePointer(ordinary, 0), "CUDA_ERROR_INVALID_VALUE", 1)


def test_registering_host_memory(cuda):
    array = np.zeros(8192, np.uint8)
    ok(cuda.driver.cuMemHostRegister(array, array.nbytes, 0))
    failed(cuda.driver.cuMemHostRegister(array, array.nbytes, 0), "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED")
    ok(cuda.driver.cuMemHostUnregister(array))
    failed(cuda.driver.cuMemHostUnregister(array), "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED")
    failed(cuda.driver.cuMemHostRegister(array, 0, 0), "CUDA_ERROR_INVALID_VALUE")
    failed(cuda.driver.cuMemHostRegister(None, 64, 0), "CUDA_ERROR_INVALID_VALUE")


def test_the_range_of_an_address_inside_an_allocation(cuda):
    pointer = ok(cuda.driver.cuMemAlloc(4096))
    base, size = ok(cuda.driver.cuMemGetAddressRange(int(pointer) + 100))
    assert (int(base), size) == (int(pointer), 4096)
    failed(cuda.driver.cuMemGetAddressRange(5), "CUDA_ERROR_NOT_FOUND", 2)
    ok(cuda.driver.cuMemFree(pointer))


def test_free_and_total_memory(cuda):
    free, total = ok(cuda.driver.cuMemGetInfo())
    assert 0 < free <= total
    assert total == ok(cuda.driver.cuDeviceTotalMem(0))
