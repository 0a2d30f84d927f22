"""Statuses and sizes that an H200 gave (driver 580, CUDA Python 13.3), where HIP leaves them open or AMD's are others."""

from __future__ import annotations

import pytest

from tests.adapters.answers import failed, ok
from tests.adapters.kernels import compile_code, loaded_function


@pytest.fixture
def memory(cuda):
    pointers = [ok(cuda.runtime.cudaMalloc(4096)) for _ in range(2)]
    yield pointers
    for pointer in pointers:
        ok(cuda.runtime.cudaFree(pointer))


def test_copies_with_pitches_below_the_width(cuda, memory):
    kind = cuda.runtime.cudaMemcpyKind.cudaMemcpyDeviceToDevice
    to, source = memory
    for pitches in ((4, 4), (16, 4), (4, 16)):
        names = [
            cuda.runtime.cudaMemcpy2D(to, pitches[0], source, pitches[1], 8, rows, kind)[0].name for rows in (0, 1, 2)
        ]
        assert names == ["cudaSuccess", "cudaErrorInvalidValue", "cudaErrorInvalidPitchValue"]
    names = [cuda.runtime.cudaMemset2D(to, 4, 0, 8, rows)[0].name for rows in (0, 1, 2)]
    assert names == ["cudaSuccess", "cudaSuccess", "cudaErrorInvalidValue"]


@pytest.mark.parametrize(("width", "pitch"), [(1, 512), (20, 512), (512, 512), (513, 1024), (100000, 100352)])
def test_pitches(cuda, width, pitch):
    pointer, found = ok(cuda.driver.cuMemAllocPitch(width, 2, 4))
    ok(cuda.driver.cuMemFree(pointer))
    assert found == pitch


def test_blocks_are_64_deep(cuda):
    code = compile_code(cuda.nvrtc, b'extern "C" __global__ void nothing() {}')
    with loaded_function(cuda, b"nothing", code) as function:
        ok(cuda.driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 64, 0, 0, 0, 0))
        failed(cuda.driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 65, 0, 0, 0, 0), "CUDA_ERROR_INVALID_VALUE")


def test_physical_memory_is_taken_from_the_device(cuda):
    driver = cuda.driver
    properties = driver.CUmemAllocationProp()
    properties.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    properties.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    size = 64 << 20
    before = ok(driver.cuMemGetInfo())[0]
    handle = ok(driver.cuMemCreate(size, properties, 0))
    assert before - ok(driver.cuMemGetInfo())[0] == size
    ok(driver.cuMemRelease(handle))
    assert ok(driver.cuMemGetInfo())[0] == before
    failed(driver.cuMemCreate(1 << 50, properties, 0), "CUDA_ERROR_OUT_OF_MEMORY", 1)
    failed(driver.cuMemCreate(100, properties, 0), "CUDA_ERROR_INVALID_VALUE", 1)
    base, granule = ok(driver.cuMemAddressReserve(size, 0, 0, 0)), 2 << 20
    handle = ok(driver.cuMemCreate(size, properties, 0))
    for offset, length, start in ((100, granule, 0), (0, 100, 0), (0, granule, 100), (size, granule, 0)):
        failed(driver.cuMemMap(int(base) + offset, length, start, handle, 0), "CUDA_ERROR_NOT_SUPPORTED")
    ok(driver.cuMemRelease(handle))
    ok(driver.cuMemAddressFree(base, size))


def test_limits(cuda):
    limits = cuda.driver.CUlimit
    found = [
        ok(cuda.driver.cuCtxGetLimit(limit))
        for limit in (limits.CU_LIMIT_MALLOC_HEAP_SIZE, limits.CU_LIMIT_PRINTF_FIFO_SIZE, limits.CU_LIMIT_STACK_SIZE)
    ]
    assert found == [8 << 20, 8650752, 1024]
