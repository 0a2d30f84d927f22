"""Advice and prefetches of managed memory in the forms of CUDA 12, and the attributes that record them."""

import pytest

from tests.adapters.answers import failed, not_a, not_a_list, ok, raising

SIZE = 1 << 16
HOST, NOWHERE = -1, -2


@pytest.fixture
def memory(cuda):
    pointer = ok(cuda.driver.cuMemAllocManaged(SIZE, 1))
    yield pointer
    ok(cuda.driver.cuMemFree(pointer))


def advice(cuda, name):
    return getattr(cuda.driver.CUmem_advise, f"CU_MEM_ADVISE_{name}")


def ask(cuda, name, memory, size=4):
    kinds = cuda.driver.CUmem_range_attribute
    return cuda.driver.cuMemRangeGetAttribute(size, getattr(kinds, f"CU_MEM_RANGE_ATTRIBUTE_{name}"), memory, SIZE)


def place(cuda, name, number=0):
    made = cuda.driver.CUmemLocation()
    made.type = getattr(cuda.driver.CUmemLocationType, f"CU_MEM_LOCATION_TYPE_{name}")
    made.id = number
    return made


def test_nothing_is_known_of_fresh_memory(cuda, memory):
    assert ok(ask(cuda, "READ_MOSTLY", memory)) == 0
    assert ok(ask(cuda, "PREFERRED_LOCATION", memory)) == NOWHERE
    assert ok(ask(cuda, "LAST_PREFETCH_LOCATION", memory)) == NOWHERE
    assert ok(ask(cuda, "ACCESSED_BY", memory, 16)) == [NOWHERE] * 4
    assert ok(ask(cuda, "PREFERRED_LOCATION_TYPE", memory)) == 0
    assert ok(ask(cuda, "PREFERRED_LOCATION_ID", memory)) == NOWHERE


def test_advice_is_remembered(cuda, memory):
    ok(cuda.driver.cuMemAdvise(memory, SIZE, advice(cuda, "SET_READ_MOSTLY"), 0))
    assert ok(ask(cuda, "READ_MOSTLY", memory)) == 1
    ok(cuda.driver.cuMemAdvise(memory, SIZE, advice(cuda, "UNSET_READ_MOSTLY"), 0))
    assert ok(ask(cuda, "READ_MOSTLY", memory)) == 0
    for device in (0, HOST):
        ok(cuda.driver.cuMemAdvise(memory, SIZE, advice(cuda, "SET_ACCESSED_BY"), device))
    assert sorted(ok(ask(cuda, "ACCESSED_BY", memory, 16))) == [NOWHERE, NOWHERE, HOST, 0]


@pytest.mark.parametrize("device, kind", [(0, 1), (HOST, 2)])
def test_a_preferred_place_is_reported_as_a_number_and_as_type_and_number(cuda, memory, device, kind):
    ok(cuda.driver.cuMemAdvise(memory, SIZE, advice(cuda, "SET_PREFERRED_LOCATION"), device))
    assert ok(ask(cuda, "PREFERRED_LOCATION", memory)) == device
    assert ok(ask(cuda, "PREFERRED_LOCATION_TYPE", memory)) == kind
    assert ok(ask(cuda, "PREFERRED_LOCATION_ID", memory)) == device


def test_places_as_structs(cuda, memory):
    wanted = advice(cuda, "SET_PREFERRED_LOCATION")
    ok(cuda.driver.cuMemAdvise_v2(memory, SIZE, wanted, place(cuda, "DEVICE")))
    assert ok(ask(cuda, "PREFERRED_LOCATION", memory)) == 0
    ok(cuda.driver.cuMemAdvise_v2(memory, SIZE, wanted, place(cuda, "HOST")))
    assert ok(ask(cuda, "PREFERRED_LOCATION", memory)) == HOST
    with raising(TypeError, not_a("driver.CUmemLocation", "location", "NoneType")):
        cuda.driver.cuMemAdvise_v2(memory, SIZE, wanted, None)


