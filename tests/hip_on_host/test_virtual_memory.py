"""Virtual memory management: reserving, mapping, protecting, sharing; and memory and events of other processes."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from tests.hip_on_host import hip_program

P, SIZE = ctypes.c_void_p, ctypes.c_size_t
SUCCESS, INVALID, NO_DEVICE, NOT_SUPPORTED = 0, 1, 101, 801
NONE, READ, READ_WRITE = 0, 1, 3
TO_DEVICE, TO_HOST, DEFAULT = 1, 2, 4


class Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class Props(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int), ("handle", ctypes.c_int), ("location", Location), ("meta", P),
        ("compression", ctypes.c_ubyte), ("rdma", ctypes.c_ubyte), ("usage", ctypes.c_ushort),
    ]  # fmt: skip


class Access(ctypes.Structure):
    _fields_ = [("location", Location), ("flags", ctypes.c_int)]


DEVICE = Location(1, 0)


class Virtual:
    def __init__(self, library):
        self.c = library
        self.props = Props(1, 1, DEVICE)
        size = SIZE()
        assert library.hipMemGetAllocationGranularity(ctypes.byref(size), ctypes.byref(self.props), 0) == SUCCESS
        self.unit = size.value

    def reserve(self, units, alignment=0):
        pointer = P()
        size = SIZE(units * self.unit)
        status = self.c.hipMemAddressReserve(ctypes.byref(pointer), size, SIZE(alignment), None, ctypes.c_ulonglong(0))
        assert status == SUCCESS
        return pointer.value

    def create(self, units):
        handle = P()
        size = SIZE(units * self.unit)
        assert self.c.hipMemCreate(ctypes.byref(handle), size, ctypes.byref(self.props), ctypes.c_ulonglong(0)) == 0
        return handle

    def map(self, address, units, handle, offset=0):
        zero = ctypes.c_ulonglong(0)
        return self.c.hipMemMap(P(address), SIZE(units * self.unit), SIZE(offset * self.unit), handle, zero)

    def unmap(self, address, units):
        return self.c.hipMemUnmap(P(address), SIZE(units * self.unit))

    def allow(self, address, units, flags):
        access = Access(DEVICE, flags)
        return self.c.hipMemSetAccess(P(address), SIZE(units * self.unit), ctypes.byref(access), SIZE(1))

    def free(self, address, units):
        return self.c.hipMemAddressFree(P(address), SIZE(units * self.unit))

    def release(self, handle):
        return self.c.hipMemRelease(handle)


@pytest.fixture
def virtual(library):
    return Virtual(library)


def test_the_whole_way(library, virtual):
    unit = virtual.unit
    address = virtual.reserve(4)
    handle = virtual.create(2)
    assert virtual.map(address, 2, handle) == SUCCESS
    source = np.random.default_rng(5).integers(0, 256, 2 * unit, np.uint8)
    data, size = P(source.ctypes.data), SIZE(2 * unit)
    assert library.hipMemcpy(P(address), data, size, TO_DEVICE) == INVALID  # no access yet
    assert virtual.allow(address, 2, READ_WRITE) == SUCCESS
    assert library.hipMemcpy(P(address), data, size, TO_DEVICE) == SUCCESS
    assert virtual.allow(address, 2, READ) == SUCCESS
    assert library.hipMemset(P(address), 0, size) == INVALID
    back = np.zeros_like(source)
    assert library.hipMemcpy(P(back.ctypes.data), P(address), size, TO_HOST) == SUCCESS
    assert np.array_equal(source, back)
    assert virtual.unmap(address, 2) == SUCCESS
    assert library.hipMemcpy(P(back.ctypes.data), P(address), size, TO_HOST) == INVALID
    # The memory outlives its mapping as long as the handle is held.
    assert virtual.map(address + 2 * unit, 2, handle) == SUCCESS
    assert virtual.allow(address + 2 * unit, 2, READ_WRITE) == SUCCESS
    assert library.hipMemcpy(P(back.ctypes.data), P(address + 2 * unit), size, TO_HOST) == SUCCESS
    assert np.array_equal(source, back)
    assert virtual.unmap(address + 2 * unit, 2) == SUCCESS
    assert virtual.release(handle) == SUCCESS
    assert virtual.release(handle) == INVALID
    assert virtual.free(address, 4) == SUCCESS
    assert virtual.free(address, 4) == INVALID


def test_a_buffer_that_grows(library, virtual):
    unit = virtual.unit
    address = virtual.reserve(8)
    handles = []
    for i in range(3):
        handles.append(virtual.create(1))
        assert virtual.map(address + i * unit, 1, handles[-1]) == SUCCESS
    assert virtual.allow(address, 3, READ_WRITE) == SUCCESS
    for handle in handles:
        assert virtual.release(handle) == SUCCESS  # mapped memory stays
    source = np.random.default_rng(6).integers(0, 256, 3 * unit, np.uint8)
    back = np.zeros_like(source)
    data, size = P(source.ctypes.data), SIZE(3 * unit)
    assert library.hipMemcpy(P(address), data, size, TO_DEVICE) == SUCCESS
    assert library.hipMemcpy(P(address), data, SIZE(3 * unit + 1), TO_DEVICE) == INVALID
    assert library.hipMemcpy(P(back.ctypes.data), P(address), size, TO_HOST) == SUCCESS
    assert np.array_equal(source, back)
    assert virtual.free(address, 8) == INVALID  # still mapped
    assert virtual.unmap(address, 3) == SUCCESS
    assert virtual.free(address, 8) == SUCCESS


def test_one_memory_at_two_addresses(library, virtual):
    address, handle = virtual.reserve(2), virtual.create(1)
    unit = virtual.unit
    assert virtual.map(address, 1, handle) == SUCCESS
    assert virtual.map(address, 1, handle) == INVALID
    assert virtual.map(address + unit, 1, handle) == SUCCESS
    assert virtual.allow(address, 2, READ_WRITE) == SUCCESS
    assert library.hipMemset(P(address), 9, SIZE(unit)) == SUCCESS
    assert library.hipDeviceSynchronize() == SUCCESS
    assert ctypes.c_ubyte.from_address(address + 2 * unit - 1).value == 9
    again = P()
    assert library.hipMemRetainAllocationHandle(ctypes.byref(again), P(address + unit + 7)) == SUCCESS
    assert again.value == handle.value
    for _ in range(2):
        assert virtual.release(handle) == SUCCESS
    assert virtual.unmap(address, 2) == SUCCESS
    assert virtual.free(address, 2) == SUCCESS


def test_access_can_be_asked_for(library, virtual):
    address, handle = virtual.reserve(1), virtual.create(1)
    assert virtual.map(address, 1, handle) == SUCCESS
    flags = ctypes.c_ulonglong(9)
    for wanted in (NONE, READ, READ_WRITE, NONE):
        if wanted or flags.value != 9:
            assert virtual.allow(address, 1, wanted) == SUCCESS
        assert library.hipMemGetAccess(ctypes.byref(flags), ctypes.byref(DEVICE), P(address)) == SUCCESS
        assert flags.value == wanted
    assert virtual.unmap(address, 1) == SUCCESS
    assert virtual.release(handle) == SUCCESS
    assert virtual.free(address, 1) == SUCCESS


@pytest.mark.parametrize("handles", ["None", "PosixFileDescriptor"])
def test_mapped_memory_knows_what_it_can_be_exported_as(hip, virtual, handles):
    virtual.props.handle = asked = int(getattr(hip.hipMemAllocationHandleType, f"hipMemHandleType{handles}"))
    address, handle = virtual.reserve(1), virtual.create(1)
    assert virtual.map(address, 1, handle) == SUCCESS
    assert hip_program.allowed_handle_types(hip, address + 8) == asked
    assert virtual.unmap(address, 1) == SUCCESS
    assert virtual.release(handle) == SUCCESS
    assert virtual.free(address, 1) == SUCCESS


def test_what_is_refused(library, virtual):
    unit = virtual.unit
    zero, pointer = ctypes.c_ulonglong(0), P()
    for size in (0, unit + 1):
        assert library.hipMemAddressReserve(ctypes.byref(pointer), SIZE(size), SIZE(0), None, zero) == INVALID
        assert library.hipMemCreate(ctypes.byref(pointer), SIZE(size), ctypes.byref(virtual.props), zero) == INVALID
    assert library.hipMemAddressReserve(ctypes.byref(pointer), SIZE(unit), SIZE(3), None, zero) == INVALID
    handle, address = virtual.create(1), virtual.reserve(1)
    assert virtual.map(address, 2, handle) == NOT_SUPPORTED  # not the whole of the memory
    assert virtual.map(address + unit, 1, handle) == INVALID  # not reserved
    assert virtual.map(address, 1, P(0x1000)) == INVALID
    assert virtual.unmap(address + unit, 1) == INVALID  # not reserved
    assert virtual.unmap(address, 1) == SUCCESS  # where nothing is mapped, nothing is to be done
    elsewhere = Props(1, 1, Location(1, 99))
    assert library.hipMemCreate(ctypes.byref(pointer), SIZE(unit), ctypes.byref(elsewhere), zero) == NO_DEVICE
    size = SIZE()
    assert library.hipMemGetAllocationGranularity(ctypes.byref(size), ctypes.byref(elsewhere), 0) == INVALID
    assert virtual.allow(address, 1, READ) == INVALID
    assert virtual.free(address, 1) == SUCCESS
    assert virtual.release(handle) == SUCCESS


def test_alignment(virtual):
    alignment = 1 << 24
    address = virtual.reserve(3, alignment)
    assert address % alignment == 0
    assert virtual.free(address, 3) == SUCCESS


OTHER_PROCESS = """
import ctypes, os, sys
P, SIZE = ctypes.c_void_p, ctypes.c_size_t
library = ctypes.CDLL(sys.argv[1])
"""


def other_process(runtime_folder, code, *arguments, **options):
    program = OTHER_PROCESS + textwrap.dedent(code)
    library = str(runtime_folder / "lib/libamdhip64.so")
    return subprocess.run(
        [sys.executable, "-c", program, library, *arguments], capture_output=True, encoding="utf-8",
        timeout=hip_program.HANG, check=False, **options,
    )  # fmt: skip


def test_descriptors_share_memory_between_processes(library, virtual, runtime_folder):
    import os

    address, handle = virtual.reserve(1), virtual.create(1)
    assert virtual.map(address, 1, handle) == SUCCESS
    assert virtual.allow(address, 1, READ_WRITE) == SUCCESS
    descriptor = ctypes.c_int()
    assert library.hipMemExportToShareableHandle(ctypes.byref(descriptor), handle, 1, ctypes.c_ulonglong(0)) == SUCCESS
    done = other_process(
        runtime_folder,
        """
        handle, pointer, zero = P(), P(), ctypes.c_ulonglong(0)
        unit = int(sys.argv[3])
        assert library.hipMemImportFromShareableHandle(ctypes.byref(handle), P(int(sys.argv[2])), 1) == 0
        assert library.hipMemAddressReserve(ctypes.byref(pointer), SIZE(unit), SIZE(0), None, zero) == 0
        assert library.hipMemMap(pointer, SIZE(unit), SIZE(0), handle, zero) == 0
        access = (ctypes.c_int * 3)(1, 0, 3)
        assert library.hipMemSetAccess(pointer, SIZE(unit), access, SIZE(1)) == 0
        assert library.hipMemset(pointer, 42, SIZE(unit)) == 0 == library.hipDeviceSynchronize()
        """,
        str(descriptor.value), str(virtual.unit), pass_fds=[descriptor.value],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert ctypes.c_ubyte.from_address(address + virtual.unit - 1).value == 42
    os.close(descriptor.value)
    assert virtual.unmap(address, 1) == SUCCESS
    assert virtual.release(handle) == SUCCESS
    assert virtual.free(address, 1) == SUCCESS


@pytest.mark.parametrize("size", [100, 5 << 20])
def test_memory_of_another_process(library, runtime_folder, size):
    pointer, handle = P(), (ctypes.c_char * 64)()
    assert library.hipMalloc(ctypes.byref(pointer), SIZE(size)) == SUCCESS
    assert library.hipMemset(pointer, 5, SIZE(size)) == SUCCESS
    assert library.hipIpcGetMemHandle(ctypes.byref(handle), pointer) == SUCCESS
    done = other_process(
        runtime_folder,
        """
        class Handle(ctypes.Structure):
            _fields_ = [("bytes", ctypes.c_char * 64)]
        size = int(sys.argv[3])
        handle = Handle.from_buffer_copy(bytes.fromhex(sys.argv[2]))
        pointer, again = P(), P()
        assert library.hipIpcOpenMemHandle(ctypes.byref(pointer), handle, 1) == 0
        assert library.hipIpcOpenMemHandle(ctypes.byref(again), handle, 1) == 0
        assert pointer.value == again.value
        assert ctypes.c_ubyte.from_address(pointer.value + size - 1).value == 5
        assert library.hipMemset(pointer, 6, SIZE(size + 1)) == 1
        assert library.hipMemset(pointer, 6, SIZE(size)) == 0 == library.hipDeviceSynchronize()
        assert library.hipIpcCloseMemHandle(pointer) == 0
        assert library.hipMemset(pointer, 6, SIZE(size)) == 0
        assert library.hipIpcCloseMemHandle(pointer) == 0
        assert library.hipMemset(pointer, 6, SIZE(size)) == 1
        assert library.hipIpcCloseMemHandle(pointer) == 1
        """,
        bytes(handle).hex(), str(size),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    back = np.zeros(size, np.uint8)
    assert library.hipMemcpy(P(back.ctypes.data), pointer, SIZE(size), TO_HOST) == SUCCESS
    assert (back == 6).all()
    assert library.hipFree(pointer) == SUCCESS


def test_handles_that_are_none(library):
    class Handle(ctypes.Structure):
        _fields_ = [("bytes", ctypes.c_char * 64)]

    pointer, handle = P(), Handle()
    assert library.hipIpcOpenMemHandle(ctypes.byref(pointer), handle, 1) == INVALID
    assert library.hipIpcGetMemHandle(ctypes.byref(handle), P(0x1000)) == INVALID
    assert library.hipMalloc(ctypes.byref(pointer), SIZE(64)) == SUCCESS
    assert library.hipIpcGetMemHandle(ctypes.byref(handle), pointer) == SUCCESS
    own = P()
    assert library.hipIpcOpenMemHandle(ctypes.byref(own), handle, 1) == 201  # one's own memory
    assert library.hipIpcOpenMemHandle(ctypes.byref(own), handle, 0) == INVALID
    assert library.hipFree(pointer) == SUCCESS


def test_events_of_another_process(library, runtime_folder):
    event, handle = P(), (ctypes.c_char * 64)()
    assert library.hipEventCreateWithFlags(ctypes.byref(event), 6) == SUCCESS  # interprocess, no timing
    assert library.hipIpcGetEventHandle(ctypes.byref(handle), event) == SUCCESS
    done = other_process(
        runtime_folder,
        """
        class Handle(ctypes.Structure):
            _fields_ = [("bytes", ctypes.c_char * 64)]
        event = P()
        handle = Handle.from_buffer_copy(bytes.fromhex(sys.argv[2]))
        assert library.hipIpcOpenEventHandle(ctypes.byref(event), handle) == 0
        assert library.hipEventQuery(event) == 0
        assert library.hipEventRecord(event, None) == 0
        assert library.hipEventSynchronize(event) == 0
        assert library.hipEventDestroy(event) == 0
        """,
        bytes(handle).hex(),
    )
    assert done.returncode == 0, done.stderr
    assert library.hipEventSynchronize(event) == SUCCESS
    plain = P()
    assert library.hipEventCreate(ctypes.byref(plain)) == SUCCESS
    assert library.hipIpcGetEventHandle(ctypes.byref(handle), plain) == 9
    for one in (event, plain):
        assert library.hipEventDestroy(one) == SUCCESS
