"""The forms that CUDA 11 had of calls of these domains: outputs are returned even where a call fails."""

from tests.adapters.answers import ok, raising

LAYOUT = "11.8"


def test_failed_calls_have_blank_outputs(cuda):
    driver = cuda.driver
    status, pointer = driver.cuMemAlloc(1 << 60)
    assert (status.name, type(pointer), int(pointer)) == ("CUDA_ERROR_OUT_OF_MEMORY", driver.CUdeviceptr, 0)
    assert driver.cuDeviceGetAttribute(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE, 99)[1] == 0
    kind = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE
    status, value = driver.cuPointerGetAttribute(kind, 5)
    assert (status.name, value) == ("CUDA_ERROR_INVALID_VALUE", 0)


def test_pointers_have_the_attributes_that_the_module_knew(cuda):
    kinds, pointer = cuda.driver.CUpointer_attribute, ok(cuda.driver.cuMemAlloc(64))
    assert cuda.driver.cuPointerGetAttribute(kinds.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer) == (0, 2)
    with raising(TypeError, "Unsupported attribute: CU_POINTER_ATTRIBUTE_MAPPING_SIZE"):
        cuda.driver.cuPointerGetAttribute(kinds.CU_POINTER_ATTRIBUTE_MAPPING_SIZE, pointer)
    ok(cuda.driver.cuMemFree(pointer))


def test_entry_points_are_found_or_an_error(cuda):
    assert len(cuda.driver.cuGetProcAddress(b"cuInit", 11080, 0)) == 2
    assert ok(cuda.driver.cuGetProcAddress(b"cuInit", 11080, 0))
    for symbol, version, expected in ((b"nothing", 11080, "NOT_FOUND"), (b"cuInit", 12000, "INVALID_VALUE")):
        status, address = cuda.driver.cuGetProcAddress(symbol, version, 0)
        assert (status.name, address) == (f"CUDA_ERROR_{expected}", 0)
    assert cuda.runtime.cudaGetDriverEntryPoint(b"cuInit", 0)[1]
    assert cuda.runtime.cudaGetDriverEntryPoint(b"nothing", 0)[0].name == "cudaErrorSymbolNotFound"


def test_places_are_numbers(cuda):
    driver = cuda.driver
    pointer = ok(driver.cuMemAllocManaged(4096, 1))
    ok(driver.cuMemAdvise(pointer, 4096, driver.CUmem_advise.CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 0))
    kind = driver.CUmem_range_attribute.CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION
    assert driver.cuMemRangeGetAttribute(4, kind, pointer, 4096) == (0, 0)
    ok(driver.cuMemPrefetchAsync(pointer, 4096, 0, 0))
    ok(driver.cuCtxSynchronize())
    ok(driver.cuMemFree(pointer))
