"""Occupancy: how many blocks fit, and the block size that fits best."""

import ctypes
import sys

import pytest

from cuda_shim.backends import hip_python
from tests.adapters.answers import failed, ok, raising
from tests.adapters.kernels import compile_code, loaded_function
from tests.clusters import DEVICES_HAVE_CLUSTERS, run_again


@pytest.fixture(scope="module")
def function(cuda):
    with loaded_function(cuda, b"put", compile_code(cuda.nvrtc)) as made:
        yield made


def size_of(cuda, bytes_of_threads):
    """A function that returns the shared memory that a block needs; keep it while the address is used."""
    made = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)(bytes_of_threads)
    return made, cuda.driver.CUoccupancyB2DSize(_ptr=ctypes.addressof(made))


def processors(cuda):
    name = cuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
    return ok(cuda.driver.cuDeviceGetAttribute(name, 0))


def test_blocks_that_fit(cuda, function):
    driver = cuda.driver
    blocks = ok(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, 128, 0))
    assert blocks > 0
    assert driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(function, 128, 0, 0) == (0, blocks)
    assert ok(driver.cuOccupancyAvailableDynamicSMemPerBlock(function, 1, 128)) > 0
    failed(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(0, 128, 0), "CUDA_ERROR_INVALID_HANDLE", 1)
    failed(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, 0, 0), "CUDA_ERROR_INVALID_VALUE", 1)


@pytest.mark.parametrize("without", [None, 0])
def test_the_best_size_of_a_fixed_demand(cuda, function, without):
    grid, block = ok(cuda.driver.cuOccupancyMaxPotentialBlockSize(function, without, 0, 0))
    blocks = ok(cuda.driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, block, 0))
    assert grid == blocks * processors(cuda)
    assert ok(cuda.driver.cuOccupancyMaxPotentialBlockSizeWithFlags(function, without, 0, 64, 0))[1] <= 64


def test_the_best_size_of_a_demand_that_grows(cuda, function):
    asked = []

    def demand(threads):
        asked.append(threads)
        return 1024 * threads

    kept, address = size_of(cuda, demand)
    grid, block = ok(cuda.driver.cuOccupancyMaxPotentialBlockSize(function, address, 0, 0))
    blocks = ok(cuda.driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, block, 1024 * block))
    assert blocks > 0
    assert grid == blocks * processors(cuda)
    for threads in asked:
        fitting = ok(cuda.driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, threads, 1024 * threads))
        assert fitting * threads <= blocks * block
    assert sorted(asked, reverse=True) == asked
    assert ok(cuda.driver.cuOccupancyMaxPotentialBlockSizeWithFlags(function, address, 0, 40, 0))[1] <= 40
    assert kept


@pytest.mark.parametrize("size", [0, 1000, 12 << 10, 40 << 10, 1 << 30])
@pytest.mark.parametrize("limit", [0, 20, 100])
def test_a_demand_that_never_changes_is_a_fixed_one(cuda, function, size, limit):
    kept, address = size_of(cuda, lambda _: size)
    search = cuda.driver.cuOccupancyMaxPotentialBlockSize
    assert search(function, address, 0, limit) == search(function, None, size, limit)
    assert kept


def test_the_limit_is_tried_itself_although_no_warp_fills_it(cuda, function):
    asked = []

    def no_memory(threads):
        asked.append(threads)
        return 0

    kept, address = size_of(cuda, no_memory)
    ok(cuda.driver.cuOccupancyMaxPotentialBlockSize(function, address, 0, 100))
    assert asked[0] == 100
    assert all(threads % 32 == 0 for threads in asked[1:])
    assert kept


def test_functions_that_leave_the_interpreter_locked(cuda, function):
    kept = ctypes.PYFUNCTYPE(ctypes.c_size_t, ctypes.c_int)(lambda threads: 16 * threads)
    address = cuda.driver.CUoccupancyB2DSize(_ptr=ctypes.addressof(kept))
    assert ok(cuda.driver.cuOccupancyMaxPotentialBlockSize(function, address, 0, 64))[1] == 64


def test_a_demand_that_nothing_meets(cuda, function):
    kept, address = size_of(cuda, lambda _: 1 << 40)
    assert cuda.driver.cuOccupancyMaxPotentialBlockSize(function, address, 0, 0) == (0, 0, 0)
    assert kept


