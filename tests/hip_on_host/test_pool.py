"""Stream-ordered allocation and memory pools."""

from __future__ import annotations

import ctypes

import pytest

from tests.hip_on_host.hip_program import check, name


def properties(hip, kind="Pinned", place="Device", number=0, shared="hipMemHandleTypeNone"):
    """Return the properties of a new pool."""
    props = hip.hipMemPoolProps()
    props.allocType = getattr(hip.hipMemAllocationType, f"hipMemAllocationType{kind}")
    props.handleTypes = getattr(hip.hipMemAllocationHandleType, shared)
    props.location.type = getattr(hip.hipMemLocationType, f"hipMemLocationType{place}")
    props.location.id = number
    return props


class Pool:
    """A pool of its own, through C: its attributes are integers that 10.0 and 7.2.2 pass differently."""

    def __init__(self, hip, library, most=0, **place):
        props = properties(hip, **place)
        props.maxSize = most
        self.attributes = hip.hipMemPoolAttr
        self.library = library
        self.handle = check(hip.hipMemPoolCreate(props))

    def get(self, attribute):
        value = ctypes.c_uint64(0)
        which = int(getattr(self.attributes, attribute))
        assert self.library.hipMemPoolGetAttribute(ctypes.c_void_p(int(self.handle)), which, ctypes.byref(value)) == 0
        return value.value

    def set(self, attribute, value):
        which = int(getattr(self.attributes, attribute))
        pointer = ctypes.byref(ctypes.c_uint64(value))
        return self.library.hipMemPoolSetAttribute(ctypes.c_void_p(int(self.handle)), which, pointer)


@pytest.fixture
def pool(hip, library):
    made = Pool(hip, library)
    yield made
    check(hip.hipMemPoolDestroy(made.handle))


def test_allocate_use_and_free_in_a_stream(hip):
    stream = check(hip.hipStreamCreate())
    pointer = check(hip.hipMallocAsync(4096, stream))
    check(hip.hipMemsetAsync(pointer, 1, 4096, stream))
    check(hip.hipFreeAsync(pointer, stream))
    assert name(hip.hipFreeAsync(pointer, stream)) == "hipErrorInvalidValue"
    check(hip.hipStreamSynchronize(stream))
    assert name(hip.hipFree(pointer)) == "hipErrorInvalidValue"
    check(hip.hipStreamDestroy(stream))


def test_memory_freed_in_a_stream_cannot_be_copied_to(hip):
    pointer = check(hip.hipMallocAsync(64, None))
    check(hip.hipFreeAsync(pointer, None))
    assert name(hip.hipMemset(pointer, 0, 64)) == "hipErrorInvalidValue"


def test_freeing_synchronously(hip):
    pointer = check(hip.hipMallocAsync(64, None))
    check(hip.hipFree(pointer))
    assert name(hip.hipFreeAsync(pointer, None)) == "hipErrorInvalidValue"


def test_a_pool_counts_and_keeps_what_its_threshold_says(hip, pool):
    pool.set("hipMemPoolAttrReleaseThreshold", 1 << 20)
    pointer = check(hip.hipMallocFromPoolAsync(1000, pool.handle, None))
    assert pool.get("hipMemPoolAttrUsedMemCurrent") == 1000
    check(hip.hipFreeAsync(pointer, None))
    check(hip.hipDeviceSynchronize())
    assert pool.get("hipMemPoolAttrUsedMemCurrent") == 0
    assert pool.get("hipMemPoolAttrReservedMemCurrent") == 1000
    assert pool.get("hipMemPoolAttrUsedMemHigh") == 1000
    again = check(hip.hipMallocFromPoolAsync(900, pool.handle, None))
    assert int(again) == int(pointer)
    check(hip.hipFreeAsync(again, None))
    check(hip.hipDeviceSynchronize())
    check(hip.hipMemPoolTrimTo(pool.handle, 0))
    assert pool.get("hipMemPoolAttrReservedMemCurrent") == 0


