"""Hints about managed memory, and other calls that only keep their arguments for queries."""

from __future__ import annotations

import ctypes
import mmap

import numpy as np
import pytest

from tests.hip_on_host.hip_program import run
from tests.hip_on_host.kernel_modules import Kernels, compile_module

P, SIZE = ctypes.c_void_p, ctypes.c_size_t
SUCCESS, INVALID, INVALID_DEVICE = 0, 1, 101
HOST, NOWHERE = -1, -2


class Managed:
    def __init__(self, library, size=4096):
        self.c, self.size, self.pointer = library, SIZE(size), P()
        assert library.hipMallocManaged(ctypes.byref(self.pointer), self.size, 1) == SUCCESS

    def advise(self, advice, device=0, size=None):
        return self.c.hipMemAdvise(self.pointer, size or self.size, advice, device)

    def ask(self, attribute, count=1):
        answer = (ctypes.c_int * count)(*[77] * count)
        status = self.c.hipMemRangeGetAttribute(answer, SIZE(4 * count), attribute, self.pointer, self.size)
        assert status == SUCCESS
        return list(answer) if count > 1 else answer[0]


@pytest.fixture
def managed(library):
    made = Managed(library)
    yield made
    assert library.hipFree(made.pointer) == SUCCESS


@pytest.fixture
def attributes(hip):
    return {one.name.removeprefix("hipMemRangeAttribute"): int(one) for one in hip.hipMemRangeAttribute}


@pytest.fixture
def advices(hip):
    return {one.name.removeprefix("hipMemAdvise"): int(one) for one in hip.hipMemoryAdvise}


def test_advice_can_be_read_back(managed, attributes, advices):
    assert managed.ask(attributes["ReadMostly"]) == 0
    assert managed.advise(advices["SetReadMostly"]) == SUCCESS
    assert managed.ask(attributes["ReadMostly"]) == 1
    assert managed.ask(attributes["PreferredLocation"]) == NOWHERE
    assert managed.advise(advices["SetPreferredLocation"], HOST) == SUCCESS
    assert managed.ask(attributes["PreferredLocation"]) == HOST
    assert managed.advise(advices["UnsetPreferredLocation"]) == SUCCESS
    assert managed.ask(attributes["PreferredLocation"]) == NOWHERE
    assert managed.advise(advices["SetAccessedBy"], 0) == SUCCESS
    assert managed.advise(advices["SetAccessedBy"], HOST) == SUCCESS
    assert managed.ask(attributes["AccessedBy"], 4) == [0, HOST, NOWHERE, NOWHERE]
    assert managed.advise(advices["UnsetAccessedBy"], HOST) == SUCCESS
    assert managed.ask(attributes["AccessedBy"], 2) == [0, NOWHERE]


def test_prefetching(library, managed, attributes):
    assert managed.ask(attributes["LastPrefetchLocation"]) == NOWHERE
    assert library.hipMemPrefetchAsync(managed.pointer, managed.size, 0, None) == SUCCESS
    assert managed.ask(attributes["LastPrefetchLocation"]) == 0
    assert library.hipMemPrefetchAsync(managed.pointer, managed.size, HOST, None) == SUCCESS
    assert managed.ask(attributes["LastPrefetchLocation"]) == HOST
    assert library.hipMemPrefetchAsync(managed.pointer, managed.size, 9, None) == INVALID_DEVICE
    assert library.hipMemPrefetchAsync(managed.pointer, SIZE(5000), 0, None) == INVALID


def test_advice_about_other_memory(library, managed, advices):
    plain = P()
    assert library.hipMalloc(ctypes.byref(plain), SIZE(64)) == SUCCESS
    assert library.hipMemAdvise(plain, SIZE(64), advices["SetReadMostly"], 0) == INVALID
    assert library.hipFree(plain) == SUCCESS
    assert managed.advise(advices["SetReadMostly"], size=SIZE(5000)) == INVALID
    assert managed.advise(advices["SetPreferredLocation"], 9) == INVALID_DEVICE
    assert managed.advise(999) == INVALID


PAGE = 4096


