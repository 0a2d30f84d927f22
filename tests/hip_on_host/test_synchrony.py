"""Copies and sets that return before their work is done: CUDA's table, row by row.

Each call is made behind a stream that stands still until a timer lets it go on.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

P = ctypes.c_void_p
SIZE = ctypes.c_size_t
SUCCESS, GREATER_EQUAL, DEFAULT_KIND = 0, 0, 4
ROWS, WIDTH = 4, 32
BYTES = ROWS * WIDTH
LARGE = 1 << 20
EVERYTHING = ctypes.c_uint32(0xFFFFFFFF)
DEVICE, PAGEABLE, PINNED, REGISTERED, MANAGED = "device", "pageable", "pinned", "registered", "managed"
HOST = (PAGEABLE, PINNED, REGISTERED)


class Memory:
    """Memory of one kind, filled with one byte."""

    def __init__(self, library: ctypes.CDLL, place: str, byte: int, size: int = LARGE) -> None:
        self._library, self.place, self.pointer = library, place, P()
        self._own = ctypes.create_string_buffer(size)
        if place in (PAGEABLE, REGISTERED):
            self.pointer = P(ctypes.addressof(self._own))
        allocate: dict[str, tuple[Any, ...]] = {
            DEVICE: (library.hipMalloc,),
            PINNED: (library.hipHostMalloc, 0),
            MANAGED: (library.hipMallocManaged, 1),
        }
        if place in allocate:
            call, *flags = allocate[place]
            assert call(ctypes.byref(self.pointer), SIZE(size), *flags) == SUCCESS
        if place == REGISTERED:
            assert library.hipHostRegister(self.pointer, SIZE(size), 0) == SUCCESS
        ctypes.memset(self.pointer, byte, size)  # also the device's: it is the host's here

    def first(self, count: int) -> bytes:
        return ctypes.string_at(self.pointer, count)

    def free(self) -> None:
        call = {DEVICE: "hipFree", MANAGED: "hipFree", PINNED: "hipHostFree", REGISTERED: "hipHostUnregister"}
        if self.place in call:
            assert getattr(self._library, call[self.place])(self.pointer) == SUCCESS


class Held:
    """A stream that stands still until a moment after a call began."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library, self.stream, self._word = library, P(), P()
        assert library.hipStreamCreate(ctypes.byref(self.stream)) == SUCCESS
        assert library.hipHostMalloc(ctypes.byref(self._word), SIZE(4), 0) == SUCCESS
        self._cell = ctypes.c_uint32.from_address(self._word.value or 0)
        self._cell.value = 0
        self._timer = threading.Timer(0.05, self._go_on)

    def _go_on(self) -> None:
        self._cell.value = 1

    def waits(self, call: Callable[[], int], stream: P | None) -> bool:
        """Return whether the call returned only when the stream had gone on."""
        one = ctypes.c_uint32(1)
        assert self._library.hipStreamWaitValue32(stream, self._word, one, GREATER_EQUAL, EVERYTHING) == SUCCESS
        self._timer.start()
        assert call() == SUCCESS
        return self._cell.value == 1

    def end(self) -> None:
        self._timer.cancel()
        self._cell.value = 1
        assert self._library.hipDeviceSynchronize() == SUCCESS
        assert self._library.hipStreamDestroy(self.stream) == SUCCESS
        assert self._library.hipHostFree(self._word) == SUCCESS


@pytest.fixture
def held(library: ctypes.CDLL) -> Iterator[Held]:
    made = Held(library)
    yield made
    made.end()


@pytest.fixture
def memory(library: ctypes.CDLL) -> Iterator[Callable[..., Memory]]:
    made: list[Memory] = []

    def make(*arguments: object) -> Memory:
        made.append(Memory(library, *arguments))  # type: ignore[arg-type]
        return made[-1]

    yield make
    assert library.hipDeviceSynchronize() == SUCCESS
    for one in made:
        one.free()


