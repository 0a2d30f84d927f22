"""kernelParams: the packed bytes of each form, refused values, and NVIDIA's own packing beside it."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cuda_shim
from cuda_shim.binding.kernel_parameters import Block, pack, place, place_for_c

INTEGERS: dict[type, tuple[int, int]] = {
    ctypes.c_byte: (-(2**7), 2**7 - 1), ctypes.c_int: (-(2**31), 2**31 - 1), ctypes.c_longlong: (-(2**63), 2**63 - 1),
    ctypes.c_ubyte: (0, 2**8 - 1), ctypes.c_short: (-(2**15), 2**15 - 1), ctypes.c_ushort: (0, 2**16 - 1),
    ctypes.c_uint: (0, 2**32 - 1), ctypes.c_ulonglong: (0, 2**64 - 1), ctypes.c_size_t: (0, 2**64 - 1),
}  # fmt: skip


def addresses(packed: object, count: int) -> list[int]:
    return list((ctypes.c_uint64 * count).from_address(int(packed)))  # type: ignore[call-overload]


def value_of(ctype: type, address: int) -> object:
    return ctype.from_address(address).value  # type: ignore[attr-defined]


@given(st.data())
def test_any_mixture_of_numbers_arrives(data: st.DataObject) -> None:
    types = data.draw(
        st.lists(st.sampled_from([*INTEGERS, ctypes.c_double, ctypes.c_float, ctypes.c_bool]), max_size=8)
    )
    values = [data.draw(number(ctype)) for ctype in types]
    packed = pack((tuple(values), tuple(types)))
    for ctype, value, address in zip(types, values, addresses(packed, len(types)) if types else [], strict=True):
        assert value_of(ctype, address) == value
        assert address % 8 == 0


def number(ctype: type) -> st.SearchStrategy[object]:
    if ctype is ctypes.c_bool:
        return st.booleans()
    if ctype is ctypes.c_float:
        return st.floats(width=32, allow_nan=False)
    if ctype is ctypes.c_double:
        return st.floats(allow_nan=False)
    return st.integers(*INTEGERS[ctype])


@given(
    st.integers(), st.sampled_from([ctypes.c_uint, ctypes.c_ubyte, ctypes.c_ushort, ctypes.c_size_t, ctypes.c_short])
)
def test_numbers_that_do_not_fit_are_cut_as_ctypes_cuts_them(value: int, ctype: type) -> None:
    packed = pack(((value,), (ctype,)))
    (address,) = addresses(packed, 1)
    assert value_of(ctype, address) == ctype(value).value


@pytest.mark.parametrize(
    ("value", "ctype", "text"),
    [
        (2**31, ctypes.c_int, "value too large to convert to int"),
        (300, ctypes.c_byte, "value too large to convert to int8_t"),
        (2**70, ctypes.c_longlong, "Python int too large to convert to C long"),
    ],
)
def test_numbers_that_cuda_python_refuses(value: int, ctype: type, text: str) -> None:
    with pytest.raises(OverflowError, match=text):
        pack(((value,), (ctype,)))


def test_a_double_too_large_for_a_float_is_an_infinity() -> None:
    packed = pack(((-1e300,), (ctypes.c_float,)))
    (address,) = addresses(packed, 1)
    assert value_of(ctypes.c_float, address) == -math.inf


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=6))
def test_a_buffer_is_passed_as_it_is(numbers: list[int]) -> None:
    array = np.array(numbers, dtype=np.uint64)
    assert int(pack(array)) == array.ctypes.data
    assert addresses(pack(bytes(array)), len(numbers)) == numbers


def test_forms_without_values() -> None:
    assert int(pack(None)) == 0
    assert int(pack(0)) == 0
    assert int(pack(0xABC0)) == 0xABC0
    assert int(pack(((), ()))) == 0


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ([], "Argument 'kernelParams' is not a valid type"),
        ([1, 2], "Argument 'kernelParams' is not a valid type"),
        (((1,),), "Argument 'kernelParams' is not a valid type"),
        ("text", "Argument 'kernelParams' is not a valid type"),
        (((1,), ()), "tuples with different length"),
        (((1,), (None,)), "expected Type <class '_ctypes.Structure'>"),
        (((1.5,), (ctypes.c_int,)), "int"),
        (((1,), (ctypes.c_longdouble,)), "Unsupported type"),
        (((1,), (int,)), "Unsupported type"),
        (((np.uint64(1),), (ctypes.c_void_p,)), "expected Type <class 'int'>"),
    ],
)
def test_forms_that_are_refused(parameters: object, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        pack(parameters)


def test_handles_structs_and_enums() -> None:
    with cuda_shim.enable(cuda="13.5"):
        from cuda.bindings import driver

        pointer = driver.CUdeviceptr(0xF00D)
        size = driver.CUDA_MEMCPY2D()
        constant = driver.CUmemorytype.CU_MEMORYTYPE_ARRAY
        packed = pack(((pointer, size, constant, pointer), (None, None, None, ctypes.c_void_p)))
        places = addresses(packed, 4)
        assert value_of(ctypes.c_uint64, places[0]) == 0xF00D
        assert places[1] == size.getPtr()
        assert value_of(ctypes.c_int, places[2]) == int(constant)
        # cuda-python passes the handle's own storage under c_void_p, not the device pointer in it.
        assert value_of(ctypes.c_uint64, places[3]) == pointer.getPtr()


def test_ctypes_objects_are_copied() -> None:
    value = ctypes.c_int(41)
    packed = pack(((value, ctypes.c_float(1.5)), (ctypes.c_int, ctypes.c_double)))
    value.value = 7
    first, second = addresses(packed, 2)
    assert value_of(ctypes.c_int, first) == 41
    assert value_of(ctypes.c_double, second) == 1.5


def test_a_null_c_void_p_is_no_integer() -> None:
    with pytest.raises(TypeError, match="an integer is required"):
        pack(((ctypes.c_void_p(),), (ctypes.c_void_p,)))


def slots(parameters: tuple[tuple[object, ...], tuple[object, ...]]) -> list[int]:
    """The eight bytes behind each address."""
    owner, address = place(parameters)
    values = [value_of(ctypes.c_uint64, one) for one in addresses(address, len(parameters[0]))]
    del owner
    return values  # type: ignore[return-value]


def test_launches_that_are_packed_as_one_before_pack_the_same() -> None:
    with cuda_shim.enable(cuda="13.5"):
        from cuda.bindings import driver

        cell = driver.CUdeviceptr(0)
        ctypes.c_uint64.from_address(cell.getPtr()).value = 0xBEEF  # the value of a handle with memory of its own
        constant = driver.CUmemorytype.CU_MEMORYTYPE_ARRAY
        types = (None, None, None, None, ctypes.c_int, ctypes.c_float, ctypes.c_int, ctypes.c_ubyte)
        handles = driver.CUdeviceptr(1 << 63), cell, driver.CUdevice(3)
        values = (*handles, constant, -1, 1.5, ctypes.c_int(-7), ctypes.c_ubyte(255))
        first = slots((values, types))
        # A slot of eight bytes is wider than some values; only theirs count, and the others are zeros when it is new.
        assert slots((values, types)) == [*first[:1], 0xBEEF, 3, 3, 0xFFFFFFFF, 0x3FC00000, 0xFFFFFFF9, 255]
        assert first[0] == 1 << 63
        # A signalling NaN stays one.
        signalling = ctypes.c_float.from_buffer_copy((0x7F800001).to_bytes(4, "little"))
        for _ in range(2):
            assert slots(((signalling,), (ctypes.c_float,))) == [0x7F800001]


def test_values_of_other_classes_are_packed_by_themselves() -> None:
    types = (ctypes.c_int, ctypes.c_int)
    for _ in range(3):
        assert slots(((1, 2), types)) == [1, 2]
        assert slots(((ctypes.c_int(3), 4), types)) == [3, 4]
        assert slots(((np.int32(5), 6), types)) == [5, 6]
        with pytest.raises(OverflowError):
            place(((1, 2**40), types))
        with pytest.raises(TypeError, match="different length"):
            place(((1,), types))


def test_a_handle_with_a_program_s_own_memory_is_read_there() -> None:
    with cuda_shim.enable(cuda="13.5"):
        from cuda.bindings import driver

        memory = ctypes.c_uint64(77)

        class Elsewhere(driver.CUdeviceptr):  # type: ignore[misc]
            def getPtr(self) -> int:
                return ctypes.addressof(memory)

        for _ in range(2):
            _, address = place(((Elsewhere(5),), (None,)))
            assert addresses(address, 1) == [ctypes.addressof(memory)]


def test_memory_that_is_in_use_is_not_given_again() -> None:
    parameters = (1.5, 2), (ctypes.c_double, ctypes.c_int)
    place(parameters)
    first, second = place(parameters), place(parameters)
    assert isinstance(first[0], Block)
    assert isinstance(second[0], Block)
    assert first[1] != second[1]
    first[0].free.append(first[0])
    assert place(parameters)[1] == first[1]
    assert pack(parameters) is not None  # pack keeps memory of its own
    assert place(parameters)[1] not in (first[1], second[1])


@pytest.mark.parametrize(
    "buffer", [np.arange(5, dtype=np.uint64), bytes(range(16)), bytearray(range(8)), (ctypes.c_void_p * 2)(1, 2)]
)
def test_c_functions_are_given_a_copy_of_a_buffer(buffer: object) -> None:
    owner, address = place_for_c(buffer)
    assert (owner, address) == (None, bytes(buffer) + bytes(8))  # type: ignore[call-overload]
    backwards = np.arange(5, dtype=np.uint64)[::-1]
    with pytest.raises(ValueError, match="not contiguous"):
        place_for_c(backwards)