def test_high_marks_can_only_be_reset(hip, pool):
    check(hip.hipFree(check(hip.hipMallocFromPoolAsync(500, pool.handle, None))))
    assert pool.get("hipMemPoolAttrUsedMemHigh") == 500
    assert pool.set("hipMemPoolAttrUsedMemHigh", 7) == 1
    assert pool.set("hipMemPoolAttrUsedMemHigh", 0) == 0
    assert pool.get("hipMemPoolAttrUsedMemHigh") == 0
    assert pool.set("hipMemPoolAttrUsedMemCurrent", 0) == 1


def test_values_at_odd_addresses(library, pool):
    """A program may hand over any address; the sanitizers' run says where one is read as if it were aligned."""
    room = ctypes.create_string_buffer(32)
    odd = ctypes.c_void_p(ctypes.addressof(room) + 3)
    handle = ctypes.c_void_p(int(pool.handle))
    for attribute, value in (("hipMemPoolAttrReleaseThreshold", 4096), ("hipMemPoolReuseAllowOpportunistic", 0)):
        which = int(getattr(pool.attributes, attribute))
        ctypes.memmove(odd, value.to_bytes(8, "little"), 8)
        assert library.hipMemPoolSetAttribute(handle, which, odd) == 0
        assert pool.get(attribute) == value
        ctypes.memset(odd, 255, 8)
        assert library.hipMemPoolGetAttribute(handle, which, odd) == 0
        assert room.raw[3:7] == value.to_bytes(4, "little")


def test_a_bounded_pool(hip, library):
    bounded = Pool(hip, library, most=4096)
    pointer = check(hip.hipMallocFromPoolAsync(4096, bounded.handle, None))
    assert name(hip.hipMallocFromPoolAsync(1, bounded.handle, None)) == "hipErrorOutOfMemory"
    check(hip.hipFree(pointer))
    check(hip.hipMemPoolDestroy(bounded.handle))


def test_memory_outlives_its_pool(hip, library):
    short = Pool(hip, library)
    pointer = check(hip.hipMallocFromPoolAsync(256, short.handle, None))
    check(hip.hipMemPoolDestroy(short.handle))
    check(hip.hipMemset(pointer, 1, 256))
    check(hip.hipFree(pointer))
    assert name(hip.hipMemPoolDestroy(short.handle)) == "hipErrorInvalidValue"
    assert name(hip.hipMallocFromPoolAsync(256, short.handle, None)) == "hipErrorInvalidValue"


def test_the_devices_pools(hip, pool):
    default = check(hip.hipDeviceGetDefaultMemPool(0))
    assert int(check(hip.hipDeviceGetMemPool(0))) == int(default)
    assert name(hip.hipMemPoolDestroy(default)) == "hipErrorInvalidValue"
    check(hip.hipDeviceSetMemPool(0, pool.handle))
    check(hip.hipFree(check(hip.hipMallocAsync(123, None))))
    assert pool.get("hipMemPoolAttrUsedMemHigh") == 123
    check(hip.hipDeviceSetMemPool(0, default))


def test_access_of_devices_that_there_are_not(library, pool):
    device_99 = (ctypes.c_int * 2)(1, 99)
    flags = ctypes.c_int(7)
    assert library.hipMemPoolGetAccess(ctypes.byref(flags), ctypes.c_void_p(int(pool.handle)), device_99) == 1
    assert flags.value == 7


def test_a_loop_reuses_its_memory_until_somebody_waits(hip):
    stream = check(hip.hipStreamCreate())
    check(hip.hipDeviceSynchronize())  # gives back memory that was freed before
    free = check(hip.hipMemGetInfo())[0]
    addresses = set()
    for _ in range(10):
        pointer = check(hip.hipMallocAsync(4 << 20, stream))
        addresses.add(int(pointer))
        check(hip.hipFreeAsync(pointer, stream))
    assert len(addresses) == 1
    check(hip.hipStreamSynchronize(stream))
    assert check(hip.hipMemGetInfo())[0] == free
    check(hip.hipStreamDestroy(stream))


