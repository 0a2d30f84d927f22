"""The kernelParams argument of launches, in each form that CUDA Python takes.

None, an address, a buffer of `void*`, or `(values, types)`. The last is packed into one block: an 8-byte
slot for each value, then the array of their addresses, which the driver takes. A null address ends that
array, so that the CPU runtime refuses a launch with fewer values than the kernel has parameters.
"""

from __future__ import annotations

import ctypes
import functools
import math
import struct
from collections.abc import Callable
from typing import Any

from cuda_shim.backends import native
from cuda_shim.binding.arguments import address
from cuda_shim.binding.enums.translation import Refused
from cuda_shim.binding.handles import has_own_memory
from cuda_shim.binding.integers import C_INTEGERS
from cuda_shim.errors import UnsupportedAPI

__all__ = ["Block", "Packed", "Structures", "codes", "fill_structures", "pack", "place", "place_for_c"]

_SLOT = 8
_END = bytes(_SLOT)
_IS_HANDLE = 256

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
    """The address of an array of `void*`, and the objects that must stay alive while it is read."""

    __slots__ = ("_address", "_keep")

    def __init__(self, keep: object, address: int) -> None:
        self._address = address
        self._keep = keep

    def __int__(self) -> int:
        return self._address


class Structures:
    """The memory of parameters that include ctypes structures; the kernel may read more bytes than one has."""

    __slots__ = ("_keep", "addresses", "sizes")

    def __init__(self, keep: object, addresses: int, sizes: list[tuple[int, int]]) -> None:
        self._keep = [keep]
        self.addresses = addresses
        """The address of the array of the parameters' addresses."""
        self.sizes = sizes
        """The parameters that are structures, and their bytes."""

    def replace(self, index: int, memory: ctypes.Array[Any]) -> None:
        """Have a parameter read from other memory, which is kept alive."""
        self._keep.append(memory)
        ctypes.c_uint64.from_address(self.addresses + _SLOT * index).value = ctypes.addressof(memory)


def fill_structures(function: Any, packed: Structures) -> None:
    """Give a kernel the whole of each parameter whose structure is shorter: HIP reads all bytes of the parameter.

    ctypes does not know `alignas`, and an empty object has a byte in C++ alone, so that a structure may lack the end
    of the kernel's; that end is zeros. Raises Refused where more is missing than padding or an empty member is.
    Only where `HipPython.describes_functions`, and where the library has hipKernelGetParamInfo.
    """
    describe = _describe()
    if describe is None:
        return
    handle, offset, width = address(function), ctypes.c_size_t(), ctypes.c_size_t()
    for index, size in packed.sizes:
        unknown = describe(handle, index, ctypes.byref(offset), ctypes.byref(width))
        if unknown or width.value <= size:
            continue
        # The parameter's alignment is not known, but divides its size and its offset.
        alignment = (width.value | offset.value) & -(width.value | offset.value)
        if width.value - size > alignment:
            raise Refused(
                f"the kernel's parameter {index} has {width.value} bytes, the ctypes structure for it {size}: "
                "more is missing than padding, so add the members that the kernel's type has",
                logged=True,
            )
        whole = (ctypes.c_char * width.value)()
        ctypes.memmove(whole, ctypes.c_uint64.from_address(packed.addresses + _SLOT * index).value, size)
        packed.replace(index, whole)


@functools.cache
def _describe() -> Callable[..., int] | None:
    pointer = ctypes.c_void_p
    try:
        return native.function("hipKernelGetParamInfo", ctypes.c_int, pointer, ctypes.c_size_t, pointer, pointer)
    except UnsupportedAPI:
        return None


def pack(parameters: object) -> Packed:
    """Return the address to keep in a struct. Raises TypeError and OverflowError as cuda-python does.

    A buffer is read when the struct is used, with the contents that it has by then.
    """
    view = _view(parameters)
    if view is None or view.readonly:
        return Packed(*place(parameters))
    return Packed(view, ctypes.addressof(ctypes.c_char.from_buffer(view.cast("B"))))


_Placed = tuple[object, int]
"""The objects that must stay alive while HIP reads the array of `void*`, and the array's address."""