def test_a_function_that_fails_counts_as_no_demand(cuda, function, monkeypatch):
    raised = []
    monkeypatch.setattr(sys, "unraisablehook", lambda reported: raised.append(type(reported.exc_value)))
    failing, failing_address = size_of(cuda, lambda _: 1 // 0)
    nothing, nothing_address = size_of(cuda, lambda _: 0)
    search = cuda.driver.cuOccupancyMaxPotentialBlockSize
    assert search(function, failing_address, 0, 0) == search(function, nothing_address, 0, 0)
    assert set(raised) == {ZeroDivisionError}
    assert failing
    assert nothing


def test_what_is_no_function(cuda, function):
    search = cuda.driver.cuOccupancyMaxPotentialBlockSize
    kept, address = size_of(cuda, lambda _: 0)
    failed(search(0, None, 0, 0), "CUDA_ERROR_INVALID_HANDLE", 2)
    failed(search(0, address, 0, 0), "CUDA_ERROR_INVALID_HANDLE", 2)
    failed(search(function, None, 0, -1), "CUDA_ERROR_INVALID_VALUE", 2)
    with raising(TypeError, "an integer is required"):
        search(function, kept, 0, 0)
    with raising(OverflowError, "can't convert negative value to size_t"):
        search(function, None, -1, 0)


def config_of(cuda, cluster=None, blocks=64, threads=64):
    config = cuda.driver.CUlaunchConfig()
    config.gridDimX, config.blockDimX = blocks, threads
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1
    if cluster is not None:
        attribute = cuda.driver.CUlaunchAttribute()
        attribute.id = cuda.driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        size = attribute.value.clusterDim
        size.x, size.y, size.z = cluster
        config.attrs, config.numAttrs = [attribute], 1
    return config


@pytest.fixture
def knows_clusters(cuda, function):
    """Skips where this hip-python has no name for a cluster's size, and shows that one is refused there."""
    if "hipLaunchAttributeClusterDimension" in dir(hip_python.load().hip.hipLaunchAttributeID):
        return
    refused = cuda.driver.cuOccupancyMaxActiveClusters(function, config_of(cuda, (2, 1, 1)))
    failed(refused, "CUDA_ERROR_NOT_SUPPORTED", 1)
    pytest.skip("hip-python is too old for clusters")


@pytest.mark.usefixtures("knows_clusters")
def test_clusters_that_are_resident(cuda, function):
    driver = cuda.driver
    blocks = ok(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, 64, 0)) * processors(cuda)
    active = driver.cuOccupancyMaxActiveClusters
    assert ok(active(function, config_of(cuda))) == ok(active(function, config_of(cuda, (1, 1, 1)))) == blocks
    for size in (2, 8):
        answer = active(function, config_of(cuda, (size, 1, 1)))
        if DEVICES_HAVE_CLUSTERS:
            assert ok(answer) == blocks // size
        else:
            failed(answer, "CUDA_ERROR_INVALID_VALUE", 1)
    largest = 8 if DEVICES_HAVE_CLUSTERS else 1
    assert ok(driver.cuOccupancyMaxPotentialClusterSize(function, config_of(cuda))) == largest


@pytest.mark.usefixtures("knows_clusters")
def test_clusters_that_cannot_be(cuda, function):
    driver = cuda.driver
    active = driver.cuOccupancyMaxActiveClusters
    wrong = "CUDA_ERROR_INVALID_CLUSTER_SIZE" if DEVICES_HAVE_CLUSTERS else "CUDA_ERROR_INVALID_VALUE"
    failed(active(function, config_of(cuda, (3, 1, 1))), wrong, 1)
    failed(active(function, config_of(cuda, threads=0)), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(active(function, None), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(driver.cuOccupancyMaxPotentialClusterSize(function, None), "CUDA_ERROR_INVALID_VALUE", 1)
    for query in (active, driver.cuOccupancyMaxPotentialClusterSize):
        failed(query(0, config_of(cuda)), "CUDA_ERROR_INVALID_HANDLE", 1)
        with pytest.raises(TypeError, match="config"):
            query(function, 1)


def test_devices_of_compute_capability_9_0_have_clusters():
    if not DEVICES_HAVE_CLUSTERS:  # not in the process that this starts
        run_again("tests/adapters/test_occupancy.py")
