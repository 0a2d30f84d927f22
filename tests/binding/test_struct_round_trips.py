"""Any values in any struct: they come back from HIP's own layouts and constants unchanged."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import reduce
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cuda_shim.binding.catalogue import Catalogue
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.binding.structs import from_hip, hip_size, to_hip
from cuda_shim.binding.structs.layout import StructLayout
from cuda_shim.mapping import store
from cuda_shim.mapping.rows import EnumRow, HandleRow, StructRow
from tests.binding.members import single_members
from tests.binding.test_structs_hip import LAYOUTS, objects

_PROPERTY = settings(deadline=None, derandomize=True, database=None, max_examples=150)
_ADDRESS = st.integers(0, (1 << 64) - 1)


def members_of(layout: StructLayout) -> Iterator[tuple[str, st.SearchStrategy[Any]]]:
    """The members that hold one number: their paths, and the values that they may have."""
    for path, place in single_members(layout):
        base = place.field.base
        if base in C_INTEGERS:
            yield path, st.integers(C_INTEGERS[base].low, C_INTEGERS[base].high)
        elif isinstance(place.kind, HandleRow):
            yield path, _ADDRESS if place.kind.storage == "pointer" else st.integers(0, 100)
        elif base in ("float", "double"):
            yield path, st.floats(width=32, allow_nan=False)
        elif isinstance(place.kind, EnumRow):
            yield path, st.sampled_from([member.value for member in place.kind.members])


@pytest.fixture(scope="module", params=LAYOUTS)
def structs(request: pytest.FixtureRequest) -> list[tuple[Any, list[tuple[str, Any]]]]:
    """The classes that HIP has structs for, with their members."""
    catalogue: Catalogue = objects(request.param)
    classes = []
    for table in store.TABLES:
        for name in sorted(store.load(table).names(catalogue.cuda)):
            row = catalogue.row(table, name)
            if isinstance(row, StructRow) and row.hip:
                cls: Any = catalogue.object(table, name)
                members = list(members_of(cls.__struct__.layout))
                if members:
                    classes.append((cls, members))
    assert len(classes) > 60
    return classes


def as_hip(value: Any) -> bytes:
    """The bytes that HIP is given for a struct."""
    try:
        return ctypes.string_at(to_hip(value) or 0, hip_size(type(value)))
    except Refused:  # a constant that HIP lacks: another test's subject
        assume(False)
        raise


@_PROPERTY
@given(data=st.data())
def test_what_hip_is_given_comes_back(structs: list[Any], data: st.DataObject) -> None:
    cls, members = data.draw(st.sampled_from(structs))
    value = cls()
    for path, values in data.draw(st.lists(st.sampled_from(members), min_size=1, max_size=8)):
        *holders, last = path.split(".")
        setattr(reduce(getattr, holders, value), last, data.draw(values))
    given_to_hip = as_hip(value)
    memory = ctypes.create_string_buffer(given_to_hip, len(given_to_hip))
    struct_again = from_hip(cls, ctypes.addressof(memory))
    assert as_hip(struct_again) == given_to_hip
