"""Stream-ordered allocation and memory pools."""

from __future__ import annotations

import ctypes

import pytest

from tests.cpu_runtime.hip_program import check, name


class Pool:
    """A pool of its own, through C: its attributes are integers that 10.0 and 7.2.2 pass differently."""

    def __init__(self, hip, library, most=0):
        props = hip.hipMemPoolProps()
        props.allocType = hip.hipMemAllocationType.hipMemAllocationTypePinned
        props.handleTypes = hip.hipMemAllocationHandleType.hipMemHandleTypeNone
        props.location.type = hip.hipMemLocationType.hipMemLocationTypeDevice
        props.location.id = 0
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
    check(hip.hipDeviceSynchronize())  # gives back what was freed before
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
    class Description(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int), ("device", ctypes.c_int), ("flags", ctypes.c_int)]

    handle, one = ctypes.c_void_p(int(pool.handle)), ctypes.c_size_t(1)
    assert library.hipMemPoolSetAccess(handle, ctypes.byref(Description(1, 0, flags)), one) == wanted
    place, answer = Description(1, 0, 0), ctypes.c_int(-1)
    assert library.hipMemPoolGetAccess(ctypes.byref(answer), handle, ctypes.byref(place)) == 0
    assert answer.value == (3 if wanted else flags)
