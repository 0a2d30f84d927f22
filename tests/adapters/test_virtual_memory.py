"""Virtual memory: addresses, physical memory, access rights, and handles of it for other processes."""

import os

import numpy as np
import pytest

from tests.adapters.answers import failed, not_a, not_a_list, ok, raising


def properties(cuda):
    props = cuda.driver.CUmemAllocationProp()
    props.type = cuda.driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    props.location = location(cuda)
    props.requestedHandleTypes = handle_type(cuda, "POSIX_FILE_DESCRIPTOR")
    return props


def location(cuda):
    place = cuda.driver.CUmemLocation()
    place.type = cuda.driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    place.id = 0
    return place


def handle_type(cuda, name):
    return getattr(cuda.driver.CUmemAllocationHandleType, f"CU_MEM_HANDLE_TYPE_{name}")


def access(cuda):
    description = cuda.driver.CUmemAccessDesc()
    description.location = location(cuda)
    description.flags = cuda.driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    return description


def granularity_flag(cuda, name="MINIMUM"):
    return getattr(cuda.driver.CUmemAllocationGranularity_flags, f"CU_MEM_ALLOC_GRANULARITY_{name}")


@pytest.fixture(scope="module")
def size(cuda):
    return ok(cuda.driver.cuMemGetAllocationGranularity(properties(cuda), granularity_flag(cuda)))


@pytest.fixture
def memory(cuda, size):
    handle = ok(cuda.driver.cuMemCreate(size, properties(cuda), 0))
    yield handle
    ok(cuda.driver.cuMemRelease(handle))


@pytest.fixture
def addresses(cuda, size):
    """Two granules of addresses."""
    start = ok(cuda.driver.cuMemAddressReserve(2 * size, 0, 0, 0))
    yield start
    ok(cuda.driver.cuMemAddressFree(start, 2 * size))


@pytest.fixture
def mapped(cuda, size, memory, addresses):
    ok(cuda.driver.cuMemMap(addresses, size, 0, memory, 0))
    yield addresses
    ok(cuda.driver.cuMemUnmap(addresses, size))


def test_granules_are_powers_of_two(cuda, size):
    assert size & (size - 1) == 0
    assert (
        ok(cuda.driver.cuMemGetAllocationGranularity(properties(cuda), granularity_flag(cuda, "RECOMMENDED"))) >= size
    )
    failed(cuda.driver.cuMemGetAllocationGranularity(None, granularity_flag(cuda)), "CUDA_ERROR_INVALID_VALUE", 1)


def test_handles_and_addresses_are_of_their_classes(cuda, memory, addresses):
    assert type(memory) is cuda.driver.CUmemGenericAllocationHandle
    assert type(addresses) is cuda.driver.CUdeviceptr