def copies(library: ctypes.CDLL, form: str, dst: Memory, src: Memory, size: int, *stream: P) -> Callable[[], int]:
    """Return a call that copies `size` bytes: in one row, in four, or in two planes of two rows."""
    if form == "3D":
        row = size // ROWS
        source, target = ((end.pointer.value or 0, row, row, 2) for end in (src, dst))
        params = (ctypes.c_uint64 * 20)(
            *[0] * 4, *source, *[0] * 4, *target, row, 2, 2, DEFAULT_KIND
        )  # hipMemcpy3DParms
        whole = library.hipMemcpy3DAsync if stream else library.hipMemcpy3D
        return lambda: int(whole(params, *stream))
    ends = (dst.pointer, SIZE(size // ROWS), src.pointer, SIZE(size // ROWS))
    if form == "2D":
        call = library.hipMemcpy2DAsync if stream else library.hipMemcpy2D
        return lambda: int(call(*ends, SIZE(size // ROWS), SIZE(ROWS), DEFAULT_KIND, *stream))
    call = library.hipMemcpyAsync if stream else library.hipMemcpy
    return lambda: int(call(dst.pointer, src.pointer, SIZE(size), DEFAULT_KIND, *stream))


SYNCHRONOUS = [
    *((host, DEVICE, True) for host in HOST),
    *((DEVICE, host, True) for host in HOST),
    *((one, other, True) for one in HOST for other in HOST),
    (DEVICE, DEVICE, False),
    (MANAGED, DEVICE, True),
    (DEVICE, MANAGED, True),
]


@pytest.mark.parametrize("form", ["1D", "2D", "3D"])
@pytest.mark.parametrize(("src", "dst", "waits"), SYNCHRONOUS)
def test_copies_without_async_in_their_names(library, held, memory, form, src, dst, waits):
    source, target = memory(src, 7), memory(dst, 0)
    assert held.waits(copies(library, form, target, source, BYTES), None) == waits
    assert (target.first(BYTES) == b"\7" * BYTES) == waits


ASYNCHRONOUS = [
    *((host, DEVICE, False) for host in HOST),  # a small pageable source is read before the call returns
    *((one, other, True) for one in HOST for other in HOST),
    (DEVICE, PAGEABLE, True),
    (DEVICE, PINNED, False),
    (DEVICE, REGISTERED, False),
    (DEVICE, DEVICE, False),
    (MANAGED, DEVICE, False),
    (DEVICE, MANAGED, False),
]


@pytest.mark.parametrize("form", ["1D", "2D", "3D"])
@pytest.mark.parametrize(("src", "dst", "waits"), ASYNCHRONOUS)
def test_copies_with_async_in_their_names(library, held, memory, form, src, dst, waits):
    source, target = memory(src, 7), memory(dst, 0)
    assert held.waits(copies(library, form, target, source, BYTES, held.stream), held.stream) == waits
    if src == PAGEABLE:
        ctypes.memset(source.pointer, 9, BYTES)
    assert library.hipStreamSynchronize(held.stream) == SUCCESS
    assert target.first(BYTES) == b"\7" * BYTES


@pytest.mark.parametrize("form", ["1D", "2D", "3D"])
def test_a_large_pageable_source_is_read_before_the_call_returns(library, held, memory, form):
    source, target = memory(PAGEABLE, 7), memory(DEVICE, 0)
    held.waits(copies(library, form, target, source, LARGE, held.stream), held.stream)
    ctypes.memset(source.pointer, 9, LARGE)
    assert library.hipStreamSynchronize(held.stream) == SUCCESS
    assert target.first(LARGE) == b"\7" * LARGE


def test_rows_of_a_pageable_source_are_read_at_their_pitch(library, held, memory):
    source, target = memory(PAGEABLE, 7), memory(DEVICE, 0)
    ends = (target.pointer, SIZE(40), source.pointer, SIZE(50), SIZE(10), SIZE(3))
    for row in range(3):
        ctypes.memset((source.pointer.value or 0) + 50 * row, row + 1, 10)
    assert not held.waits(lambda: library.hipMemcpy2DAsync(*ends, DEFAULT_KIND, held.stream), held.stream)
    ctypes.memset(source.pointer, 9, 150)
    assert library.hipStreamSynchronize(held.stream) == SUCCESS
    assert target.first(90) == b"".join(bytes([row + 1] * 10 + [0] * 30) for row in range(3))[:90]


@pytest.mark.parametrize("place", [PAGEABLE, DEVICE, PINNED])
def test_copies_of_nothing_wait_for_nothing(library, held, memory, place):
    source, target = memory(place, 7), memory(DEVICE, 0)
    assert not held.waits(copies(library, "1D", target, source, 0), None)


@pytest.mark.parametrize("place", [DEVICE, PINNED, REGISTERED, MANAGED])
@pytest.mark.parametrize("form", ["1D", "2D", "16 bits"])
@pytest.mark.parametrize("named_async", [False, True])
def test_sets(library, held, memory, place, form, named_async):
    target = memory(place, 0)
    suffix, stream = ("Async", [held.stream]) if named_async else ("", [])
    calls = {
        "1D": lambda: getattr(library, f"hipMemset{suffix}")(target.pointer, 7, SIZE(BYTES), *stream),
        "2D": lambda: getattr(library, f"hipMemset2D{suffix}")(
            target.pointer, SIZE(WIDTH), 7, SIZE(WIDTH), SIZE(ROWS), *stream
        ),
        "16 bits": lambda: getattr(library, f"hipMemsetD16{suffix}")(
            target.pointer, ctypes.c_ushort(0x707), SIZE(BYTES // 2), *stream
        ),
    }
    waits = place != DEVICE and not named_async
    assert held.waits(calls[form], held.stream if named_async else None) == waits
    assert (target.first(BYTES) == b"\7" * BYTES) == waits