def test_a_part_of_the_memory_is_asked_about_by_itself(library, attributes, advices):
    managed = Managed(library, 4 * PAGE)

    def ask(attribute, first, pages=1):
        part, managed_part = P(int(managed.pointer.value or 0) + first * PAGE), SIZE(pages * PAGE)
        answer = ctypes.c_int(77)
        asked = library.hipMemRangeGetAttribute(
            ctypes.byref(answer), SIZE(4), attributes[attribute], part, managed_part
        )
        assert asked == SUCCESS
        return answer.value

    def advise(advice, first, pages=1, device=0):
        part = P(int(managed.pointer.value or 0) + first * PAGE)
        assert library.hipMemAdvise(part, SIZE(pages * PAGE), advices[advice], device) == SUCCESS

    advise("SetReadMostly", 1)
    assert [ask("ReadMostly", page) for page in range(4)] == [0, 1, 0, 0]
    assert ask("ReadMostly", 0, 4) == 0
    advise("SetReadMostly", 0, 4)
    assert ask("ReadMostly", 0, 4) == 1
    advise("UnsetReadMostly", 3)
    assert (ask("ReadMostly", 0, 4), ask("ReadMostly", 0, 3)) == (0, 1)

    advise("SetPreferredLocation", 0, 2, device=HOST)
    assert [ask("PreferredLocation", page) for page in range(4)] == [HOST, HOST, NOWHERE, NOWHERE]
    assert (ask("PreferredLocation", 0, 2), ask("PreferredLocation", 1, 2)) == (HOST, NOWHERE)
    advise("SetPreferredLocation", 2, 2)
    assert (ask("PreferredLocation", 2, 2), ask("PreferredLocation", 0, 4)) == (0, NOWHERE)  # places that differ

    part = P(int(managed.pointer.value or 0) + PAGE)
    assert library.hipMemPrefetchAsync(part, SIZE(PAGE), HOST, None) == SUCCESS
    assert [ask("LastPrefetchLocation", page) for page in range(4)] == [NOWHERE, HOST, NOWHERE, NOWHERE]
    assert ask("LastPrefetchLocation", 0, 2) == NOWHERE

    advise("SetAccessedBy", 0, 4)
    advise("SetAccessedBy", 1, 1, device=HOST)
    both, whole = (ctypes.c_int * 3)(), (ctypes.c_int * 3)()
    for list_, first, pages in ((both, 1, 1), (whole, 0, 4)):
        part = P(int(managed.pointer.value or 0) + first * PAGE)
        asked = library.hipMemRangeGetAttribute(list_, SIZE(12), attributes["AccessedBy"], part, SIZE(pages * PAGE))
        assert asked == SUCCESS
    assert (list(both), list(whole)) == ([0, HOST, NOWHERE], [0, NOWHERE, NOWHERE])

    advise("SetCoarseGrain", 0, 2)
    assert (ask("CoherencyMode", 0, 2), ask("CoherencyMode", 2, 2), ask("CoherencyMode", 0, 4)) == (1, 0, 2)
    assert library.hipFree(managed.pointer) == SUCCESS


def test_advice_goes_with_the_memory(library, attributes, advices):
    for _ in range(3):  # the same addresses come back
        managed = Managed(library)
        assert managed.ask(attributes["ReadMostly"]) == 0
        assert managed.advise(advices["SetReadMostly"]) == SUCCESS
        assert library.hipFree(managed.pointer) == SUCCESS


def test_advice_about_random_parts(library, attributes, advices):
    pages = 32
    managed = Managed(library, pages * PAGE)
    dice = np.random.default_rng(19)
    shadow = [NOWHERE] * pages
    for _ in range(300):
        first = int(dice.integers(pages))
        count = int(dice.integers(1, pages - first + 1))
        place = int(dice.choice([0, HOST, NOWHERE]))
        part, size = P(int(managed.pointer.value or 0) + first * PAGE), SIZE(count * PAGE)
        advice = "UnsetPreferredLocation" if place == NOWHERE else "SetPreferredLocation"
        assert library.hipMemAdvise(part, size, advices[advice], max(place, HOST)) == SUCCESS
        shadow[first : first + count] = [place] * count
        first = int(dice.integers(pages))
        count = int(dice.integers(1, min(4, pages - first) + 1))
        answer = ctypes.c_int(77)
        part, size = P(int(managed.pointer.value or 0) + first * PAGE), SIZE(count * PAGE)
        asked = attributes["PreferredLocation"]
        assert library.hipMemRangeGetAttribute(ctypes.byref(answer), SIZE(4), asked, part, size) == SUCCESS
        wanted = set(shadow[first : first + count])
        assert answer.value == (wanted.pop() if len(wanted) == 1 else NOWHERE)
    assert library.hipFree(managed.pointer) == SUCCESS


def test_ordinary_memory_takes_no_advice(hip, library, attributes, advices):
    """Kernels do not use it, as the device says."""
    pageable = int(hip.hipDeviceAttribute_t.hipDeviceAttributePageableMemoryAccess)
    promised = ctypes.c_int()
    assert library.hipDeviceGetAttribute(ctypes.byref(promised), pageable, 0) == SUCCESS
    assert promised.value == 0
    memory = mmap.mmap(-1, 4 * PAGE)
    word = ctypes.c_char.from_buffer(memory)
    start, answer = P(ctypes.addressof(word)), ctypes.c_int()
    assert library.hipMemAdvise(start, SIZE(PAGE), advices["SetReadMostly"], 0) == INVALID
    assert library.hipMemPrefetchAsync(start, SIZE(4 * PAGE), 0, None) == INVALID
    asked, size = attributes["ReadMostly"], SIZE(PAGE)
    assert library.hipMemRangeGetAttribute(ctypes.byref(answer), SIZE(4), asked, start, size) == INVALID
    del word
    memory.close()


