"""Attributes of pointers: a value of each attribute's own type, for memory of every kind."""

import numpy as np
import pytest

from tests.adapters.answers import failed, not_a_list, ok, raising

SIZE = 4096


@pytest.fixture(scope="module")
def memory(cuda):
    """Addresses of memory of every kind."""
    driver, registered = cuda.driver, np.zeros(2 * SIZE, np.uint8)
    stream = ok(driver.cuStreamCreate(0))
    kinds = {
        "device": ok(driver.cuMemAlloc(SIZE)),
        "host": driver.CUdeviceptr(ok(driver.cuMemHostAlloc(SIZE, 0))),
        "managed": ok(driver.cuMemAllocManaged(SIZE, 1)),
        "pool": ok(driver.cuMemAllocAsync(SIZE, stream)),
    }
    ok(driver.cuStreamSynchronize(stream))
    ok(driver.cuMemHostRegister(registered, SIZE, 0))
    yield {**{kind: int(pointer) for kind, pointer in kinds.items()}, "registered": registered.ctypes.data}
    ok(driver.cuMemHostUnregister(registered))
    ok(driver.cuMemFreeHost(int(kinds.pop("host"))))
    for pointer in kinds.values():
        ok(driver.cuMemFree(pointer))
    ok(driver.cuStreamDestroy(stream))


def ask(cuda, name, pointer):
    return cuda.driver.cuPointerGetAttribute(
        getattr(cuda.driver.CUpointer_attribute, f"CU_POINTER_ATTRIBUTE_{name}"), pointer
    )


@pytest.mark.parametrize("kind, expected", [
    ("device", 2), ("pool", 2), ("managed", 2), ("host", 1), ("registered", 1),
])  # fmt: skip
def test_memory_types_are_cudas_numbers(cuda, memory, kind, expected):
    value = ok(ask(cuda, "MEMORY_TYPE", memory[kind] + 8))
    assert (type(value), value) == (int, expected)


@pytest.mark.parametrize("kind", ["device", "host", "managed", "pool", "registered"])
def test_every_kind_has_a_range_a_device_and_a_device_pointer(cuda, memory, kind):
    start = ok(ask(cuda, "RANGE_START_ADDR", memory[kind] + 64))
    assert (type(start), int(start)) == (cuda.driver.CUdeviceptr, memory[kind])
    pointer = ok(ask(cuda, "DEVICE_POINTER", memory[kind] + 64))
    assert (type(pointer), int(pointer)) == (cuda.driver.CUdeviceptr, memory[kind] + 64)
    assert ok(ask(cuda, "RANGE_SIZE", memory[kind])) == SIZE
    assert ok(ask(cuda, "DEVICE_ORDINAL", memory[kind])) == 0
    assert ok(ask(cuda, "ACCESS_FLAGS", memory[kind])) == 3
    assert ok(ask(cuda, "MAPPED", memory[kind])) is True
    assert ok(ask(cuda, "IS_MANAGED", memory[kind])) is (kind == "managed")
    assert ok(ask(cuda, "BUFFER_ID", memory[kind])) > 0


def test_handles_are_of_their_classes(cuda, memory):
    assert type(ok(ask(cuda, "CONTEXT", memory["device"]))) is cuda.driver.CUcontext
    assert ok(ask(cuda, "MEMPOOL_HANDLE", memory["pool"])) == ok(cuda.driver.cuDeviceGetMemPool(0))
    assert int(ok(ask(cuda, "MEMPOOL_HANDLE", memory["device"]))) == 0


def test_host_pointers_exist_for_memory_that_the_host_reaches(cuda, memory):
    for kind in ("host", "managed", "registered"):
        value = ok(ask(cuda, "HOST_POINTER", memory[kind] + 8))
        assert (type(value), value) == (int, memory[kind] + 8)
    failed(ask(cuda, "HOST_POINTER", memory["device"]), "CUDA_ERROR_INVALID_VALUE", 1)


@pytest.mark.parametrize("pointer", [0, 5, None])
def test_unknown_pointers_have_no_attributes(cuda, pointer):
    failed(ask(cuda, "MEMORY_TYPE", pointer), "CUDA_ERROR_INVALID_VALUE", 1)