class Stopped:
    """A stream that stands still until it is let go on."""

    def __init__(self, library):
        self.library, self.stream, self.word = library, ctypes.c_void_p(), ctypes.c_void_p()
        assert library.hipStreamCreate(ctypes.byref(self.stream)) == 0
        assert library.hipHostMalloc(ctypes.byref(self.word), ctypes.c_size_t(4), 0) == 0
        ctypes.memset(self.word, 0, 4)
        everything, one = ctypes.c_uint32(0xFFFFFFFF), ctypes.c_uint32(1)
        assert library.hipStreamWaitValue32(self.stream, self.word, one, 0, everything) == 0

    def allocate(self, size):
        made = ctypes.c_void_p()
        assert self.library.hipMallocAsync(ctypes.byref(made), ctypes.c_size_t(size), self.stream) == 0
        return made.value

    def free(self, pointer):
        assert self.library.hipFreeAsync(ctypes.c_void_p(pointer), self.stream) == 0

    def go_on(self):
        ctypes.memset(self.word, 1, 4)
        assert self.library.hipStreamSynchronize(self.stream) == 0


@pytest.fixture
def stopped(library):
    made = [Stopped(library), Stopped(library)]
    yield made
    for one in made:  # before any waits for another, through the null stream or where memory is freed
        ctypes.memset(one.word, 1, 4)
    for one in made:
        one.go_on()
        assert library.hipStreamDestroy(one.stream) == 0
        assert library.hipHostFree(one.word) == 0


def test_a_busy_stream_has_again_what_it_freed(hip, stopped):
    first, second = stopped
    freed = first.allocate(64 << 10)
    first.free(freed)
    elsewhere = second.allocate(64 << 10)
    assert elsewhere != freed
    again = first.allocate(50 << 10)
    assert again == freed
    other = first.allocate(50 << 10)
    assert other not in (freed, elsewhere)
    first.go_on()  # the freeing of the first use must not take the memory from the second
    check(hip.hipMemset(again, 3, 50 << 10))
    assert name(hip.hipMemset(again, 3, (50 << 10) + 1)) == "hipErrorInvalidValue"
    for stream, pointer in ((first, again), (first, other), (second, elsewhere)):
        stream.free(pointer)


def test_memory_goes_round_in_a_busy_stream(hip, stopped):
    stream = stopped[0]
    seen = set()
    for round_ in range(100):
        pointer = stream.allocate(4 << 20)
        check(hip.hipMemsetAsync(pointer, round_ % 256, 4 << 20, int(stream.stream.value)))
        seen.add(pointer)
        stream.free(pointer)
    stream.go_on()
    assert len(seen) == 1
    assert name(hip.hipFree(seen.pop())) == "hipErrorInvalidValue"


def test_much_larger_memory_is_not_given_for_little(stopped):
    stream = stopped[0]
    large = stream.allocate(64 << 20)
    stream.free(large)
    little = stream.allocate(1 << 20)
    assert little != large
    stream.free(little)


@pytest.mark.parametrize(("flags", "wanted"), [(0xFFFF, 1), (2, 1), (4, 1), (3, 0), (1, 0)])
def test_kinds_of_access_to_a_pool(library, pool, flags, wanted):
    handle, one = ctypes.c_void_p(int(pool.handle)), ctypes.c_size_t(1)
    assert library.hipMemPoolSetAccess(handle, ctypes.byref(Description(1, 0, flags)), one) == wanted
    place, answer = Description(1, 0, 0), ctypes.c_int(-1)
    assert library.hipMemPoolGetAccess(ctypes.byref(answer), handle, ctypes.byref(place)) == 0
    assert answer.value == (3 if wanted else flags)


class Description(ctypes.Structure):
    """A place of memory, and the allowed access from there."""

    _fields_ = [("type", ctypes.c_int), ("device", ctypes.c_int), ("flags", ctypes.c_int)]


PLACES = [("Pinned", "Host", 1), ("Pinned", "HostNuma", 1), *(
    ("Managed", place, 3) for place in ("None", "Device", "Host", "HostNuma")
)]  # fmt: skip