@pytest.mark.parametrize("bytes_of", [lambda size: 0, lambda size: 16, lambda size: size + 16])
def test_memory_and_addresses_come_in_granules(cuda, size, bytes_of):
    failed(cuda.driver.cuMemCreate(bytes_of(size), properties(cuda), 0), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(cuda.driver.cuMemAddressReserve(bytes_of(size), 0, 0, 0), "CUDA_ERROR_INVALID_VALUE", 1)


def test_memory_needs_properties(cuda, size):
    failed(cuda.driver.cuMemCreate(size, None, 0), "CUDA_ERROR_INVALID_VALUE", 1)
    with raising(TypeError, not_a("driver.CUmemAllocationProp", "prop", "int")):
        cuda.driver.cuMemCreate(size, 5, 0)


def test_access_is_nobodys_until_it_is_set(cuda, size, mapped):
    none = ok(cuda.driver.cuMemGetAccess(location(cuda), mapped))
    assert (type(none), none) == (int, 0)
    for descriptions in ([access(cuda)], (access(cuda),)):
        ok(cuda.driver.cuMemSetAccess(mapped, size, descriptions, 1))
    assert ok(cuda.driver.cuMemGetAccess(location(cuda), mapped)) == 3


def test_an_access_list_is_checked(cuda, size, mapped):
    with raising(RuntimeError, "List is too small: 1 < 2"):
        cuda.driver.cuMemSetAccess(mapped, size, [access(cuda)], 2)
    with raising(TypeError, "'cuda.bindings.driver.CUmemAccessDesc' object is not iterable"):
        cuda.driver.cuMemSetAccess(mapped, size, access(cuda), 1)
    with raising(TypeError, not_a_list("desc", "cydriver.CUmemAccessDesc,")):
        cuda.driver.cuMemSetAccess(mapped, size, [3], 1)
    nobodies: tuple[list[object] | None, ...] = ([], None)
    for nobody in nobodies:
        failed(cuda.driver.cuMemSetAccess(mapped, size, nobody, 0), "CUDA_ERROR_INVALID_VALUE")


def test_access_of_what_is_not_mapped_is_an_error(cuda, size, mapped):
    failed(cuda.driver.cuMemSetAccess(int(mapped) + size, size, [access(cuda)], 1), "CUDA_ERROR_INVALID_VALUE")
    failed(cuda.driver.cuMemGetAccess(None, mapped), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(cuda.driver.cuMemGetAccess(location(cuda), 4096), "CUDA_ERROR_INVALID_VALUE", 1)


def test_mapped_memory_is_device_memory(cuda, size, mapped):
    ok(cuda.driver.cuMemSetAccess(mapped, size, [access(cuda)], 1))
    ok(cuda.driver.cuMemsetD32(mapped, 0xFFFFFFFF, 4))
    read = np.zeros(4, np.uint32)
    ok(cuda.driver.cuMemcpyDtoH(read, mapped, read.nbytes))
    assert list(read) == [0xFFFFFFFF] * 4


def test_the_handle_behind_an_address(cuda, memory, mapped):
    retained = ok(cuda.driver.cuMemRetainAllocationHandle(mapped))
    assert (type(retained), int(retained)) == (cuda.driver.CUmemGenericAllocationHandle, int(memory))
    ok(cuda.driver.cuMemRelease(retained))
    failed(cuda.driver.cuMemRetainAllocationHandle(4096), "CUDA_ERROR_INVALID_VALUE", 1)


def test_properties_of_a_handle(cuda, memory):
    found, given = ok(cuda.driver.cuMemGetAllocationPropertiesFromHandle(memory)), properties(cuda)
    assert type(found) is cuda.driver.CUmemAllocationProp
    assert (found.type, found.requestedHandleTypes) == (given.type, given.requestedHandleTypes)
    assert (found.location.type, found.location.id) == (given.location.type, 0)


def test_a_file_descriptor_travels_as_an_int(cuda, size, memory, mapped, addresses):
    kind = handle_type(cuda, "POSIX_FILE_DESCRIPTOR")
    descriptor = ok(cuda.driver.cuMemExportToShareableHandle(memory, kind, 0))
    assert type(descriptor) is int
    assert os.fstat(descriptor)
    same = ok(cuda.driver.cuMemImportFromShareableHandle(descriptor, kind))
    os.close(descriptor)
    assert type(same) is cuda.driver.CUmemGenericAllocationHandle
    other = int(addresses) + size
    ok(cuda.driver.cuMemMap(other, size, 0, same, 0))
    ok(cuda.driver.cuMemSetAccess(addresses, 2 * size, [access(cuda)], 1))
    ok(cuda.driver.cuMemsetD8(mapped, 7, 16))
    read = np.zeros(16, np.uint8)
    ok(cuda.driver.cuMemcpyDtoH(read, other, 16))
    assert list(read) == [7] * 16
    ok(cuda.driver.cuMemUnmap(other, size))
    ok(cuda.driver.cuMemRelease(same))


def test_a_pointer_knows_what_its_memory_can_be_exported_as(cuda, mapped):
    name = cuda.driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES
    assert ok(cuda.driver.cuPointerGetAttribute(name, mapped)) == int(handle_type(cuda, "POSIX_FILE_DESCRIPTOR"))
    plain = ok(cuda.driver.cuMemAlloc(64))
    assert ok(cuda.driver.cuPointerGetAttribute(name, plain)) == int(handle_type(cuda, "NONE"))
    ok(cuda.driver.cuMemFree(plain))


@pytest.mark.parametrize("kind", ["NONE", "WIN32"])
def test_handles_of_kinds_that_were_not_asked_for_are_an_error(cuda, memory, kind):
    failed(cuda.driver.cuMemExportToShareableHandle(memory, handle_type(cuda, kind), 0), "CUDA_ERROR_INVALID_VALUE", 1)


def test_kinds_of_handles_are_constants(cuda, memory):
    with raising(TypeError, "Argument 'handleType' must not be None"):
        cuda.driver.cuMemExportToShareableHandle(memory, None, 0)
    with raising(TypeError, "Unsupported attribute: CU_MEM_HANDLE_TYPE_MAX"):
        cuda.driver.cuMemExportToShareableHandle(memory, handle_type(cuda, "MAX"), 0)


def test_part_of_a_mapping_or_of_addresses_cannot_be_given_back(cuda, size, mapped):
    failed(cuda.driver.cuMemUnmap(mapped, 100), "CUDA_ERROR_INVALID_VALUE")
    failed(cuda.driver.cuMemAddressFree(mapped, size), "CUDA_ERROR_INVALID_VALUE")