def place_for_c(parameters: Any) -> tuple[object, int | bytes]:
    """As `place`, for a C function that ctypes calls, and so takes the address of bytes: a buffer is copied at once."""
    if parameters.__class__ is not tuple:
        try:
            return None, b"".join((parameters, _END))
        except (TypeError, BufferError):
            pass  # no buffer, or one whose bytes are not in C's order
    return place(parameters)


def place(parameters: object) -> _Placed:
    """Return the objects that must live until the launch, and the address to launch with.

    Raises as `pack` does; every launch calls it.
    """
    if parameters.__class__ is tuple and len(parameters) == 2:
        values, types = parameters
        if values.__class__ is tuple and types.__class__ is tuple:
            form = _forms.get((types, tuple(map(type, values))))
            if form is not None:
                try:
                    return form.packed(values)
                except (struct.error, OverflowError, ValueError):
                    pass  # a number that does not fit
            return _place_values(values, types)
    if parameters is None:
        return None, 0
    if isinstance(parameters, int):
        return None, _POINTER.check(int(parameters))
    if isinstance(parameters, tuple):
        if len(parameters) == 2 and isinstance(parameters[0], tuple) and isinstance(parameters[1], tuple):
            return _place_values(*parameters)
    else:
        view = _view(parameters)
        if view is not None:
            copy = ctypes.create_string_buffer(view.tobytes(), view.nbytes + _SLOT)
            return copy, ctypes.addressof(copy)
    raise TypeError(
        "Argument 'kernelParams' is not a valid type: tuple[tuple[Any, ...], tuple[Any, ...]] "
        "or PyObject implimenting Buffer Protocol or Int"
    )


class Block:
    """Memory that values are packed into; the body of a launch puts it back into its list `free` afterwards."""

    __slots__ = ("address", "free", "memory")

    def __init__(self, count: int, free: list[Block]) -> None:
        self.memory = (ctypes.c_uint64 * (2 * count + 1))()
        start = ctypes.addressof(self.memory)
        self.address = start + _SLOT * count
        for index in range(count):
            self.memory[count + index] = start + _SLOT * index
        self.free = free


class _Form:
    """The packing of values of certain classes as certain types, where all of them are copied."""

    __slots__ = ("_count", "_free", "_handles", "_pack")

    def __init__(self, codes: list[str], handles: list[tuple[int, Callable[[Any], Any]]]) -> None:
        slots = "".join(f"{code}{_SLOT - struct.calcsize('=' + code)}x" for code in codes)
        self._pack = struct.Struct(f"={slots}").pack_into
        self._handles = handles
        self._count = len(codes)
        # As many blocks as threads have launched at once.
        self._free: list[Block] = []

    def packed(self, values: tuple[Any, ...]) -> tuple[Block, int]:
        """Return the block, and its array of addresses. Raises as `struct` does for a number that does not fit."""
        numbers: Any = values
        if self._handles:
            numbers = list(values)
            for index, number in self._handles:
                numbers[index] = number(values[index])
        try:
            block = self._free.pop()
        except IndexError:
            block = Block(self._count, self._free)
        self._pack(block.memory, 0, *numbers)
        return block, block.address


_forms: dict[tuple[tuple[Any, ...], tuple[type, ...]], _Form] = {}
_MAX_FORMS = 4096


def _learn(types: tuple[Any, ...], values: tuple[Any, ...]) -> None:
    """Keep how a launch packs, where all its values are copied: the next launch of the kernel packs alike."""
    ways = [_way(ctype, value) for ctype, value in zip(types, values, strict=True)]
    if not all(code for code, _ in ways):
        return
    if len(_forms) >= _MAX_FORMS:
        _forms.clear()
    for value, ctype, (code, number) in zip(values, types, ways, strict=True):
        if ctype is None:
            codes[type(value)] = ord(code) | (_IS_HANDLE if number is not None else 0)
    handles = [(index, number) for index, (_, number) in enumerate(ways) if number is not None]
    _forms[types, tuple(map(type, values))] = _Form([code for code, _ in ways], handles)


def _way(ctype: Any, value: Any) -> tuple[str, Callable[[Any], Any] | None]:
    """Return the code of `struct` that copies a value like this one, "" for none, and the getter of its number."""
    kind = type(value)
    if ctype is None:
        if has_own_memory(kind):  # the kernel reads a handle's number from a slot as well as from its memory
            return _CODES.get((kind.__handle__.ctype, int), ""), kind.__int__
        return ("i" if isinstance(value, int) and hasattr(kind, "__row__") else ""), None
    if kind is ctype and ctype in _SIMPLE_TYPES:
        return (f"{ctypes.sizeof(ctype)}s" if ctypes.sizeof(ctype) <= _SLOT else ""), bytes
    return _CODES.get((ctype, kind), ""), None


