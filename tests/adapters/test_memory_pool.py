"""Memory pools: typed attributes, access lists, allocations in stream order; and the memory of graphs."""

import pytest

from tests.adapters.answers import failed, not_a_list, ok, raising


@pytest.fixture
def pool(cuda):
    made = ok(cuda.driver.cuMemPoolCreate(properties(cuda)))
    yield made
    ok(cuda.driver.cuMemPoolDestroy(made))


def properties(cuda):
    props = cuda.driver.CUmemPoolProps()
    props.allocType = cuda.driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    props.location = location(cuda)
    return props


def location(cuda):
    place = cuda.driver.CUmemLocation()
    place.type = cuda.driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    place.id = 0
    return place


def access(cuda):
    description = cuda.driver.CUmemAccessDesc()
    description.location = location(cuda)
    description.flags = cuda.driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    return description


def attribute(cuda, name):
    return getattr(cuda.driver.CUmemPool_attribute, f"CU_MEMPOOL_ATTR_{name}")


@pytest.mark.parametrize("name", [
    "REUSE_FOLLOW_EVENT_DEPENDENCIES", "REUSE_ALLOW_OPPORTUNISTIC", "REUSE_ALLOW_INTERNAL_DEPENDENCIES",
])  # fmt: skip
def test_switches_are_ints(cuda, pool, name):
    switch = attribute(cuda, name)
    assert cuda.driver.cuMemPoolGetAttribute(pool, switch) == (0, 1)
    ok(cuda.driver.cuMemPoolSetAttribute(pool, switch, 0))
    value = ok(cuda.driver.cuMemPoolGetAttribute(pool, switch))
    assert (type(value), value) == (int, 0)
    ok(cuda.driver.cuMemPoolSetAttribute(pool, switch, True))
    assert ok(cuda.driver.cuMemPoolGetAttribute(pool, switch)) == 1


def test_bytes_are_cuuint64(cuda, pool):
    threshold = attribute(cuda, "RELEASE_THRESHOLD")
    ok(cuda.driver.cuMemPoolSetAttribute(pool, threshold, cuda.driver.cuuint64_t((1 << 64) - 1)))
    value = ok(cuda.driver.cuMemPoolGetAttribute(pool, threshold))
    assert (type(value), int(value)) == (cuda.driver.cuuint64_t, (1 << 64) - 1)
    with raising(AttributeError, "'int' object has no attribute 'getPtr'"):
        cuda.driver.cuMemPoolSetAttribute(pool, threshold, 5)


def test_what_is_used_is_counted(cuda, pool):
    stream = ok(cuda.driver.cuStreamCreate(0))
    pointer = ok(cuda.driver.cuMemAllocFromPoolAsync(4096, pool, stream))
    assert type(pointer) is cuda.driver.CUdeviceptr
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert int(ok(cuda.driver.cuMemPoolGetAttribute(pool, attribute(cuda, "USED_MEM_CURRENT")))) == 4096
    ok(cuda.driver.cuMemFreeAsync(pointer, stream))
    ok(cuda.driver.cuStreamSynchronize(stream))
    assert int(ok(cuda.driver.cuMemPoolGetAttribute(pool, attribute(cuda, "USED_MEM_CURRENT")))) == 0
    high = attribute(cuda, "USED_MEM_HIGH")
    assert int(ok(cuda.driver.cuMemPoolGetAttribute(pool, high))) == 4096
    failed(cuda.driver.cuMemPoolSetAttribute(pool, high, cuda.driver.cuuint64_t(7)), "CUDA_ERROR_INVALID_VALUE")
    ok(cuda.driver.cuMemPoolSetAttribute(pool, high, cuda.driver.cuuint64_t(0)))
    assert int(ok(cuda.driver.cuMemPoolGetAttribute(pool, high))) == 0
    ok(cuda.driver.cuMemPoolTrimTo(pool, 0))
    ok(cuda.driver.cuStreamDestroy(stream))


@pytest.mark.parametrize("wrong, error, text", [
    (4, AttributeError, "'int' object has no attribute 'value'"),
    (None, TypeError, "Argument 'attr' must not be None"),
])  # fmt: skip
def test_an_attribute_is_a_constant(cuda, pool, wrong, error, text):
    with raising(error, f"{text}"):
        cuda.driver.cuMemPoolGetAttribute(pool, wrong)


