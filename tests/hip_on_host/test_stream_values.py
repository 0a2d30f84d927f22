"""Waiting for values in memory, writing them, attributes of streams, and copies in batches."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.hip_on_host.hip_program import check, name

P, SIZE = ctypes.c_void_p, ctypes.c_size_t
SUCCESS, INVALID, NOT_READY = 0, 1, 600
GREATER, EQUAL, AND, NOR = range(4)


@pytest.fixture
def stream(library):
    made = P()
    assert library.hipStreamCreateWithFlags(ctypes.byref(made), 1) == SUCCESS
    yield made
    assert library.hipStreamSynchronize(made) == SUCCESS
    assert library.hipStreamDestroy(made) == SUCCESS


@pytest.fixture
def word(hip):
    pointer = int(check(hip.hipHostMalloc(16, 0)))
    ctypes.memset(pointer, 0, 16)
    yield pointer
    check(hip.hipHostFree(pointer))


@pytest.mark.parametrize(
    "how, value, now, wanted", [(GREATER, 5, 4, 5), (EQUAL, 7, 8, 7), (AND, 4, 3, 6), (NOR, 0xFFFFFFF0, 15, 7)]
)
def test_a_stream_waits_for_a_value(library, stream, word, how, value, now, wanted):
    cell = ctypes.c_uint32.from_address(word)
    cell.value = now
    everything = ctypes.c_uint32(0xFFFFFFFF)
    assert library.hipStreamWaitValue32(stream, P(word), ctypes.c_uint32(value), how, everything) == SUCCESS
    assert library.hipStreamWriteValue32(stream, P(word + 4), ctypes.c_uint32(1), 0) == SUCCESS
    assert library.hipStreamQuery(stream) == NOT_READY
    assert ctypes.c_uint32.from_address(word + 4).value == 0
    cell.value = wanted
    assert library.hipStreamSynchronize(stream) == SUCCESS
    assert ctypes.c_uint32.from_address(word + 4).value == 1


def test_wide_values_and_masks(library, stream, word):
    cell = ctypes.c_uint64.from_address(word)
    high = ctypes.c_uint64(1 << 40)
    assert library.hipStreamWaitValue64(stream, P(word), high, EQUAL, ctypes.c_uint64(0xFF << 40)) == SUCCESS
    assert library.hipStreamQuery(stream) == NOT_READY
    cell.value = (1 << 40) | 12345
    assert library.hipStreamSynchronize(stream) == SUCCESS
    assert library.hipStreamWriteValue64(stream, P(word), ctypes.c_uint64(1 << 50), 0) == SUCCESS
    assert library.hipStreamSynchronize(stream) == SUCCESS
    assert cell.value == 1 << 50


def test_addresses_that_cannot_be(library, stream, word):
    one, zero = ctypes.c_uint32(1), ctypes.c_uint32(0)
    assert library.hipStreamWriteValue32(stream, None, one, 0) == INVALID
    assert library.hipStreamWriteValue32(stream, P(word + 1), one, 0) == INVALID
    assert library.hipStreamWriteValue32(stream, P(8), one, 0) == INVALID
    assert library.hipStreamWaitValue32(stream, P(word), one, 9, zero) == INVALID


class ValueOperation(ctypes.Structure):
    _fields_ = [
        ("operation", ctypes.c_int), ("address", P), ("value", ctypes.c_uint64), ("flags", ctypes.c_uint), ("alias", P),
        ("pad", ctypes.c_uint64),
    ]  # fmt: skip


def test_batches_of_values(library, hip, stream, word):
    kinds = hip.hipStreamBatchMemOpType
    write = int(kinds.hipStreamMemOpWriteValue32)
    wait = int(kinds.hipStreamMemOpWaitValue32)
    assert ctypes.sizeof(ValueOperation) == 48
    batch = (ValueOperation * 3)(
        ValueOperation(write, word, 3), ValueOperation(wait, word, 3, EQUAL), ValueOperation(write, word + 4, 4)
    )
    assert library.hipStreamBatchMemOp(stream, 3, batch, 0) == SUCCESS
    assert library.hipStreamSynchronize(stream) == SUCCESS
    assert list((ctypes.c_uint32 * 2).from_address(word)) == [3, 4]
    assert library.hipStreamBatchMemOp(stream, 0, batch, 0) == SUCCESS  # a batch of nothing
    batch[1].operation = 99
    assert library.hipStreamBatchMemOp(stream, 3, batch, 0) == INVALID


class AttributeValue(ctypes.Union):
    _fields_ = [("pad", ctypes.c_char * 64), ("number", ctypes.c_int)]


def test_attributes_of_streams(library, hip, stream):
    policy = int(hip.hipLaunchAttributeID.hipLaunchAttributeSynchronizationPolicy)
    value = AttributeValue(number=3)
    assert library.hipStreamSetAttribute(stream, policy, ctypes.byref(value)) == SUCCESS
    other, back = P(), AttributeValue()
    assert library.hipStreamCreate(ctypes.byref(other)) == SUCCESS
    assert library.hipStreamCopyAttributes(other, stream) == SUCCESS
    assert library.hipStreamGetAttribute(other, policy, ctypes.byref(back)) == SUCCESS
    assert back.number == 3
    assert library.hipStreamSetAttribute(stream, policy, ctypes.byref(AttributeValue(number=77))) == INVALID
    assert library.hipStreamSetAttribute(stream, 9999, ctypes.byref(value)) == INVALID
    assert library.hipStreamDestroy(other) == SUCCESS


class CopyAttributes(ctypes.Structure):
    _fields_ = [("order", ctypes.c_int), ("hints", ctypes.c_int * 4), ("flags", ctypes.c_uint)]


def test_copies_in_batches(library, hip, stream):
    if not hasattr(hip, "hipMemcpyBatchAsync"):
        pytest.skip("this hip-python has no batch copies")
    sources = [np.full(64, i + 1, np.uint8) for i in range(3)]
    targets = [int(check(hip.hipMalloc(64))) for _ in range(3)]
    attributes, first, failed = CopyAttributes(order=2), SIZE(0), SIZE(0)

    def batch(sizes):
        to, of = (P * 3)(*targets), (P * 3)(*[one.ctypes.data for one in sources])
        how = ctypes.byref(attributes), ctypes.byref(first), SIZE(1), ctypes.byref(failed)
        return library.hipMemcpyBatchAsync(to, of, (SIZE * 3)(*sizes), SIZE(3), *how, stream)

    assert batch([64, 64, 64]) == SUCCESS
    for target, source in zip(targets, sources, strict=True):
        back = np.zeros(64, np.uint8)
        check(hip.hipMemcpy(back, target, 64, hip.hipMemcpyKind.hipMemcpyDeviceToHost))
        assert np.array_equal(back, source)
    assert batch([64, 65, 64]) == INVALID
    assert failed.value == 1
    for target in targets:
        assert name(hip.hipFree(target)) == "hipSuccess"