@pytest.mark.parametrize(("kind", "place", "memory_type"), PLACES)
def test_a_pool_that_the_host_sees(hip, library, kind, place, memory_type):
    pool = Pool(hip, library, kind=kind, place=place)
    stream = check(hip.hipStreamCreate())
    pointer = check(hip.hipMallocFromPoolAsync(4096, pool.handle, stream))
    check(hip.hipMemsetAsync(pointer, 7, 4096, stream))
    check(hip.hipStreamSynchronize(stream))
    assert ctypes.string_at(int(pointer), 4096) == b"\7" * 4096
    found = check(hip.hipPointerGetAttributes(pointer))
    assert (int(found.type), bool(found.isManaged), int(found.hostPointer)) == (
        memory_type, kind == "Managed", int(pointer)
    )  # fmt: skip
    if kind == "Managed":
        advised = hip.hipMemoryAdvise.hipMemAdviseSetReadMostly
        check(hip.hipMemAdvise(pointer, 4096, advised, 0))
    assert pool.get("hipMemPoolAttrUsedMemCurrent") == 4096
    check(hip.hipFreeAsync(pointer, stream))
    check(hip.hipStreamSynchronize(stream))
    assert pool.get("hipMemPoolAttrUsedMemCurrent") == 0
    check(hip.hipMemPoolDestroy(pool.handle))
    check(hip.hipStreamDestroy(stream))


@pytest.mark.parametrize("asked", [
    {"place": "None"}, {"place": "HostNumaCurrent"}, {"place": "HostNuma", "number": 4096},
    {"place": "HostNuma", "number": -1}, {"kind": "Managed", "place": "HostNumaCurrent"},
    {"place": "Host", "shared": "hipMemHandleTypePosixFileDescriptor"},
    {"kind": "Managed", "place": "None", "shared": "hipMemHandleTypePosixFileDescriptor"},
    {"kind": "Invalid"},
])  # fmt: skip
def test_places_without_a_pool(hip, asked):
    status, _ = hip.hipMemPoolCreate(properties(hip, **asked))
    assert status.name == "hipErrorInvalidValue"


def test_whom_a_pool_on_the_host_lets_in(hip, library):
    def access(place):
        flags = ctypes.c_int(-1)
        assert library.hipMemPoolGetAccess(ctypes.byref(flags), handle, ctypes.byref(place)) == 0
        return flags.value

    device, host, one = Description(1, 0, 3), Description(2, 0, 3), ctypes.c_size_t(1)
    pool = Pool(hip, library, place="Host")
    handle = ctypes.c_void_p(int(pool.handle))
    assert (access(device), access(host)) == (0, 3)
    assert library.hipMemPoolSetAccess(handle, ctypes.byref(device), one) == 0
    assert (access(device), access(host)) == (3, 3)
    host.flags = 0  # its own access cannot be taken away
    assert library.hipMemPoolSetAccess(handle, ctypes.byref(host), one) != 0
    check(hip.hipMemPoolDestroy(pool.handle))
    managed = Pool(hip, library, kind="Managed", place="None")
    handle = ctypes.c_void_p(int(managed.handle))
    assert (access(device), access(host)) == (3, 3)
    check(hip.hipMemPoolDestroy(managed.handle))


@pytest.mark.parametrize(("kind", "place", "memory_type"), PLACES)
def test_the_pools_of_places(library, hip, kind, place, memory_type):
    """Each place has a pool of its own; another one of that place may stand in, and no other."""

    def current(function):
        found = ctypes.c_void_p()
        assert function(ctypes.byref(found), ctypes.byref(where), number) == 0
        return found.value

    where = Description(int(getattr(hip.hipMemLocationType, f"hipMemLocationType{place}")), 0)
    number = int(getattr(hip.hipMemAllocationType, f"hipMemAllocationType{kind}"))
    own = current(library.hipMemGetDefaultMemPool)
    assert current(library.hipMemGetMemPool) == own
    assert library.hipMemPoolDestroy(ctypes.c_void_p(own)) == 1
    pool = Pool(hip, library, kind=kind, place=place)
    handle = ctypes.c_void_p(int(pool.handle))
    assert library.hipMemSetMemPool(ctypes.byref(where), number, handle) == 0
    assert current(library.hipMemGetMemPool) == int(pool.handle)
    assert current(library.hipMemGetDefaultMemPool) == own
    elsewhere = Pool(hip, library)
    assert library.hipMemSetMemPool(ctypes.byref(where), number, ctypes.c_void_p(int(elsewhere.handle))) == 1
    check(hip.hipMemPoolDestroy(pool.handle))
    assert current(library.hipMemGetMemPool) == own
    check(hip.hipMemPoolDestroy(elsewhere.handle))