def test_the_runtimes_attributes_are_the_same(cuda):
    pool = ok(cuda.runtime.cudaDeviceGetDefaultMemPool(0))
    names = cuda.runtime.cudaMemPoolAttr
    assert type(pool) is cuda.runtime.cudaMemPool_t
    assert ok(cuda.runtime.cudaMemPoolGetAttribute(pool, names.cudaMemPoolReuseAllowOpportunistic)) == 1
    ok(cuda.runtime.cudaMemPoolSetAttribute(pool, names.cudaMemPoolAttrReleaseThreshold, cuda.driver.cuuint64_t(64)))
    value = ok(cuda.runtime.cudaMemPoolGetAttribute(pool, names.cudaMemPoolAttrReleaseThreshold))
    assert (type(value), int(value)) == (cuda.driver.cuuint64_t, 64)
    ok(cuda.runtime.cudaMemPoolSetAttribute(pool, names.cudaMemPoolAttrReleaseThreshold, cuda.driver.cuuint64_t(0)))


def test_access_is_granted_by_a_list(cuda, pool):
    ok(cuda.driver.cuMemPoolSetAccess(pool, [access(cuda)], 1))
    ok(cuda.driver.cuMemPoolSetAccess(pool, (access(cuda), access(cuda)), 2))
    granted = ok(cuda.driver.cuMemPoolGetAccess(pool, location(cuda)))
    assert granted is cuda.driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE


def test_an_access_list_is_checked(cuda, pool):
    with raising(RuntimeError, "List is too small: 1 < 2"):
        cuda.driver.cuMemPoolSetAccess(pool, [access(cuda)], 2)
    with raising(TypeError, not_a_list("map", "cydriver.CUmemAccessDesc,")):
        cuda.driver.cuMemPoolSetAccess(pool, [1], 1)
    with raising(TypeError, "'cuda.bindings.driver.CUmemAccessDesc' object is not iterable"):
        cuda.driver.cuMemPoolSetAccess(pool, access(cuda), 1)


def test_access_of_nowhere_is_an_error_and_no_made_up_constant(cuda, pool):
    failed(cuda.driver.cuMemPoolGetAccess(pool, None), "CUDA_ERROR_INVALID_VALUE", 1)


def test_a_pool_needs_properties(cuda):
    failed(cuda.driver.cuMemPoolCreate(None), "CUDA_ERROR_INVALID_VALUE", 1)
    failed(cuda.driver.cuMemPoolCreate(cuda.driver.CUmemPoolProps()), "CUDA_ERROR_INVALID_VALUE", 1)


def test_the_pool_of_a_device_can_be_replaced(cuda, pool):
    default = ok(cuda.driver.cuDeviceGetDefaultMemPool(0))
    assert ok(cuda.driver.cuDeviceGetMemPool(0)) == default
    ok(cuda.driver.cuDeviceSetMemPool(0, pool))
    assert ok(cuda.driver.cuDeviceGetMemPool(0)) == pool
    ok(cuda.driver.cuDeviceSetMemPool(0, default))
    failed(cuda.driver.cuMemPoolDestroy(default), "CUDA_ERROR_INVALID_VALUE")


def test_freeing_nothing_in_stream_order_is_fine(cuda):
    ok(cuda.driver.cuMemFreeAsync(0, 0))
    ok(cuda.runtime.cudaFreeAsync(None, 0))
    failed(cuda.driver.cuMemFreeAsync(5, 0), "CUDA_ERROR_INVALID_VALUE")
    assert int(ok(cuda.driver.cuMemAllocAsync(0, 0))) == 0


@pytest.mark.parametrize("kind", ["USED", "RESERVED"])
def test_the_memory_of_graphs(cuda, kind):
    current = getattr(cuda.driver.CUgraphMem_attribute, f"CU_GRAPH_MEM_ATTR_{kind}_MEM_CURRENT")
    high = getattr(cuda.driver.CUgraphMem_attribute, f"CU_GRAPH_MEM_ATTR_{kind}_MEM_HIGH")
    zero = cuda.driver.cuuint64_t(0)
    for each in (current, high):
        assert type(ok(cuda.driver.cuDeviceGetGraphMemAttribute(0, each))) is cuda.driver.cuuint64_t
    ok(cuda.driver.cuDeviceSetGraphMemAttribute(0, high, zero))
    failed(cuda.driver.cuDeviceSetGraphMemAttribute(0, current, zero), "CUDA_ERROR_INVALID_VALUE")
    with raising(AttributeError, "'int' object has no attribute 'getPtr'"):
        cuda.driver.cuDeviceSetGraphMemAttribute(0, high, 0)


def test_the_runtimes_graph_memory_is_the_same(cuda):
    used = cuda.runtime.cudaGraphMemAttributeType.cudaGraphMemAttrUsedMemHigh
    assert type(ok(cuda.runtime.cudaDeviceGetGraphMemAttribute(0, used))) is cuda.driver.cuuint64_t
    ok(cuda.runtime.cudaDeviceSetGraphMemAttribute(0, used, cuda.driver.cuuint64_t(0)))