def test_several_attributes_at_once(cuda, memory):
    kinds = cuda.driver.CUpointer_attribute
    wanted = [
        kinds.CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        kinds.CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        kinds.CU_POINTER_ATTRIBUTE_IS_MANAGED,
    ]
    kind, pointer, managed = ok(cuda.driver.cuPointerGetAttributes(3, wanted, memory["managed"]))
    assert (kind, int(pointer), managed) == (2, memory["managed"], True)
    assert ok(cuda.driver.cuPointerGetAttributes(1, wanted, memory["managed"]))[0] == 2
    failed(cuda.driver.cuPointerGetAttributes(0, [], memory["managed"]), "CUDA_ERROR_INVALID_VALUE", 1)


def test_several_attributes_of_an_unknown_pointer_are_zeros(cuda):
    kinds = cuda.driver.CUpointer_attribute
    names = ("CONTEXT", "MEMORY_TYPE", "DEVICE_POINTER", "DEVICE_ORDINAL", "IS_MANAGED", "RANGE_SIZE")
    wanted = [getattr(kinds, f"CU_POINTER_ATTRIBUTE_{name}") for name in names]
    context, kind, pointer, device, managed, size = ok(cuda.driver.cuPointerGetAttributes(len(wanted), wanted, 5))
    assert (int(context), kind, int(pointer), device, managed, size) == (0, 0, 0, -2, False, 0)


def test_the_list_of_attributes_is_checked(cuda, memory):
    kinds = cuda.driver.CUpointer_attribute
    with raising(RuntimeError, "List is too small: 1 < 2"):
        cuda.driver.cuPointerGetAttributes(2, [kinds.CU_POINTER_ATTRIBUTE_MAPPED], memory["device"])
    with raising(TypeError, not_a_list("attributes", "cydriver.CUpointer_attribute")):
        cuda.driver.cuPointerGetAttributes(1, [2], memory["device"])
    with raising(AttributeError, "'int' object has no attribute 'value'"):
        cuda.driver.cuPointerGetAttribute(2, memory["device"])
    with raising(TypeError, "Argument 'attribute' must not be None"):
        cuda.driver.cuPointerGetAttribute(None, memory["device"])


def test_one_attribute_can_be_set(cuda, memory):
    kinds = cuda.driver.CUpointer_attribute
    assert ok(ask(cuda, "SYNC_MEMOPS", memory["device"])) is False
    ok(cuda.driver.cuPointerSetAttribute(True, kinds.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory["device"]))
    assert ok(ask(cuda, "SYNC_MEMOPS", memory["device"])) is True
    failed(
        cuda.driver.cuPointerSetAttribute(1, kinds.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory["device"]),
        "CUDA_ERROR_INVALID_VALUE",
    )


def test_an_attribute_that_hip_lacks_is_not_supported(cuda, memory):
    failed(ask(cuda, "MAPPING_SIZE", memory["device"]), "CUDA_ERROR_NOT_SUPPORTED", 1)


@pytest.mark.parametrize("kind, expected, on_host", [
    ("device", "Device", False), ("pool", "Device", False), ("managed", "Managed", True), ("host", "Host", True),
    ("registered", "Host", True),
])  # fmt: skip
def test_the_runtime_describes_memory_by_a_struct(cuda, memory, kind, expected, on_host):
    found = ok(cuda.runtime.cudaPointerGetAttributes(memory[kind] + 8))
    assert found.type is getattr(cuda.runtime.cudaMemoryType, f"cudaMemoryType{expected}")
    assert (found.device, found.devicePointer) == (0, memory[kind] + 8)
    assert found.hostPointer == (memory[kind] + 8 if on_host else 0)


def test_the_runtime_describes_ordinary_memory_too(cuda):
    array = np.zeros(16, np.uint8)
    for given, address in ((array, array.ctypes.data), (0, 0), (None, 0)):
        found = ok(cuda.runtime.cudaPointerGetAttributes(given))
        assert found.type is cuda.runtime.cudaMemoryType.cudaMemoryTypeUnregistered
        assert (found.device, found.devicePointer, found.hostPointer) == (-2, 0, address)
    assert cuda.runtime.cudaGetLastError() == (0,)
