"""Allocation, freeing, registration and attributes of pointers."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.hip_on_host.hip_program import check, name, pointer_attributes

HUGE = 1 << 60


def free_bytes(hip):
    return check(hip.hipMemGetInfo())[0]


@pytest.mark.parametrize("size", [1, 255, 256, 4096, (1 << 20) - 1, 1 << 20, (3 << 20) + 5])
def test_allocations_are_aligned_and_counted(hip, size):
    before = free_bytes(hip)
    pointer = check(hip.hipMalloc(size))
    assert int(pointer) % 256 == 0
    assert before - free_bytes(hip) >= size
    check(hip.hipMemset(pointer, 0x5A, size))
    out = np.zeros(size, np.uint8)
    check(hip.hipMemcpy(out, pointer, size, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
    assert (out == 0x5A).all()
    check(hip.hipFree(pointer))
    assert free_bytes(hip) == before


def test_nothing_of_zero_bytes(hip):
    pointer = check(hip.hipMalloc(0))
    assert pointer is None or int(pointer) == 0
    check(hip.hipFree(pointer))
    check(hip.hipFree(None))
    check(hip.hipHostFree(None))


def test_more_than_the_machine_has(hip):
    assert name(hip.hipMalloc(HUGE)) == "hipErrorOutOfMemory"
    assert name(hip.hipMalloc(check(hip.hipMemGetInfo())[1] + 1)) == "hipErrorOutOfMemory"
    check(hip.hipFree(check(hip.hipMalloc(16))))


def test_freeing_what_is_not_allocated(hip):
    pointer = int(check(hip.hipMalloc(1024)))
    assert name(hip.hipFree(pointer + 8)) == "hipErrorInvalidValue"
    check(hip.hipFree(pointer))
    assert name(hip.hipFree(pointer)) == "hipErrorInvalidValue"
    mine = np.zeros(4)
    assert name(hip.hipFree(mine.ctypes.data)) == "hipErrorInvalidValue"


def test_freeing_by_the_wrong_function(hip):
    device = int(check(hip.hipMalloc(64)))
    host = int(check(hip.hipHostMalloc(64, 0)))
    assert name(hip.hipHostFree(device)) == "hipErrorInvalidValue"
    assert name(hip.hipFree(host)) == "hipErrorInvalidValue"
    check(hip.hipFree(device))
    check(hip.hipHostFree(host))


def test_pointer_attributes_by_kind(hip):
    kinds = hip.hipMemoryType
    device = int(check(hip.hipMalloc(64)))
    host = int(check(hip.hipHostMalloc(64, hip.hipHostMallocPortable)))
    managed = int(check(hip.hipMallocManaged(64, hip.hipMemAttachGlobal)))
    mine = np.zeros(8)
    for pointer, kind in (
        (device, kinds.hipMemoryTypeDevice),
        (host, kinds.hipMemoryTypeHost),
        (managed, kinds.hipMemoryTypeManaged),
        (mine.ctypes.data, kinds.hipMemoryTypeUnregistered),
    ):
        found = check(pointer_attributes(hip, pointer))
        assert found.type == kind
        assert bool(found.isManaged) == (kind == kinds.hipMemoryTypeManaged)
        known = kind != kinds.hipMemoryTypeUnregistered
        assert int(found.devicePointer or 0) == (pointer if known else 0)
        assert found.device == (0 if known else hip.hipInvalidDeviceId)
    check(hip.hipFree(device))
    check(hip.hipHostFree(host))
    check(hip.hipFree(managed))
    assert check(pointer_attributes(hip, device)).type == kinds.hipMemoryTypeUnregistered


def test_ranges(library, hip):
    pointer = int(check(hip.hipMalloc(1000)))
    base, size = ctypes.c_void_p(), ctypes.c_size_t()
    inside = ctypes.c_void_p(pointer + 999)
    assert library.hipMemGetAddressRange(ctypes.byref(base), ctypes.byref(size), inside) == 0
    assert (base.value, size.value) == (pointer, 1000)
    past = ctypes.c_void_p(pointer + 1000)
    assert library.hipMemGetAddressRange(ctypes.byref(base), ctypes.byref(size), past) == 500
    assert library.hipMemPtrGetInfo(inside, ctypes.byref(size)) == 0
    assert size.value == 1000
    check(hip.hipFree(pointer))
    assert library.hipMemPtrGetInfo(inside, ctypes.byref(size)) == 1


def test_single_pointer_attributes(library, hip):
    first = int(check(hip.hipMalloc(100)))
    second = int(check(hip.hipMalloc(100)))
    which = hip.hipPointer_attribute

    def ask(attribute, pointer, kind=ctypes.c_ulonglong):
        value = kind()
        status = library.hipPointerGetAttribute(ctypes.byref(value), int(attribute), ctypes.c_void_p(pointer))
        return status, value.value

    assert ask(which.HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, first + 50) == (0, first)
    assert ask(which.HIP_POINTER_ATTRIBUTE_RANGE_SIZE, first) == (0, 100)
    assert ask(which.HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, first + 7) == (0, first + 7)
    assert ask(which.HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, first, ctypes.c_int) == (0, 0)
    assert ask(which.HIP_POINTER_ATTRIBUTE_IS_MANAGED, first, ctypes.c_bool) == (0, False)
    assert ask(which.HIP_POINTER_ATTRIBUTE_HOST_POINTER, first)[0] == 1
    ids = {ask(which.HIP_POINTER_ATTRIBUTE_BUFFER_ID, pointer)[1] for pointer in (first, second)}
    assert len(ids) == 2
    assert ask(which.HIP_POINTER_ATTRIBUTE_RANGE_SIZE, 4096)[0] == 1
    check(hip.hipFree(first))
    check(hip.hipFree(second))


def test_pitched_memory(hip):
    pointer, pitch = check(hip.hipMallocPitch(100, 7))
    assert pitch % 256 == 0
    assert pitch >= 100
    check(hip.hipMemset2D(pointer, pitch, 1, 100, 7))
    assert name(hip.hipMemset2D(pointer, pitch, 1, 100, 8)) == "hipErrorInvalidValue"
    check(hip.hipFree(pointer))
    nothing, pitch = check(hip.hipMallocPitch(0, 7))
    assert nothing is None or int(nothing) == 0
    assert name(hip.hipMallocPitch(1 << 40, 1 << 40)) == "hipErrorOutOfMemory"
    assert name(hip.hipMallocPitch((1 << 64) - 1, 1)) == "hipErrorOutOfMemory"


def test_host_memory(hip):
    flags = hip.hipHostMallocPortable | hip.hipHostMallocMapped
    pointer = int(check(hip.hipHostMalloc(4096, flags)))
    assert check(hip.hipHostGetFlags(pointer)) == flags
    assert int(check(hip.hipHostGetDevicePointer(pointer, 0))) == pointer
    assert name(hip.hipHostGetDevicePointer(pointer, 1)) == "hipErrorInvalidValue"
    (ctypes.c_char * 4096).from_address(pointer)[4095] = b"x"
    check(hip.hipHostFree(pointer))
    assert name(hip.hipHostGetFlags(pointer)) == "hipErrorInvalidValue"
    assert name(hip.hipHostMalloc(16, 0x40)) == "hipErrorInvalidValue"


def test_registered_memory(hip):
    mine = np.zeros(1 << 16, np.uint8)
    address = mine.ctypes.data
    check(hip.hipHostRegister(address, mine.nbytes, 0))
    assert name(hip.hipHostRegister(address, mine.nbytes, 0)) == "hipErrorHostMemoryAlreadyRegistered"
    assert name(hip.hipHostRegister(address + 100, 10, 0)) == "hipErrorHostMemoryAlreadyRegistered"
    assert int(check(hip.hipHostGetDevicePointer(address + 5, 0))) == address + 5
    assert check(pointer_attributes(hip, address)).type == hip.hipMemoryType.hipMemoryTypeHost
    assert name(hip.hipHostUnregister(address + 1)) == "hipErrorInvalidValue"
    check(hip.hipHostUnregister(address))
    assert name(hip.hipHostUnregister(address)) == "hipErrorHostMemoryNotRegistered"
    assert name(hip.hipHostRegister(address, 0, 0)) == "hipErrorInvalidValue"
    assert name(hip.hipHostRegister(8, 4096, 0)) == "hipErrorInvalidValue"


def test_managed_memory_is_one_memory(hip):
    pointer = int(check(hip.hipMallocManaged(16, hip.hipMemAttachGlobal)))
    check(hip.hipMemsetD32(pointer, 7, 4))
    check(hip.hipDeviceSynchronize())
    assert list((ctypes.c_int * 4).from_address(pointer)) == [7] * 4
    check(hip.hipFree(pointer))
    assert name(hip.hipMallocManaged(16, 0)) == "hipErrorInvalidValue"
    assert name(hip.hipMallocManaged(16, hip.hipMemAttachSingle)) == "hipErrorInvalidValue"


def test_null_results_are_refused(library):
    assert library.hipMalloc(None, ctypes.c_size_t(16)) == 1
    assert library.hipHostMalloc(None, ctypes.c_size_t(16), 0) == 1
    assert library.hipMallocManaged(None, ctypes.c_size_t(16), 1) == 1


def test_device_reset_frees_everything(run_hip):
    out = run_hip("""
before = check(hip.hipMemGetInfo())[0]
pointer = int(check(hip.hipMalloc(1 << 22)))
check(hip.hipDeviceReset())
print(check(hip.hipMemGetInfo())[0] == before, name(hip.hipFree(pointer)))
""")
    assert out.split() == ["True", "hipErrorInvalidValue"]


def test_memory_of_many_threads(hip):
    import threading

    before = free_bytes(hip)
    problems = []

    def work():
        for size in range(1, 2000, 37):
            pointer = check(hip.hipMalloc(size))
            if name(hip.hipMemset(pointer, 1, size)) != "hipSuccess":
                problems.append(size)
            check(hip.hipFree(pointer))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert free_bytes(hip) == before


def test_unregistering_inside_of_a_registered_range(library):
    memory = (ctypes.c_char * 8192)()
    start = ctypes.addressof(memory)
    assert library.hipHostRegister(ctypes.c_void_p(start), ctypes.c_size_t(8192), 0) == 0
    assert library.hipHostUnregister(ctypes.c_void_p(start + 4096)) == 1
    assert library.hipHostUnregister(ctypes.c_void_p(start)) == 0
    assert library.hipHostUnregister(ctypes.c_void_p(start)) == 713