def _view(parameters: Any) -> memoryview | None:
    """Return the memory of a buffer, None if it is not one. Raises ValueError for one that is in pieces."""
    try:
        view = memoryview(parameters)
    except TypeError:
        return None
    if not view.contiguous:
        raise ValueError("ndarray is not contiguous")
    return view


def _place_values(values: tuple[Any, ...], types: tuple[Any, ...]) -> _Placed:
    count = len(values)
    if count != len(types):
        raise TypeError("Argument 'kernelParams' has tuples with different length")
    if count == 0:
        return None, 0
    block = (ctypes.c_uint64 * (2 * count + 1))()
    start = ctypes.addressof(block)
    structures: list[tuple[int, int]] = []
    for index, (value, ctype) in enumerate(zip(values, types, strict=True)):
        writer = _WRITERS.get((ctype, value.__class__))
        if writer is not None:
            writer(block, _SLOT * index, value)
            block[count + index] = start + _SLOT * index
        else:
            block[count + index] = _place(block, start + _SLOT * index, value, ctype)
            if isinstance(value, ctypes.Structure):
                structures.append((index, ctypes.sizeof(value)))
    if structures:
        addresses = start + _SLOT * count
        return Structures((block, values), addresses, structures), addresses
    _learn(types, values)
    return (block, values), start + _SLOT * count


def _place(block: Any, slot: int, value: Any, ctype: Any) -> int:
    """Put a value into its slot, or find the memory that it has already; return the address to pass."""
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
        number = _POINTER.check(value.value)  # a null pointer's value is None, which is no integer to cuda-python
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


def _own_memory(slot: int, value: object) -> int:
    """Return a value given without a type: it has memory of its own, or is an enum constant, passed as a C int."""
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
    """Return the function that writes an int that must fit, as cuda-python's direct conversions do."""
    write, check = struct.Struct(form).pack_into, C_INTEGERS[c_name].check
    words = {"signed char": "int8_t"}.get(c_name)

    def writer(block: Any, offset: int, value: object) -> None:
        try:
            write(block, offset, value)
        except struct.error:
            try:
                check(value)
            except OverflowError as error:
                raise OverflowError(str(error).replace(c_name, words or c_name)) from None

    return writer


def _cut(form: str) -> _Writer:
    """Write an int without a check, its high bits cut off, as ctypes does."""
    write = struct.Struct(form).pack_into
    mask = (1 << 8 * struct.calcsize(form)) - 1
    return lambda block, offset, value: write(block, offset, value & mask)


_pack_address = struct.Struct("Q").pack_into
_pack_single = struct.Struct("f").pack_into


def _pack_float(block: Any, offset: int, value: float) -> None:
    """Write a float; one too large for a C float becomes an infinity, as in C."""
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

# The codes of `struct` for values that need no check: the writers above decide on values that a code refuses.
_CODES: dict[tuple[Any, type], str] = {
    (ctypes.c_bool, bool): "?",
    (ctypes.c_byte, int): "b",
    (ctypes.c_ubyte, int): "B",
    (ctypes.c_short, int): "h",
    (ctypes.c_ushort, int): "H",
    (ctypes.c_int, int): "i",
    (ctypes.c_uint, int): "I",
    (ctypes.c_long, int): "q" if ctypes.sizeof(ctypes.c_long) == _SLOT else "i",
    (ctypes.c_ulong, int): "Q" if ctypes.sizeof(ctypes.c_long) == _SLOT else "I",
    (ctypes.c_longlong, int): "q",
    (ctypes.c_ulonglong, int): "Q",
    (ctypes.c_void_p, int): "Q",
    (ctypes.c_float, float): "f",
    (ctypes.c_double, float): "d",
}

#: The types and classes of values that compiled calls pack (`native_calls/native/kernel_values.h`): the code of
#: `struct` for each type, and for each class that was given without a type, with a mark on handle classes.
codes: dict[Any, int] = {ctype: ord(code) for (ctype, _), code in _CODES.items()}