def test_ordinary_memory_takes_advice_where_kernels_may_use_it(runtime_folder):
    done = run(
        runtime_folder,
        """
import mmap
pageable = hip.hipDeviceAttribute_t.hipDeviceAttributePageableMemoryAccess
print(int(check(hip.hipDeviceGetAttribute(pageable, 0))))
library = ctypes.CDLL(os.environ["ROCM_PATH"] + "/lib/libamdhip64.so")
P, SIZE, INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
memory = mmap.mmap(-1, 4 * 65536)
word = ctypes.c_char.from_buffer(memory)
start, answer = P(ctypes.addressof(word)), INT()
read_mostly = int(hip.hipMemoryAdvise.hipMemAdviseSetReadMostly)
print(library.hipMemAdvise(start, SIZE(65536), read_mostly, 0), library.hipMemPrefetchAsync(start, SIZE(4 * 65536), 0, None))
print(library.hipHostRegister(start, SIZE(65536), 0), library.hipMemAdvise(start, SIZE(65536), read_mostly, 0))  # pinned now
print(library.hipHostUnregister(start), library.hipMemAdvise(P(8), SIZE(64), read_mostly, 0))
""",
        CUDA_SHIM_CPU_HOST_POINTERS="1",
    )
    assert done.stdout.split() == ["1", "0", "0", "0", "1", "0", "1"], done.stderr


def test_attaching_to_a_stream(library, managed):
    assert library.hipStreamAttachMemAsync(None, managed.pointer, SIZE(0), 1) == SUCCESS
    assert library.hipStreamAttachMemAsync(None, managed.pointer, SIZE(0), 4) == INVALID  # single: not the null stream
    assert library.hipStreamAttachMemAsync(None, managed.pointer, SIZE(17), 1) == INVALID


def test_functions_by_name(library):
    function, status = P(), ctypes.c_int(9)

    def find(name, flags=0):
        outputs = ctypes.byref(function), 70000000, ctypes.c_uint64(flags), ctypes.byref(status)
        return library.hipGetProcAddress(name, *outputs)

    assert find(b"hipMalloc") == SUCCESS
    assert (function.value, status.value) == (ctypes.cast(library.hipMalloc, P).value, 0)
    assert find(b"hipGetDeviceProperties") == SUCCESS
    assert function.value == ctypes.cast(library.hipGetDevicePropertiesR0600, P).value
    assert find(b"hipMemcpy", flags=2) == SUCCESS
    assert function.value == ctypes.cast(library.hipMemcpy_spt, P).value
    assert find(b"hipNoSuchFunction") == INVALID
    assert (function.value, status.value) == (None, 1)
    assert find(b"malloc") == INVALID


def test_managed_variables_of_modules_are_managed_memory(hip, library, advices):
    kernels = Kernels(hip)
    module = kernels.load(compile_module("basic"))
    pointer, size, managed = P(), SIZE(), ctypes.c_int()
    get = library.hipModuleGetGlobal
    assert get(ctypes.byref(pointer), ctypes.byref(size), P(int(module)), b"shared_value") == SUCCESS
    is_managed = int(hip.hipPointer_attribute.HIP_POINTER_ATTRIBUTE_IS_MANAGED)
    assert library.hipPointerGetAttribute(ctypes.byref(managed), is_managed, pointer) == SUCCESS
    assert managed.value == 1
    assert library.hipMemAdvise(pointer, size, advices["SetReadMostly"], 0) == SUCCESS
    assert library.hipMemPrefetchAsync(pointer, size, 0, None) == SUCCESS
    # And a symbol, which can be copied to.
    value, back = ctypes.c_long(5), ctypes.c_long()
    assert library.hipMemcpyToSymbol(pointer, ctypes.byref(value), size, SIZE(0), 1) == SUCCESS
    assert library.hipMemcpyFromSymbol(ctypes.byref(back), pointer, size, SIZE(0), 2) == SUCCESS
    assert back.value == 5
    assert library.hipModuleUnload(P(int(module))) == SUCCESS


def test_managed_memory_of_no_size(library):
    made = P()
    assert library.hipMallocManaged(ctypes.byref(made), SIZE(0), 1) == INVALID
