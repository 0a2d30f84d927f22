"""Pools and files shared with other processes and APIs."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

from tests.hip_on_host.hip_program import allowed_handle_types
from tests.hip_on_host.test_virtual_memory import SUCCESS, TO_HOST, other_process

P, SIZE = ctypes.c_void_p, ctypes.c_size_t
INVALID, NOT_SUPPORTED = 1, 801
POSIX_FD = 1
IMPORT = """
class Data(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 64)]
pool, pointer = P(), P()
assert library.hipMemPoolImportFromShareableHandle(ctypes.byref(pool), P(int(sys.argv[2])), 1, 0) == 0
data = Data.from_buffer_copy(bytes.fromhex(sys.argv[3]))
assert library.hipMemPoolImportPointer(ctypes.byref(pointer), pool, ctypes.byref(data)) == 0
"""


class PoolProps(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int), ("handles", ctypes.c_int), ("location", ctypes.c_int * 2), ("security", P),
        ("most", SIZE), ("reserved", ctypes.c_ubyte * 56),
    ]  # fmt: skip


class ExportData(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_ubyte * 64)]


class SharedPool:
    """A pool whose memory other processes can be given, and its descriptor."""

    def __init__(self, library, handles=POSIX_FD):
        self.c, self.handle, descriptor = library, P(), ctypes.c_int(-1)
        props = PoolProps(1, handles, (ctypes.c_int * 2)(1, 0))
        assert library.hipMemPoolCreate(ctypes.byref(self.handle), ctypes.byref(props)) == SUCCESS
        self.exported = library.hipMemPoolExportToShareableHandle(ctypes.byref(descriptor), self.handle, POSIX_FD, 0)
        self.descriptor = descriptor.value

    def allocate(self, size):
        pointer = P()
        assert self.c.hipMallocFromPoolAsync(ctypes.byref(pointer), SIZE(size), self.handle, None) == SUCCESS
        return pointer

    def export(self, pointer):
        data = ExportData()
        return self.c.hipMemPoolExportPointer(ctypes.byref(data), pointer), data

    def close(self):
        assert self.c.hipMemPoolDestroy(self.handle) == SUCCESS
        if self.descriptor >= 0:
            os.close(self.descriptor)


@pytest.fixture
def shared_pool(library):
    made = SharedPool(library)
    assert made.exported == SUCCESS
    yield made
    made.close()


def fetch(library, pointer, size):
    back = np.zeros(size, np.uint8)
    assert library.hipMemcpy(P(back.ctypes.data), pointer, SIZE(size), TO_HOST) == SUCCESS
    return back


@pytest.mark.parametrize("size", [100, 5 << 20])
def test_memory_of_a_pool_in_another_process(library, shared_pool, runtime_folder, size):
    neighbour, pointer = shared_pool.allocate(size), shared_pool.allocate(size)
    for one in (neighbour, pointer):
        assert library.hipMemset(one, 5, SIZE(size)) == SUCCESS
    status, data = shared_pool.export(P(pointer.value + 10))
    assert status == SUCCESS
    done = other_process(
        runtime_folder,
        IMPORT + """
size = int(sys.argv[4])
assert ctypes.c_ubyte.from_address(pointer.value + size - 1).value == 5
assert library.hipMemset(pointer, 6, SIZE(size + 1)) == 1
assert library.hipMemsetAsync(pointer, 6, SIZE(size), None) == 0
assert library.hipMallocFromPoolAsync(ctypes.byref(P()), SIZE(8), pool, None) == 1
assert library.hipDeviceSetMemPool(0, pool) == 1
assert library.hipFreeAsync(pointer, None) == 0 == library.hipDeviceSynchronize()
assert library.hipMemset(pointer, 7, SIZE(size)) == 1
assert library.hipMemPoolDestroy(pool) == 0
""",
        str(shared_pool.descriptor), bytes(data.bytes).hex(), str(size - 10), pass_fds=[shared_pool.descriptor],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (fetch(library, pointer, size)[:10] == 5).all()
    assert (fetch(library, pointer, size)[10:] == 6).all()
    assert (fetch(library, neighbour, size) == 5).all()
    for one in (neighbour, pointer):
        assert library.hipFree(one) == SUCCESS


def test_what_was_imported_outlives_its_pool(library, shared_pool, runtime_folder):
    pointer = shared_pool.allocate(64)
    data = shared_pool.export(pointer)[1]
    done = other_process(
        runtime_folder,
        IMPORT + """
