"""Hints about managed memory, and other calls that only keep what they are told."""

from __future__ import annotations

import ctypes

import pytest

from .kernel_modules import Kernels, compile_module

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
    assert managed.ask(attributes["AccessedBy"], 4) == [HOST, 0, NOWHERE, NOWHERE]
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
