"""The kernelParams argument of launches, in each form that CUDA Python takes.

None, an address, a buffer of `void*`, or `(values, types)`. The last is packed into one block: an 8-byte
slot for each value, then the array of their addresses, which is what the driver wants. A null address ends that
array, so that the CPU runtime refuses a launch with fewer values than the kernel has parameters.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable
from typing import Any

from cuda_shim.binding.integers import C_INTEGERS

__all__ = ["Packed", "pack", "pack_closed"]

_SLOT = 8

_SIMPLE_TYPES = frozenset(
    getattr(ctypes, f"c_{name}")
    for name in (
        [
            "bool",
            "char",
            "wchar",
            "byte",
            "ubyte",
            "short",
            "ushort",
            "int",
            "uint",
            "long",
            "ulong",
            "longlong",
            "ulonglong",
            "size_t",
            "float",
            "double",
        ]
    )
)


class Packed:
    """The address of an array of `void*`, and what must stay alive while it is read."""

    __slots__ = ("_address", "_keep", "structs")

    def __init__(self, address: int, keep: object, structs: tuple[tuple[int, int], ...] = ()) -> None:
        self._address = address
        self._keep = keep
        self.structs = structs
        """Which values are ctypes structures, and their bytes: the kernel may want more than that."""

    def __int__(self) -> int:
        return self._address


def pack(parameters: Any) -> Packed:
    """The address to launch with. Raises TypeError and OverflowError as cuda-python does."""
    if parameters is None:
        return Packed(0, None)
    if isinstance(parameters, int):
        return Packed(_POINTER.check(int(parameters)), None)
    if isinstance(parameters, tuple):
        if len(parameters) == 2 and isinstance(parameters[0], tuple) and isinstance(parameters[1], tuple):
            return _pack_values(*parameters)
    else:
        view = _buffer(parameters)
        if view is not None:
            return view
    raise TypeError(
        "Argument 'kernelParams' is not a valid type: tuple[tuple[Any, ...], tuple[Any, ...]] "
        "or PyObject implimenting Buffer Protocol or Int"
    )


def pack_closed(parameters: Any) -> Packed:
    """The same for a launch, where an array of addresses ends with a null one too: it is copied for that."""
    packed = pack(parameters)
    if isinstance(packed._keep, memoryview):
        size = packed._keep.nbytes
        copy = ctypes.create_string_buffer(packed._keep.tobytes(), size + _SLOT)
        return Packed(ctypes.addressof(copy), copy)
    return packed


def _buffer(parameters: Any) -> Packed | None:
    try:
        view = memoryview(parameters)
    except TypeError:
        return None
    if not view.contiguous:
        raise ValueError("ndarray is not contiguous")
    if not view.readonly:
        return Packed(ctypes.addressof(ctypes.c_char.from_buffer(view.cast("B"))), view)
    copy = ctypes.create_string_buffer(view.tobytes(), view.nbytes + _SLOT)
    return Packed(ctypes.addressof(copy), copy)


def _pack_values(values: tuple[Any, ...], types: tuple[Any, ...]) -> Packed:
    count = len(values)
    if count != len(types):
        raise TypeError("Argument 'kernelParams' has tuples with different length")
    if count == 0:
        return Packed(0, None)
    block = (ctypes.c_uint64 * (2 * count + 1))()
    start = ctypes.addressof(block)
    structs: tuple[tuple[int, int], ...] = ()
    for index, (value, ctype) in enumerate(zip(values, types, strict=True)):
        writer = _WRITERS.get((ctype, value.__class__))
        if writer is not None:
            writer(block, _SLOT * index, value)
            block[count + index] = start + _SLOT * index
        else:
            block[count + index] = _place(block, start + _SLOT * index, value, ctype)
            if isinstance(value, ctypes.Structure):
                structs += ((index, ctypes.sizeof(value)),)
    return Packed(start + _SLOT * count, (block, values), structs)


def _place(block: Any, slot: int, value: Any, ctype: Any) -> int:
    """Put a value into its slot, or find the memory that it has already; the address to pass."""
    if ctype is None:
        return _own_memory(slot, value)
    if ctype in _SIMPLE_TYPES:
        if ctype is ctypes.c_double and isinstance(value, ctypes.c_float):
            value = value.value
        ctypes.memmove(slot, ctypes.byref(value if isinstance(value, ctype) else ctype(value)), ctypes.sizeof(ctype))
        return slot
    if ctype is not ctypes.c_void_p:
        raise TypeError(f"Unsupported type: {ctype!r}")
    if isinstance(value, ctypes.c_void_p):
        number = _POINTER.check(value.value)  # the null pointer's is None, which cuda-python takes for no integer
    elif isinstance(value, int):
        number = _POINTER.check(int(value))
    elif callable(getattr(value, "getPtr", None)):
        number = value.getPtr()
    else:
        raise TypeError(
            f"Provided argument is of type {type(value)} but expected Type {int}, {ctypes.c_void_p} "
            "or CUDA Binding structure with getPtr() attribute"
        )
    ctypes.c_uint64.from_address(slot).value = number
    return slot


def _own_memory(slot: int, value: Any) -> int:
    """A value given without a type: it has memory of its own, or is an enum constant, passed as a C int."""
    get_pointer = getattr(value, "getPtr", None)
    if callable(get_pointer):
        return int(get_pointer())
    if isinstance(value, ctypes.Structure):
        return ctypes.addressof(value)
    if isinstance(value, int) and hasattr(type(value), "__row__"):
        ctypes.c_int.from_address(slot).value = int(value)
        return slot
    raise TypeError(
        f"Provided argument is of type {type(value)} but expected Type {ctypes.Structure}, {ctypes.c_void_p} "
        "or CUDA Binding structure with getPtr() attribute"
    )


_POINTER = C_INTEGERS["unsigned long long"]
_Writer = Callable[[Any, int, Any], None]


def _checked(form: str, c_name: str) -> _Writer:
    """Writes an int that must fit, as cuda-python's direct conversions do."""
    write, check = struct.Struct(form).pack_into, C_INTEGERS[c_name].check
    words = {"signed char": "int8_t"}.get(c_name)

    def writer(block: Any, offset: int, value: Any) -> None:
        try:
            write(block, offset, value)
        except struct.error:
            try:
                check(value)
            except OverflowError as error:
                raise OverflowError(str(error).replace(c_name, words or c_name)) from None

    return writer


