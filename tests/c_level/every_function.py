"""Calls every C function of a layout once, with nothing in its arguments, beside the function that Python serves.

Run as a program, which prints a line for each disagreement and the number of functions called at the end.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import cuda_shim

cuda_shim.enable(cuda=sys.argv[1])

from cuda_shim.binding import objects_of  # noqa: E402
from cuda_shim.c_level import library  # noqa: E402
from cuda_shim.c_level.interface import Function, functions  # noqa: E402
from cuda_shim.c_level.source import c_parameters  # noqa: E402
from cuda_shim.c_level.types import value_bytes  # noqa: E402
from cuda_shim.mapping.rows import EnumRow, HandleRow, Parameter, StructRow  # noqa: E402

ROOM = 4096
#: Functions that end a context or the device for all that follow, or wait for ever with nothing to wait for.
LEFT_OUT = {
    "cuCtxDestroy", "cuCtxPopCurrent", "cuCtxDetach", "cuCtxSetCurrent", "cuDevicePrimaryCtxReset",
    "cuDevicePrimaryCtxRelease", "cudaDeviceReset", "cudaThreadExit",
    # HIP looks at one of two wrong arguments first, and the adapter at the other.
    "cuLibraryEnumerateKernels", "cudaLibraryEnumerateKernels",
}  # fmt: skip
#: Parts of names of functions whose answers differ from call to call.
CHANGING = ("GetInfo", "MemInfo", "Create", "Alloc", "GetId", "Retain", "BufferId", "DefaultMemPool", "GetMemPool")
SCALARS: dict[str, Any] = {"float": ctypes.c_float, "double": ctypes.c_double}


def zero(kind: str) -> Any:
    """Nothing, as an argument of a C type."""
    if kind.startswith("Bytes<"):
        return type(kind, (ctypes.Structure,), {"_fields_": [("bytes", ctypes.c_char * int(kind[6:-1]))]})()
    return SCALARS.get(kind, ctypes.c_uint64)(0)


def main(layout: str) -> None:
    """Call them all."""
    opened = library.load(layout)
    called = compared = 0
    for function in functions(layout):
        if function.name in LEFT_OUT or function.row is None or "struct" in function.result:
            continue
        scope = objects_of(function.layout).scope(function.table)
        arguments = [zero(kind) for kind, _ in c_parameters(function, scope)]
        call = ctypes.CFUNCTYPE(ctypes.c_int64)(opened.address(function.symbol))
        print(function.symbol, file=sys.stderr)
        call(*arguments)
        called += 1
        if function.layout == layout:
            compared += compare(function, call, scope)
    print(f"called {called} compared {compared}")


def make_context_current() -> None:
    """Python wants a context of the calling thread; any function before may have taken it away."""
    from cuda.bindings import driver

    driver.cuInit(0)
    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])


def compare(function: Function, call: Any, scope: Any) -> bool:
    """The same call in Python, where nothing in the arguments means the same there."""
    row = function.row
    if row is None or row.result is not None or any(not plain(p, scope) for p in row.inputs):
        return False
    served = scope.catalogue.object(function.table, function.name)
    make_context_current()
    given = [0 if not is_struct(p, scope) else scope.class_of(p.base)() for p in row.inputs]
    try:
        status, *outputs = served(*given)
    except (TypeError, RuntimeError, ValueError, AttributeError):
        return False
    rooms = [ctypes.create_string_buffer(ROOM) for _ in row.parameters]
    arguments: list[Any] = []
    for parameter, room in zip(row.parameters, rooms, strict=True):
        if parameter.mode == "out":
            arguments.append(ctypes.c_void_p(ctypes.addressof(room)))
        elif parameter.mode == "in":
            arguments.append(ctypes.c_uint64(0))
    answer = ctypes.c_int(call(*arguments)).value
    if answer != int(status):
        print(f"{function.symbol}: C says {answer}, Python {status!r}")
    elif not status and not function.name.endswith(CHANGING) and not any(w in function.name for w in CHANGING):
        outs = [room for parameter, room in zip(row.parameters, rooms, strict=True) if parameter.mode == "out"]
        for parameter, room, value in zip(row.outputs, outs, outputs, strict=True):
            check(function, parameter, room, value, scope)
    return True


def check(function: Function, parameter: Parameter, room: Any, value: Any, scope: Any) -> None:
    """Assert that the memory that C filled holds the values that Python returned."""
    kind = scope.kind(parameter.base)
    found: Any
    wanted: Any
    if isinstance(value, list):
        return
    if isinstance(value, bytes):
        points = "const **" in function.signature
        found, wanted = (ctypes.c_char_p.from_buffer(room).value if points else room.value), value.rstrip(b"\0")
    elif isinstance(kind, StructRow):
        size = value_bytes(parameter.base, scope)
        found, wanted = room.raw[:size], ctypes.string_at(value.getPtr(), size)
    elif isinstance(value, float):
        found, wanted = ctypes.c_float.from_buffer(room).value, value
    else:
        wide = isinstance(kind, HandleRow) and kind.storage == "pointer"
        found = (ctypes.c_uint64 if wide else ctypes.c_int).from_buffer(room).value
        wanted = int(value) if wide else ctypes.c_int(int(value)).value
    if found != wanted:
        print(f"{function.symbol}: {parameter.name} is {found!r} in C, {wanted!r} in Python")


def is_struct(parameter: Parameter, scope: Any) -> bool:
    """Return whether an argument is a struct."""
    return isinstance(scope.kind(parameter.base), StructRow)


def plain(parameter: Parameter, scope: Any) -> bool:
    """Return whether 0 is 0 in both languages."""
    if parameter.mode != "in" or parameter.suffix or is_struct(parameter, scope):
        return False
    return parameter.base != "char" and not (isinstance(scope.kind(parameter.base), EnumRow) and parameter.suffix)


if __name__ == "__main__":
    main(sys.argv[1])