def test_prefetching(cuda, memory):
    stream = ok(cuda.driver.cuStreamCreate(0))
    ok(cuda.driver.cuMemPrefetchAsync(memory, SIZE, 0, stream))
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert ok(ask(cuda, "LAST_PREFETCH_LOCATION", memory)) == 0
    ok(cuda.driver.cuMemPrefetchAsync_v2(memory, SIZE, place(cuda, "HOST"), 0, stream))
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert ok(ask(cuda, "LAST_PREFETCH_LOCATION", memory)) == HOST
    assert ok(ask(cuda, "LAST_PREFETCH_LOCATION_TYPE", memory)) == 2
    ok(cuda.driver.cuStreamDestroy(stream))


def test_what_cannot_be_prefetched(cuda, memory):
    device_memory = ok(cuda.driver.cuMemAlloc(4096))
    failed(cuda.driver.cuMemPrefetchAsync(device_memory, 4096, 0, 0), "CUDA_ERROR_INVALID_VALUE")
    failed(cuda.driver.cuMemPrefetchAsync(memory, 0, 0, 0), "CUDA_ERROR_INVALID_VALUE")
    failed(cuda.driver.cuMemPrefetchAsync(memory, SIZE, 9, 0), "CUDA_ERROR_INVALID_DEVICE")
    failed(cuda.driver.cuMemPrefetchAsync_v2(memory, SIZE, place(cuda, "DEVICE"), 1, 0), "CUDA_ERROR_INVALID_VALUE")
    failed(cuda.driver.cuMemAdvise(device_memory, 4096, advice(cuda, "SET_READ_MOSTLY"), 0), "CUDA_ERROR_INVALID_VALUE")
    ok(cuda.driver.cuMemFree(device_memory))


@pytest.mark.parametrize("name, size", [("READ_MOSTLY", 8), ("ACCESSED_BY", 6), ("ACCESSED_BY", 0)])
def test_a_size_that_does_not_fit_the_attribute_is_an_error(cuda, memory, name, size):
    failed(ask(cuda, name, memory, size), "CUDA_ERROR_INVALID_VALUE", 1)


def test_a_size_that_nobody_has_is_refused_at_once(cuda, memory):
    """A list of that many devices would take gigabytes; an attribute that is a number is read without a list."""
    failed(ask(cuda, "READ_MOSTLY", memory, 1 << 40), "CUDA_ERROR_INVALID_VALUE", 1)
    with raising(MemoryError, "no memory for the numbers of 274877906944 devices"):
        ask(cuda, "ACCESSED_BY", memory, 1 << 40)


def test_several_attributes_at_once(cuda, memory):
    kinds = cuda.driver.CUmem_range_attribute
    wanted = [kinds.CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, kinds.CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY]
    assert ok(cuda.driver.cuMemRangeGetAttributes([4, 8], wanted, 2, memory, SIZE)) == [0, [NOWHERE, NOWHERE]]
    with raising(RuntimeError, "List is too small: 1 < 2"):
        cuda.driver.cuMemRangeGetAttributes([4], wanted, 2, memory, SIZE)
    with raising(TypeError, not_a_list("dataSizes", "int")):
        cuda.driver.cuMemRangeGetAttributes([4.0, 8], wanted, 2, memory, SIZE)


def test_the_runtimes_calls_are_the_same(cuda):
    memory, runtime = ok(cuda.runtime.cudaMallocManaged(SIZE, 1)), cuda.runtime
    ok(runtime.cudaMemAdvise(memory, SIZE, runtime.cudaMemoryAdvise.cudaMemAdviseSetPreferredLocation, 0))
    kinds = runtime.cudaMemRangeAttribute
    assert ok(runtime.cudaMemRangeGetAttribute(4, kinds.cudaMemRangeAttributePreferredLocation, memory, SIZE)) == 0
    assert ok(runtime.cudaMemRangeGetAttribute(4, kinds.cudaMemRangeAttributePreferredLocationType, memory, SIZE)) == 1
    assert ok(runtime.cudaMemRangeGetAttribute(8, kinds.cudaMemRangeAttributeAccessedBy, memory, SIZE)) == [NOWHERE] * 2
    ok(runtime.cudaMemPrefetchAsync(memory, SIZE, HOST, 0))
    ok(runtime.cudaFree(memory))
