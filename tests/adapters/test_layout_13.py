"""The forms that CUDA 13 gave to calls of these domains."""

import numpy as np
import pytest

from tests.adapters.answers import failed, not_a, ok, raising

LAYOUT = "13.5"
SIZE = 1 << 16


def place(cuda, name, number=0):
    made = cuda.driver.CUmemLocation()
    made.type = getattr(cuda.driver.CUmemLocationType, f"CU_MEM_LOCATION_TYPE_{name}")
    made.id = number
    return made


@pytest.fixture
def managed(cuda):
    pointer = ok(cuda.driver.cuMemAllocManaged(SIZE, 1))
    yield pointer
    ok(cuda.driver.cuMemFree(pointer))


@pytest.fixture(scope="module")
def memory(cuda):
    pointer = ok(cuda.driver.cuMemAlloc(SIZE))
    yield int(pointer)
    ok(cuda.driver.cuMemFree(pointer))


@pytest.fixture
def attributes(cuda):
    made = cuda.driver.CUmemcpyAttributes()
    made.srcAccessOrder = cuda.driver.CUmemcpySrcAccessOrder.CU_MEMCPY_SRC_ACCESS_ORDER_STREAM
    return made


def words(cuda, pointer, count=16):
    out = np.zeros(count, np.uint32)
    ok(cuda.driver.cuMemcpyDtoH(out, pointer, out.nbytes))
    return list(out)


def test_places_are_structs(cuda, managed, stream):
    driver = cuda.driver
    advice, kind = driver.CUmem_advise.CU_MEM_ADVISE_SET_PREFERRED_LOCATION, driver.CUmem_range_attribute
    ok(driver.cuMemAdvise(managed, SIZE, advice, place(cuda, "DEVICE")))
    found = driver.cuMemRangeGetAttribute(4, kind.CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, managed, SIZE)
    assert found == (0, 0)
    ok(driver.cuMemPrefetchAsync(managed, SIZE, place(cuda, "HOST"), 0, stream))
    ok(driver.cuStreamSynchronize(stream))
    found = driver.cuMemRangeGetAttribute(4, kind.CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, managed, SIZE)
    assert found == (0, -1)
    with raising(TypeError, not_a("driver.CUmemLocation", "location", "int")):
        driver.cuMemPrefetchAsync(managed, SIZE, 0, 0, stream)


def test_places_of_the_runtime(cuda, managed):
    runtime = cuda.runtime
    location = runtime.cudaMemLocation()
    location.type = runtime.cudaMemLocationType.cudaMemLocationTypeDevice
    ok(runtime.cudaMemAdvise(int(managed), SIZE, runtime.cudaMemoryAdvise.cudaMemAdviseSetPreferredLocation, location))
    ok(runtime.cudaMemPrefetchAsync(int(managed), SIZE, location, 0, 0))


def test_batches_tell_no_index(cuda, memory, stream, attributes):
    ok(cuda.driver.cuMemsetD32(memory, 0x80000001, 16))
    one, to = [cuda.driver.CUdeviceptr(memory)], [cuda.driver.CUdeviceptr(memory + 64)]
    assert cuda.driver.cuMemcpyBatchAsync(to, one, [64], 1, [attributes], [0], 1, stream) == (0,)
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert words(cuda, memory + 64) == [0x80000001] * 16
    failed(cuda.driver.cuMemcpyBatchAsync(to, one, [64], 1, [attributes], [1], 1, stream), "CUDA_ERROR_INVALID_VALUE")


def test_a_copy_with_attributes(cuda, memory, stream, attributes):
    ok(cuda.driver.cuMemsetD32(memory, 3, 16))
    ok(cuda.driver.cuMemcpyWithAttributesAsync(memory + 64, memory, 64, attributes, stream))
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert words(cuda, memory + 64) == [3] * 16
    failed(cuda.driver.cuMemcpyWithAttributesAsync(memory + 64, memory, 64, None, stream), "CUDA_ERROR_INVALID_VALUE")
    with raising(TypeError, not_a("driver.CUmemcpyAttributes", "attr", "int")):
        cuda.driver.cuMemcpyWithAttributesAsync(memory + 64, memory, 64, 5, stream)