assert library.hipMemPoolDestroy(pool) == 0
assert library.hipMemset(pointer, 9, SIZE(64)) == 0 == library.hipFree(pointer)
""",
        str(shared_pool.descriptor), bytes(data.bytes).hex(), pass_fds=[shared_pool.descriptor],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (fetch(library, pointer, 64) == 9).all()
    assert library.hipFree(pointer) == SUCCESS


def test_a_block_that_the_pool_gives_out_anew_is_shared_as_before(library, shared_pool):
    first = shared_pool.allocate(4096)
    before = bytes(shared_pool.export(first)[1].bytes)
    assert library.hipFreeAsync(first, None) == SUCCESS
    again = shared_pool.allocate(4000)  # before any wait, after which the pool would give its memory back
    assert again.value == first.value
    after = bytes(shared_pool.export(again)[1].bytes)
    assert after[:40] == before[:40]  # the same file; behind it the size
    assert library.hipFree(again) == SUCCESS


def test_memory_of_a_pool_knows_what_it_can_be_exported_as(hip, library, shared_pool):
    alone = SharedPool(library, handles=0)
    shared, private = shared_pool.allocate(64), alone.allocate(64)
    assert allowed_handle_types(hip, shared.value) == POSIX_FD
    assert allowed_handle_types(hip, private.value) == 0
    for one in (shared, private):
        assert library.hipFree(one) == SUCCESS
    reused = shared_pool.allocate(64)
    assert allowed_handle_types(hip, reused.value) == POSIX_FD
    assert library.hipFree(reused) == SUCCESS
    alone.close()


def test_the_same_process_may_import_too(library, shared_pool):
    pointer, pool, imported = shared_pool.allocate(64), P(), P()
    data = shared_pool.export(pointer)[1]
    descriptor = P(shared_pool.descriptor)
    assert library.hipMemPoolImportFromShareableHandle(ctypes.byref(pool), descriptor, POSIX_FD, 0) == SUCCESS
    assert library.hipMemPoolImportPointer(ctypes.byref(imported), pool, ctypes.byref(data)) == SUCCESS
    assert library.hipMemset(imported, 3, SIZE(64)) == SUCCESS
    assert (fetch(library, pointer, 64) == 3).all()
    for one in (imported, pointer):
        assert library.hipFree(one) == SUCCESS
    assert library.hipMemPoolDestroy(pool) == SUCCESS


def test_what_cannot_be_exported_or_imported(library, shared_pool):
    alone, stranger, foreign = SharedPool(library, handles=0), SharedPool(library), P()
    assert alone.exported == INVALID
    private = alone.allocate(64)
    for pointer in (private, P(0x1000), None):
        assert shared_pool.export(pointer)[0] == INVALID
    pointer, data = shared_pool.allocate(64), ExportData()
    handle = ctypes.byref(ctypes.c_int())
    assert library.hipMemPoolExportToShareableHandle(handle, shared_pool.handle, POSIX_FD, 1) == INVALID
    assert library.hipMemPoolExportToShareableHandle(handle, shared_pool.handle, 2, 0) == INVALID
    reading, writing = os.pipe()
    for number in (reading, 9999):
        status = library.hipMemPoolImportFromShareableHandle(ctypes.byref(foreign), P(number), POSIX_FD, 0)
        assert status == INVALID
    descriptor = P(stranger.descriptor)
    assert library.hipMemPoolImportFromShareableHandle(ctypes.byref(foreign), descriptor, POSIX_FD, 0) == SUCCESS
    for known, bits in ((foreign, data), (foreign, shared_pool.export(pointer)[1]), (shared_pool.handle, data)):
        assert library.hipMemPoolImportPointer(ctypes.byref(P()), known, ctypes.byref(bits)) == INVALID
    for one in (private, pointer):
        assert library.hipFree(one) == SUCCESS
    assert library.hipMemPoolDestroy(foreign) == SUCCESS
    for one in (reading, writing):
        os.close(one)
    for one in (alone, stranger):
        one.close()


class Win32Handle(ctypes.Structure):
    _fields_ = [("handle", P), ("name", P)]


class AnyHandle(ctypes.Union):
    _fields_ = [("fd", ctypes.c_int), ("win32", Win32Handle)]


class MemoryHandle(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int), ("handle", AnyHandle), ("size", ctypes.c_ulonglong), ("flags", ctypes.c_uint),
        ("reserved", ctypes.c_uint * 16),
    ]  # fmt: skip


class Buffer(ctypes.Structure):
    _fields_ = [
        ("offset", ctypes.c_ulonglong), ("size", ctypes.c_ulonglong), ("flags", ctypes.c_uint),
        ("reserved", ctypes.c_uint * 16),
    ]  # fmt: skip


def test_memory_of_another_api(library):
    """A file of bytes, as a Vulkan driver on the host hands out its memory."""
    descriptor = os.memfd_create("image")
    os.write(descriptor, bytes(range(256)) * 64)
    look = os.dup(descriptor)
    memory, pointer = P(), P()
    given = MemoryHandle(1, AnyHandle(fd=descriptor), 256 * 64)
    assert library.hipImportExternalMemory(ctypes.byref(memory), ctypes.byref(given)) == SUCCESS
    view = Buffer(5000, 3000)
    assert library.hipExternalMemoryGetMappedBuffer(ctypes.byref(pointer), memory, ctypes.byref(view)) == SUCCESS
    assert (fetch(library, pointer, 3000) == np.arange(5000, 8000) % 256).all()
    for wrong in (
        Buffer(256 * 64, 1),
        Buffer(0, 256 * 64 + 1),
        Buffer(1 << 63, 1 << 63),
        Buffer(0, 0),
        Buffer(0, 1, 1),
    ):
        assert library.hipExternalMemoryGetMappedBuffer(ctypes.byref(P()), memory, ctypes.byref(wrong)) == INVALID
    assert library.hipDestroyExternalMemory(memory) == SUCCESS
    assert library.hipDestroyExternalMemory(memory) == INVALID
    assert library.hipMemset(pointer, 1, SIZE(3000)) == SUCCESS == library.hipDeviceSynchronize()
    assert os.pread(look, 3002, 4999) == bytes([4999 % 256]) + b"\1" * 3000 + bytes([8000 % 256])
    assert library.hipFree(pointer) == SUCCESS
    assert library.hipFree(pointer) == INVALID
    os.close(look)


def test_what_is_no_memory_of_another_api(library):
    descriptor = os.memfd_create("short")
    os.ftruncate(descriptor, 64)
    for kind, fd, size, status in (
        (1, descriptor, 65, INVALID), (1, descriptor, 0, INVALID), (1, 9999, 64, INVALID), (0, descriptor, 64, INVALID),
        (77, descriptor, 64, INVALID), (2, descriptor, 64, NOT_SUPPORTED),
    ):  # fmt: skip
        given = MemoryHandle(kind, AnyHandle(fd=fd), size)
        assert library.hipImportExternalMemory(ctypes.byref(P()), ctypes.byref(given)) == status
    assert library.hipExternalMemoryGetMappedBuffer(ctypes.byref(P()), P(0x1000), ctypes.byref(Buffer(0, 1))) == INVALID
    os.close(descriptor)


def test_resetting_the_device_forgets_what_was_imported(run_hip):
    out = run_hip("""
import os
library = ctypes.CDLL(os.environ["ROCM_PATH"] + "/lib/libamdhip64.so")
descriptor = os.memfd_create("memory")
os.ftruncate(descriptor, 4096)
handle = (ctypes.c_uint64 * 16)(1, descriptor, 0, 4096)
view = (ctypes.c_uint64 * 12)(0, 64)
memory, pointer = ctypes.c_void_p(), ctypes.c_void_p()
print(library.hipImportExternalMemory(ctypes.byref(memory), handle))
print(library.hipExternalMemoryGetMappedBuffer(ctypes.byref(pointer), memory, view))
print(library.hipMemset(pointer, 1, ctypes.c_size_t(64)))
print(library.hipDeviceReset())
print(library.hipMemset(pointer, 1, ctypes.c_size_t(64)))
""")
    assert out.split() == ["0", "0", "0", "0", "1"]