def _cut(form: str) -> _Writer:
    """Writes an int without a check, its high bits cut off, as ctypes does."""
    write = struct.Struct(form).pack_into
    mask = (1 << 8 * struct.calcsize(form)) - 1
    return lambda block, offset, value: write(block, offset, value & mask)


_pack_address = struct.Struct("Q").pack_into
_pack_single = struct.Struct("f").pack_into


def _pack_float(block: Any, offset: int, value: float) -> None:
    """Writes a float; one too large for a C float becomes an infinity, as in C."""
    try:
        _pack_single(block, offset, value)
    except OverflowError:
        _pack_single(block, offset, math.copysign(math.inf, value))


_WRITERS: dict[tuple[Any, type], _Writer] = {
    (ctypes.c_bool, bool): struct.Struct("?").pack_into,
    (ctypes.c_byte, int): _checked("b", "signed char"),
    (ctypes.c_int, int): _checked("i", "int"),
    (ctypes.c_ubyte, int): _cut("B"),
    (ctypes.c_short, int): _cut("H"),
    (ctypes.c_ushort, int): _cut("H"),
    (ctypes.c_uint, int): _cut("I"),
    (ctypes.c_long, int): _cut("Q" if ctypes.sizeof(ctypes.c_long) == _SLOT else "I"),
    (ctypes.c_ulong, int): _cut("Q" if ctypes.sizeof(ctypes.c_long) == _SLOT else "I"),
    (ctypes.c_ulonglong, int): _cut("Q"),
    # On Linux this is c_long as well; cuda-python checks both there.
    (ctypes.c_longlong, int): _checked("q", "long long"),
    (ctypes.c_void_p, int): lambda block, offset, value: _pack_address(block, offset, _POINTER.check(value)),
    (ctypes.c_float, float): _pack_float,
    (ctypes.c_double, float): struct.Struct("d").pack_into,
}
