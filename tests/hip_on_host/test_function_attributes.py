"""A kernel's attributes, the ones that may be set, and the number of its blocks that the device keeps."""

from __future__ import annotations

import ctypes
import os

import pytest

from tests.clusters import DEVICES_HAVE_CLUSTERS
from tests.hip_on_host.hip_program import check, name

SUCCESS, INVALID_VALUE = 0, 1


@pytest.fixture(scope="module")
def native(hip, runtime_folder):
    hip.hipGetDevice()
    return ctypes.CDLL(os.fspath(runtime_folder / "lib/libamdhip64.so"))


def limit(hip, attribute: str) -> int:
    return int(check(hip.hipDeviceGetAttribute(getattr(hip.hipDeviceAttribute_t, f"hipDeviceAttribute{attribute}"), 0)))


@pytest.mark.parametrize(
    ("kernel", "attribute", "expected"),
    [
        ("empty", "MAX_THREADS_PER_BLOCK", 1024),
        ("bounded", "MAX_THREADS_PER_BLOCK", 64),
        ("bounded", "SHARED_SIZE_BYTES", 1024),
        ("greedy", "SHARED_SIZE_BYTES", 48 << 10),
        ("empty", "CONST_SIZE_BYTES", 16),
        ("empty", "LOCAL_SIZE_BYTES", 0),
    ],
)
def test_facts(kernels, basic, kernel, attribute, expected):
    wanted = getattr(kernels.hip.hipFunction_attribute, f"HIP_FUNC_ATTRIBUTE_{attribute}")
    assert check(kernels.hip.hipFuncGetAttribute(wanted, kernels.function(basic, kernel))) == expected


def test_dynamic_shared_memory_can_be_bounded(kernels, basic, native):
    hip = kernels.hip
    greedy = kernels.function(basic, "greedy")
    attribute = hip.hipFunction_attribute.HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    room = limit(hip, "SharedMemPerBlockOptin") - (48 << 10)
    assert check(hip.hipFuncGetAttribute(attribute, greedy)) == limit(hip, "MaxSharedMemoryPerBlock") - (48 << 10)
    handle = ctypes.c_void_p(int(greedy))
    assert native.hipFuncSetAttribute(handle, 8, 1000) == 0
    assert check(hip.hipFuncGetAttribute(attribute, greedy)) == 1000
    assert native.hipFuncSetAttribute(handle, 8, room) == 0
    assert native.hipFuncSetAttribute(handle, 8, room + 1) == 1
    assert native.hipFuncSetAttribute(handle, 8, -1) == 1
    assert native.hipFuncSetAttribute(handle, 9, 50) == 0
    assert native.hipFuncSetAttribute(handle, 9, 101) == 1
    assert native.hipFuncSetAttribute(handle, 0, 1) == 1
    assert native.hipFuncSetAttribute(ctypes.c_void_p(1), 8, 1) == 98


def test_the_size_of_clusters_needs_a_device_that_has_them(kernels, basic, native):
    """A cluster of one block is none."""
    handle = ctypes.c_void_p(int(kernels.function(basic, "empty")))
    two = SUCCESS if DEVICES_HAVE_CLUSTERS else INVALID_VALUE
    for side in (11, 12, 13):  # HIP_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, _HEIGHT and _DEPTH
        for blocks, status in ((1, SUCCESS), (2, two), (-1, INVALID_VALUE), (0, SUCCESS)):
            assert native.hipFuncSetAttribute(handle, side, blocks) == status, (side, blocks)


def test_cache_preferences_are_accepted(kernels, basic, native):
    empty = ctypes.c_void_p(int(kernels.function(basic, "empty")))
    assert [native.hipFuncSetCacheConfig(empty, choice) for choice in (0, 1, 2, 3, 9)] == [0, 0, 0, 0, 1]
    assert native.hipFuncSetSharedMemConfig(empty, 1) == 0
    assert native.hipFuncSetCacheConfig(None, 0) == 98


