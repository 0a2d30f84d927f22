"""Random allocations of every kind: they never overlap, keep the written bytes, and are all given back."""

from __future__ import annotations

import ctypes

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

P, SIZE = ctypes.c_void_p, ctypes.c_size_t
SUCCESS, INVALID, DEFAULT = 0, 1, 4
KINDS = ("device", "host", "managed", "pool")
RELEASE_THRESHOLD, RESERVED_NOW, USED_NOW = 4, 5, 7
sizes = st.one_of(st.integers(0, 5000), st.integers(0, 3 << 20))
step = st.one_of(
    st.tuples(st.just("allocate"), st.sampled_from(KINDS), sizes, st.integers(0, 255)),
    st.tuples(st.just("free"), st.integers(0, 99), st.booleans()),
    st.tuples(st.just("look"), st.integers(0, 99)),
    st.tuples(st.just("keep"), st.integers(0, 8 << 20)),
    st.tuples(st.just("trim"), st.integers(0, 4 << 20)),
    st.tuples(st.just("wait")),
)


class Memory:
    """The allocator, and the program's model of it: by address, the kind, the size and the byte that is there."""

    def __init__(self, library):
        self.c, self.pool, self.live = library, P(), {}
        assert library.hipDeviceGetDefaultMemPool(ctypes.byref(self.pool), 0) == SUCCESS
        self.set_attribute(RELEASE_THRESHOLD, 0)
        self.free_before = self.free_bytes()

    def free_bytes(self):
        free = SIZE()
        assert self.c.hipDeviceSynchronize() == SUCCESS
        assert self.c.hipMemGetInfo(ctypes.byref(free), None) == SUCCESS
        return free.value

    def attribute(self, which):
        value = ctypes.c_uint64()
        assert self.c.hipMemPoolGetAttribute(self.pool, which, ctypes.byref(value)) == SUCCESS
        return value.value

    def set_attribute(self, which, value):
        assert self.c.hipMemPoolSetAttribute(self.pool, which, ctypes.byref(ctypes.c_uint64(value))) == SUCCESS

    def allocate(self, kind, size, byte):
        made, place = P(), SIZE(size)
        status = {
            "device": lambda: self.c.hipMalloc(ctypes.byref(made), place),
            "host": lambda: self.c.hipHostMalloc(ctypes.byref(made), place, 0),
            "managed": lambda: self.c.hipMallocManaged(ctypes.byref(made), place, 1),
            "pool": lambda: self.c.hipMallocAsync(ctypes.byref(made), place, None),
        }[kind]()
        if kind == "managed" and size == 0:
            assert status != SUCCESS
            return
        assert status == SUCCESS
        if size == 0:
            assert made.value is None
            return
        for base, (_, other, _) in self.live.items():
            assert made.value + size <= base or base + other <= made.value
        self.live[made.value] = kind, size, byte
        assert self.c.hipMemsetAsync(made, byte, place, None) == SUCCESS

    def chosen(self, number):
        return sorted(self.live)[number % len(self.live)]

    def look(self, base):
        """Nothing else has written there, and the allocation ends where it should."""
        _, size, byte = self.live[base]
        back, found = np.empty(size, np.uint8), SIZE()
        assert self.c.hipMemcpy(P(back.ctypes.data), P(base), SIZE(size), DEFAULT) == SUCCESS
        assert (back == byte).all()
        assert self.c.hipMemPtrGetInfo(P(base + size - 1), ctypes.byref(found)) == SUCCESS
        assert found.value == size
        assert self.c.hipMemcpy(P(back.ctypes.data), P(base), SIZE(size + 1), DEFAULT) == INVALID

    def free(self, base, in_stream):
        kind = self.live.pop(base)[0]
        wrong, right = self.c.hipHostFree, self.c.hipFree
        if kind == "host":
            wrong, right = right, wrong
        assert wrong(P(base)) == INVALID
        if in_stream and kind != "host":
            assert self.c.hipFreeAsync(P(base), None) == SUCCESS
        else:
            assert right(P(base)) == SUCCESS
        assert right(P(base)) == INVALID

    def check_pool(self):
        used = sum(size for kind, size, _ in self.live.values() if kind == "pool")
        assert self.c.hipStreamSynchronize(None) == SUCCESS
        assert self.attribute(USED_NOW) == used
        assert self.attribute(RESERVED_NOW) >= used

    def close(self):
        for base in list(self.live):
            self.look(base)
            self.free(base, in_stream=False)
        self.set_attribute(RELEASE_THRESHOLD, 0)
        assert self.c.hipMemPoolTrimTo(self.pool, SIZE(0)) == SUCCESS
        assert self.attribute(RESERVED_NOW) == 0
        assert self.free_bytes() == self.free_before


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(steps=st.lists(step, max_size=40))
def test_allocations_against_a_model(library, steps):
    memory = Memory(library)
    for kind, *rest in steps:
        if kind == "allocate":
            memory.allocate(*rest)
        elif kind in ("free", "look"):
            if memory.live:
                getattr(memory, kind)(memory.chosen(rest[0]), *rest[1:])
        elif kind == "keep":
            memory.set_attribute(RELEASE_THRESHOLD, rest[0])
        elif kind == "trim":
            assert memory.c.hipMemPoolTrimTo(memory.pool, SIZE(rest[0])) == SUCCESS
        else:
            memory.check_pool()
    memory.check_pool()
    memory.close()
