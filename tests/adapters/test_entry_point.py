"""Addresses of driver functions, and the calls that programs make through them."""

import ctypes

import pytest

from tests.adapters.answers import failed, ok, raising


def found(cuda, name, version=12000, flags=0):
    address, status = ok(cuda.driver.cuGetProcAddress(name, version, flags))
    assert type(status) is cuda.driver.CUdriverProcAddressQueryResult
    return address, status.name.removeprefix("CU_GET_PROC_ADDRESS_")


@pytest.mark.parametrize("flags", [0, 1, 2])
@pytest.mark.parametrize("name", [b"cuInit", b"cuMemAlloc", b"cuLaunchKernel", b"cuStreamSynchronize"])
def test_functions_that_are_the_same_in_c_have_addresses(cuda, name, flags):
    address, status = found(cuda, name, flags=flags)
    assert (type(address), status) == (int, "SUCCESS")
    assert address


def test_an_address_can_be_called(cuda):
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
    pointer = ctypes.c_void_p()
    assert kind(found(cuda, b"cuMemAlloc")[0])(ctypes.byref(pointer), 64) == 0
    ok(cuda.driver.cuMemsetD32(pointer.value, 0xABCDEF01, 16))
    free = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(found(cuda, b"cuMemFree")[0])
    assert free(pointer) == 0


@pytest.mark.parametrize("name", [b"cuNoSuchThing", b"cudaMalloc", b"", b"cuMemAlloc_v2"])
def test_what_is_no_function_of_the_driver(cuda, name):
    assert found(cuda, name) == (0, "SYMBOL_NOT_FOUND")


@pytest.mark.parametrize("name", [b"cuPointerGetAttribute", b"cuDeviceGetAttribute", b"cuModuleLoadDataEx"])
def test_functions_that_hip_numbers_differently_have_no_address(cuda, name):
    assert found(cuda, name) == (0, "SYMBOL_NOT_FOUND")


@pytest.mark.parametrize("version, flags", [(99000, 0), (12000, 99)])
def test_versions_that_do_not_exist_and_unknown_flags_are_errors(cuda, version, flags):
    failed(cuda.driver.cuGetProcAddress(b"cuInit", version, flags), "CUDA_ERROR_INVALID_VALUE", 2)


@pytest.mark.parametrize(
    "name, version, status",
    [
        (b"cuGraphAddNode", 2000, "VERSION_NOT_SUFFICIENT"),
        (b"cuLibraryLoadData", 11080, "VERSION_NOT_SUFFICIENT"),
        (b"cuStreamGetId", 12000, "SUCCESS"),
        (b"cuNoSuchThing", 2000, "SYMBOL_NOT_FOUND"),
        (b"cuInit", 2000, "SUCCESS"),
    ],
)
def test_functions_are_not_found_for_versions_before_they_came(cuda, name, version, status):
    assert found(cuda, name, version)[1] == status
    kinds = cuda.runtime.cudaDriverEntryPointQueryResult
    _, by_version = ok(cuda.runtime.cudaGetDriverEntryPointByVersion(name, version, 0))
    number = cuda.driver.CUdriverProcAddressQueryResult.__members__[f"CU_GET_PROC_ADDRESS_{status}"]
    assert by_version is kinds(int(number))


@pytest.mark.parametrize("wrong, kind", [("cuInit", "str"), (None, "NoneType")])
def test_a_name_is_bytes(cuda, wrong, kind):
    with raising(TypeError, f"expected bytes, {kind} found"):
        cuda.driver.cuGetProcAddress(wrong, 12000, 0)


def test_the_runtime_finds_the_same(cuda):
    kinds = cuda.runtime.cudaDriverEntryPointQueryResult
    expected = [found(cuda, b"cuInit")[0], kinds.cudaDriverEntryPointSuccess]
    assert ok(cuda.runtime.cudaGetDriverEntryPoint(b"cuInit", 0)) == expected
    assert ok(cuda.runtime.cudaGetDriverEntryPointByVersion(b"cuInit", 12000, 0)) == expected
    missing = [0, kinds.cudaDriverEntryPointSymbolNotFound]
    assert ok(cuda.runtime.cudaGetDriverEntryPoint(b"cudaMalloc", 0)) == missing
    assert ok(cuda.runtime.cudaGetDriverEntryPointByVersion(b"cuNoSuchThing", 12000, 0)) == missing