def test_handles_that_are_none(kernels):
    hip = kernels.hip
    attribute = hip.hipFunction_attribute.HIP_FUNC_ATTRIBUTE_NUM_REGS
    assert name(hip.hipFuncGetAttribute(attribute, None)) == "hipErrorInvalidHandle"
    assert name(hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(None, 64, 0)) == "hipErrorInvalidDeviceFunction"


def test_occupancy_follows_threads_and_shared_memory(kernels, basic):
    hip = kernels.hip
    empty, bounded, greedy = (kernels.function(basic, one) for one in ("empty", "bounded", "greedy"))
    threads = limit(hip, "MaxThreadsPerMultiProcessor")
    shared = limit(hip, "MaxSharedMemoryPerMultiprocessor")

    def blocks(kernel, size, dynamic=0):
        return check(hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(kernel, size, dynamic))

    assert blocks(empty, 1024) == threads // 1024
    assert blocks(empty, 256) == threads // 256
    assert blocks(empty, 1) == min(32, threads // 32)
    assert blocks(empty, 65) == threads // 96  # whole warps
    assert blocks(empty, 64, shared // 3) == 3
    assert blocks(greedy, 64) == shared // (48 << 10)
    assert blocks(greedy, 64, 32 << 10) == shared // (80 << 10)
    assert blocks(greedy, 64, 116 << 10) == 0  # more than a block may ask for
    assert blocks(greedy, 64, (1 << 64) - 1) == 0
    assert blocks(empty, 1025) == 0
    assert blocks(bounded, 65) == 0
    assert name(hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(empty, 0, 0)) == "hipErrorInvalidValue"


@pytest.mark.parametrize("shared", [0, 1000, 12 << 10, 40 << 10])
@pytest.mark.parametrize("bound", [0, 20, 100, 512])
@pytest.mark.parametrize("kernel", ["empty", "bounded", "greedy"])
def test_suggested_block_size_has_the_highest_occupancy(kernels, basic, native, kernel, bound, shared):
    hip, function = kernels.hip, kernels.function(basic, kernel)
    most = min(bound or 1024, 64 if kernel == "bounded" else 1024)

    def resident(threads):
        return threads * check(hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(function, threads, shared))

    grid, block = check(hip.hipModuleOccupancyMaxPotentialBlockSize(function, shared, bound))
    tried = {threads: resident(threads) for threads in {most, *range(32, most + 1, 32)}}
    best = max(tried.values())
    # The largest of the best, as in HIP; none when the kernel does not fit at all.
    assert block == (max(threads for threads in tried if tried[threads] == best) if best else 0)
    assert grid * block == limit(hip, "MultiprocessorCount") * best
    if best:
        assert native.hipFuncSetAttribute(ctypes.c_void_p(int(function)), 8, shared) == 0
        check(kernels.launch(function, grid, block, shared=shared))
    else:
        assert kernel == "greedy"


def test_room_for_dynamic_shared_memory(kernels, basic, native):
    size = ctypes.c_size_t()
    greedy = ctypes.c_void_p(int(kernels.function(basic, "greedy")))
    hip = kernels.hip
    assert native.hipOccupancyAvailableDynamicSMemPerBlock(ctypes.byref(size), greedy, 1, 64) == 0
    assert size.value == limit(hip, "SharedMemPerBlockOptin") - (48 << 10)
    assert native.hipOccupancyAvailableDynamicSMemPerBlock(ctypes.byref(size), greedy, 2, 64) == 0
    assert size.value == limit(hip, "MaxSharedMemoryPerMultiprocessor") // 2 - (48 << 10)
    assert native.hipOccupancyAvailableDynamicSMemPerBlock(ctypes.byref(size), greedy, 9, 64) == 0
    assert size.value == 0
    assert native.hipOccupancyAvailableDynamicSMemPerBlock(None, greedy, 1, 64) == 1


def test_names_of_kernels(kernels, basic):
    assert bytes(check(kernels.hip.hipKernelNameRef(kernels.function(basic, "saxpy")))) == b"saxpy"
