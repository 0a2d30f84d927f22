"""Arguments of a C call as Python has them, and results as C wants them.

A C function hands its arguments to Python as 64 bits each (`word` in support.h). The row gives their types: a reader
makes the Python argument of a parameter, a writer puts a result where the program's pointer leads.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from cuda_shim.binding.integers import C_INTEGERS, C_REALS
from cuda_shim.binding.outside_memory import bytes_at
from cuda_shim.binding.parameters.list_of import count_of
from cuda_shim.binding.structs import duplicate
from cuda_shim.mapping.rows import EnumRow, FunctionRow, HandleRow, Parameter, StructRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.scope import Scope

__all__ = [
    "RawArguments",
    "Reader",
    "Writer",
    "element_of",
    "length_of_text",
    "reader",
    "require_entries",
    "text_address",
    "writer",
]

RawArguments = Sequence[int]
Reader = Callable[[RawArguments], Any]
Writer = Callable[[RawArguments, Any], None]

_MAX_ENTRIES = 1 << 20
_texts: dict[bytes, Any] = {}


def text_address(text: bytes | None) -> int:
    """Return the address of a C string that stays for good: names and messages, of which there are few."""
    if text is None:
        return 0
    return ctypes.addressof(_texts.setdefault(text, ctypes.create_string_buffer(text)))


def element_of(base: str, scope: Scope) -> tuple[int, Callable[[int], Any], Callable[[int, Any], None]]:
    """Return a type in memory: its bytes, how it is read at an address, and how it is written there."""
    if base in C_INTEGERS or base in C_REALS:
        return _plain(C_INTEGERS[base].ctype if base in C_INTEGERS else C_REALS[base])
    row = scope.kind(base)
    if isinstance(row, StructRow):
        return _struct(scope.class_of(base))
    if isinstance(row, EnumRow):
        return _constant(scope.class_of(base))
    if isinstance(row, HandleRow):
        return _handle(scope.class_of(base), scope.handle_integer(base).ctype)
    return _plain(ctypes.c_void_p)


def _plain(ctype: Any) -> tuple[int, Callable[[int], Any], Callable[[int, Any], None]]:
    def write(address: int, value: Any) -> None:
        ctype.from_address(address).value = value

    return ctypes.sizeof(ctype), lambda address: ctype.from_address(address).value or 0, write


def _struct(cls: Any) -> tuple[int, Callable[[int], Any], Callable[[int, Any], None]]:
    size = cls.__struct__.layout.size
    return size, lambda address: cls(_ptr=address), lambda address, value: _copy(address, value, size)


def _copy(address: int, value: Any, size: int) -> None:
    ctypes.memmove(address, value.getPtr(), size)


def _constant(cls: Any) -> tuple[int, Callable[[int], Any], Callable[[int, Any], None]]:
    members = {int(member): member for member in cls.__members__.values()}

    def read(address: int) -> Any:
        number = ctypes.c_int.from_address(address).value
        return members.get(number, number)

    def write(address: int, value: Any) -> None:
        ctypes.c_int.from_address(address).value = int(value)

    return 4, read, write


def _handle(cls: Any, ctype: Any) -> tuple[int, Callable[[int], Any], Callable[[int, Any], None]]:
    def write(address: int, value: Any) -> None:
        ctype.from_address(address).value = int(value)

    return ctypes.sizeof(ctype), lambda address: cls(ctype.from_address(address).value or 0), write


def reader(parameter: Parameter, at: int, row: FunctionRow, scope: Scope) -> Reader:
    """Return the function that makes the Python argument of the C argument number `at`."""
    base, suffix = parameter.base, parameter.suffix
    if parameter.name in ("kernelParams", "extra"):
        return lambda arguments: arguments[at]
    if suffix.endswith("[]"):
        return _list(parameter, at, row, scope)
    if base == "char":
        return lambda arguments: ctypes.string_at(arguments[at]) if arguments[at] else None
    kind = scope.kind(base) if base not in C_INTEGERS else None
    _, read, _ = element_of(base, scope)
    if base == "CUlaunchConfig":
        read = _configuration(scope)
    pointed = parameter.mode == "inout" or suffix
    if isinstance(kind, StructRow):  # by value too: the word is the address of the bytes
        return lambda arguments: read(arguments[at]) if arguments[at] else None
    if isinstance(kind, HandleRow) and suffix == "*":
        cls = scope.class_of(base)
        return lambda arguments: cls(_ptr=arguments[at]) if arguments[at] else None
    if pointed and not (suffix and parameter.mode == "in"):
        return lambda arguments: read(arguments[at]) if arguments[at] else 0
    if suffix:
        return lambda arguments: arguments[at]
    return _value(base, kind, read, at, scope)


def _configuration(scope: Scope) -> Callable[[int], Any]:
    """Return the reader of a launch's configuration with its attributes.

    The attributes are an array elsewhere: a struct at an address shows none, since only the program knows their number.
    """
    cls, attribute = scope.class_of("CUlaunchConfig"), scope.class_of("CUlaunchAttribute")
    size, begin = attribute.__struct__.layout.size, cls.__struct__.layout.place("attrs").offset

    def read(address: int) -> Any:
        configuration = cls(_ptr=address)
        count, first = configuration.numAttrs, ctypes.c_uint64.from_address(address + begin).value
        if not count or not first:
            return configuration
        require_entries(first, count, size)
        complete = duplicate(configuration)
        complete.attrs = [attribute(_ptr=first + size * number) for number in range(count)]
        return complete

    return read


def _value(base: str, kind: object, read: Callable[[int], Any], at: int, scope: Scope) -> Reader:
    """Return a value that is in the word itself."""
    if base in C_INTEGERS:
        number = C_INTEGERS[base].ctype
        return lambda arguments: number(arguments[at]).value
    if isinstance(kind, HandleRow):
        cls, integer = scope.class_of(base), scope.handle_integer(base).ctype
        return lambda arguments: cls(integer(arguments[at]).value)

    def value(arguments: RawArguments) -> Any:
        cell = ctypes.c_uint64(arguments[at])
        return read(ctypes.addressof(cell))

    return value


def _list(parameter: Parameter, at: int, row: FunctionRow, scope: Scope) -> Reader:
    counted = count_of(parameter, row)
    where = row.parameters.index(counted) if counted is not None else -1
    pointers = parameter.suffix.count("*")
    read: Callable[[int], Any]
    if pointers and parameter.base == "char":
        size, read = 8, _text_at
    elif pointers:
        size, read, _ = _plain(ctypes.c_void_p)
    else:
        size, read, _ = element_of(parameter.base, scope)

    def entries(arguments: RawArguments) -> list[Any] | None:
        if not arguments[at]:
            return None
        count = arguments[where] if where >= 0 else 0
        require_entries(arguments[at], count, size)
        return [read(arguments[at] + size * index) for index in range(count)]

    return entries


def require_entries(address: int, count: int, size: int) -> None:
    """Raise ValueError for a count of entries that are not at an address."""
    if count > _MAX_ENTRIES or len(bytes_at(address, count * size)) < count * size:
        raise ValueError(f"{count} entries at address {address:#x} cannot be read")


def _text_at(address: int) -> bytes:
    return ctypes.c_char_p.from_address(address).value or b""


def writer(parameter: Parameter, at: int, stars: int, row: FunctionRow, scope: Scope) -> Writer:
    """Return the writer of a result through C argument number `at`, with `stars` in its type; NULL takes none."""
    if parameter.base == "char" and not parameter.suffix.endswith("[]"):
        return _text(at, stars, row)
    if parameter.suffix.endswith("[]"):
        return _array(parameter, at, row, scope)
    if parameter.suffix:
        _, _, write = _plain(ctypes.c_void_p)
    else:
        _, _, write = element_of(parameter.base, scope)
    return lambda arguments, value: write(arguments[at], value) if arguments[at] else None


def _text(at: int, stars: int, row: FunctionRow) -> Writer:
    if stars > 1:
        pointer = ctypes.c_void_p.from_address

        def point(arguments: RawArguments, value: Any) -> None:
            pointer(arguments[at]).value = text_address(value)

        return point
    length = length_of_text(row)

    def copy(arguments: RawArguments, value: Any) -> None:
        room = arguments[length] & 0x7FFFFFFF
        if arguments[at] and room:
            text = bytes(value).split(b"\0", 1)[0][: room - 1] + b"\0"
            ctypes.memmove(arguments[at], text, len(text))

    return copy


def length_of_text(row: FunctionRow) -> int:
    """Return the number of the argument with the size of a text's buffer."""
    return next(i for i, p in enumerate(row.parameters) if p.name.lower().startswith(("len", "size", "buffersize")))


def _array(parameter: Parameter, at: int, row: FunctionRow, scope: Scope) -> Writer:
    size, _, write = element_of(parameter.base, scope) if "*" not in parameter.suffix else _plain(ctypes.c_void_p)
    room = next((i for i, p in enumerate(row.parameters) if p.mode == "inout"), None)
    counted = count_of(parameter, row)
    count_at = row.parameters.index(counted) if counted is not None else None

    def fill(arguments: RawArguments, values: Any) -> None:
        if not arguments[at]:
            return
        entries = list(values or ())
        if room is not None and arguments[room]:
            entries = entries[: ctypes.c_size_t.from_address(arguments[room]).value]
        elif count_at is not None:
            entries = entries[: arguments[count_at]]
        for index, value in enumerate(entries):
            write(arguments[at] + size * index, value)

    return fill
