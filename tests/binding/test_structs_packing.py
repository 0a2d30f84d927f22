"""Structs that are moved in one go: as their steps move them one by one. And structs converted at their first read."""

from __future__ import annotations

import ctypes
import random
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from cuda_shim.binding.catalogue import Catalogue
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.structs import Unread, begins_as_zeros
from cuda_shim.binding.structs.hip import result_memory
from cuda_shim.binding.structs.memory import Storage
from cuda_shim.binding.structs.packing import Piece, packing
from cuda_shim.binding.structs.plan import ConversionContext, Plan, plan_for
from cuda_shim.mapping import store
from cuda_shim.mapping.rows import StructRow
from tests.binding.test_structs_hip import LAYOUTS, objects

_RANDOM = random.Random(18)  # noqa: S311 - the same bytes in each run


def unread(cls: Any, read: Any, memory: Any) -> Any:
    """A struct in memory that HIP wrote, as generated functions make it."""
    value = object.__new__(cls)
    value.__storage__ = storage = object.__new__(Unread)
    storage.unread = read, memory
    return value


@pytest.fixture(params=LAYOUTS)
def catalogue(request: pytest.FixtureRequest) -> Catalogue:
    return objects(request.param)


def plans(catalogue: Catalogue) -> Iterator[tuple[str, Plan, int]]:
    """The structs that are laid out otherwise by HIP, with CUDA's size."""
    for table in store.TABLES:
        for name in sorted(store.load(table).names(catalogue.cuda)):
            row = catalogue.row(table, name)
            if isinstance(row, StructRow) and row.hip:
                plan = plan_for(row, catalogue.scope(table))
                if not plan.same:
                    yield name, plan, catalogue.object(table, name).__struct__.layout.size


def random_memory(size: int, pieces: list[Any]) -> Any:
    """Random bytes, with constants that the enum has, or zeros, where constants are."""
    memory = ctypes.create_string_buffer(_RANDOM.randbytes(size), size)
    for piece in pieces:
        if piece is not None and piece.numbers is not None:
            numbers = [0, *(number for number in range(8) if _translates(piece.numbers, number))]
            ctypes.c_uint32.from_buffer(memory, piece.source).value = _RANDOM.choice(numbers)
    return memory


def _translates(numbers: Any, number: int) -> bool:
    try:
        numbers[number]
    except (Refused, TypeError):
        return False
    return True


def test_all_at_once_is_as_step_by_step(catalogue: Catalogue) -> None:
    there = back = 0
    for name, plan, size in plans(catalogue):
        if plan.packed is not None:
            cuda = random_memory(size, [step.piece_to_hip() for step in plan.steps])
            one, other = plan.room(), plan.room()
            plan.to_hip(cuda, 0, one, 0, ConversionContext({}))
            for step in plan.steps:
                step.to_hip(cuda, 0, other, 0, ConversionContext({}))
            assert one.raw == other.raw, name
            there += 1
        pieces = [step.piece_from_hip() for step in plan.steps]
        if packing(pieces) is not None:
            hip = random_memory(plan.hip_size, pieces)
            one, other = ctypes.create_string_buffer(size), ctypes.create_string_buffer(size)
            plan.into_new(hip, 0, one, 0)
            plan.from_hip(hip, 0, other, 0)
            assert one.raw == other.raw, name
            back += 1
    assert there > 10
    assert back > 10


def test_pieces_that_share_bytes_are_moved_one_by_one() -> None:
    assert packing([Piece(0, 0, 8), Piece(8, 8, 8)]) is not None
    assert packing([Piece(0, 0, 8), Piece(4, 8, 8)]) is None
    assert packing([Piece(0, 0, 8), Piece(8, 4, 8)]) is None
    assert packing([Piece(0, 0, 8), None]) is None
    assert packing([]) is None


def test_pieces_in_another_order_arrive_where_they_belong() -> None:
    moving = packing([Piece(0, 6, 2), Piece(4, 0, 4, "I", {7: 9})])
    assert moving is not None
    target = ctypes.create_string_buffer(b"........", 8)
    moving.move(b"ab__\7\0\0\0", 0, target, 0)
    assert target.raw == b"\x09\0\0\0\0\0ab"


def test_a_struct_is_converted_when_it_is_looked_at(catalogue: Catalogue) -> None:
    cls = catalogue.class_of("cudaPointerAttributes", "runtime")
    assert begins_as_zeros(cls)
    room, read = result_memory(cls)
    memory, looks = room(), []
    ctypes.c_int.from_buffer(memory, 4).value = 5

    def read_and_note(memory_read: Any) -> Any:
        looks.append(memory_read)
        return read(memory_read)

    value = unread(cls, read_and_note, memory)
    assert type(value.__storage__) is Unread
    assert looks == []
    assert value.device == 5
    value.device = 6
    ctypes.c_int.from_buffer(memory, 4).value = 7
    assert value.device == 6
    assert looks == [memory]
    assert type(value.__storage__) is Storage
    assert unread(cls, read, memory).getPtr() != 0


def test_threads_that_look_first_together_see_one_struct(catalogue: Catalogue) -> None:
    cls = catalogue.class_of("cudaPointerAttributes", "runtime")
    room, read = result_memory(cls)
    for _ in range(50):
        value, begin = unread(cls, read, room()), threading.Barrier(4)
        addresses: set[int] = set()

        def look(value: Any = value, addresses: Any = addresses, begin: Any = begin) -> None:
            begin.wait()
            addresses.add(value.getPtr())

        threads = [threading.Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(addresses) == 1


def test_a_struct_of_ones_is_made_by_its_class(catalogue: Catalogue) -> None:
    assert not begins_as_zeros(catalogue.class_of("cudaKernelNodeParams", "runtime"))