def test_a_copy_of_a_volume_with_attributes(cuda, memory, stream, attributes):
    operation = cuda.driver.CUDA_MEMCPY3D_BATCH_OP()
    for operand, address in ((operation.src, memory), (operation.dst, memory + 64)):
        operand.type = cuda.driver.CUmemcpy3DOperandType.CU_MEMCPY_OPERAND_TYPE_POINTER
        operand.op.ptr.ptr = address
    operation.extent.width, operation.extent.height, operation.extent.depth = 32, 2, 1
    operation.srcAccessOrder = attributes.srcAccessOrder
    ok(cuda.driver.cuMemsetD32(memory, 9, 16))
    ok(cuda.driver.cuMemcpy3DWithAttributesAsync(operation, 0, stream))
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert words(cuda, memory + 64) == [9] * 16


def test_contexts_are_asked_without_being_current(cuda):
    driver = cuda.driver
    current = ok(driver.cuCtxGetCurrent())
    for context in (current, None):
        assert int(ok(driver.cuCtxGetDevice_v2(context))) == 0
        ok(driver.cuCtxSynchronize_v2(context))
    assert ok(driver.cuCtxGetCurrent()) == current


@pytest.mark.parametrize("arguments", [(None, 0, 0), (0, 0)])
def test_contexts_are_created_with_parameters_or_in_the_old_form(cuda, arguments):
    ok(cuda.driver.cuCtxDestroy(ok(cuda.driver.cuCtxCreate(*arguments))))


def test_parameters_that_ask_for_something_are_not_supported(cuda):
    parameters = cuda.driver.CUctxCreateParams()
    ok(cuda.driver.cuCtxDestroy(ok(cuda.driver.cuCtxCreate(parameters, 0, 0))))
    parameters.numExecAffinityParams = 1
    failed(cuda.driver.cuCtxCreate(parameters, 0, 0), "CUDA_ERROR_NOT_SUPPORTED", 1)


@pytest.mark.parametrize("wrong", [5, 0, True, "x", [], b""])
def test_parameters_of_another_type_are_an_error(cuda, wrong):
    with raising(TypeError, not_a("driver.CUctxCreateParams", "ctxCreateParams", type(wrong).__name__)):
        cuda.driver.cuCtxCreate(wrong, 0, 0)


@pytest.mark.parametrize("symbol, found", [(b"cuInit", True), (b"cuNoSuchThing", False)])
def test_entry_points_by_version(cuda, symbol, found):
    address, status = ok(cuda.runtime.cudaGetDriverEntryPointByVersion(symbol, 13000, 0))
    assert bool(address) is found
    assert status.name == f"cudaDriverEntryPoint{'Success' if found else 'SymbolNotFound'}"


def test_ranges_are_discarded(cuda):
    driver, runtime, size = cuda.driver, cuda.runtime, 1 << 16
    memory = ok(driver.cuMemAllocManaged(size, 1))
    place, elsewhere = driver.CUmemLocation(), runtime.cudaMemLocation()
    place.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    elsewhere.type = runtime.cudaMemLocationType.cudaMemLocationTypeDevice
    ok(driver.cuMemDiscardBatchAsync([memory], [size], 1, 0, 0))
    ok(driver.cuMemDiscardAndPrefetchBatchAsync([memory], [size], 1, [place], [0], 1, 0, 0))
    ok(runtime.cudaMemDiscardBatchAsync([int(memory)], [size], 1, 0, 0))
    ok(runtime.cudaMemDiscardAndPrefetchBatchAsync([int(memory)], [size], 1, [elsewhere], [0], 1, 0, 0))
    failed(driver.cuMemDiscardBatchAsync([memory], [2 * size], 1, 0, 0), "CUDA_ERROR_INVALID_VALUE")
    failed(driver.cuMemDiscardBatchAsync([memory], [size], 1, 1, 0), "CUDA_ERROR_INVALID_VALUE")
    ok(driver.cuMemFree(memory))


def test_a_device_is_made_ready(cuda):
    runtime = cuda.runtime
    ok(runtime.cudaInitDevice(0, runtime.cudaDeviceScheduleYield, runtime.cudaInitDeviceFlagsAreValid))
    assert ok(runtime.cudaGetDeviceFlags()) & runtime.cudaDeviceScheduleMask == runtime.cudaDeviceScheduleYield
    ok(runtime.cudaInitDevice(0, runtime.cudaDeviceScheduleAuto, runtime.cudaInitDeviceFlagsAreValid))
    failed(runtime.cudaInitDevice(99, 0, 0), "cudaErrorInvalidDevice")
