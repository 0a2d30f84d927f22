"""C calls whose arguments Python takes in another shape than the row's types.

Memory that is filled in place, values whose type an attribute decides, options of linking, addresses of functions.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cuda_shim.adapters.version import driver_version
from cuda_shim.c_level import tensor_maps
from cuda_shim.c_level.interface import Function
from cuda_shim.c_level.raw_arguments import RawArguments, element_of, reader, writer
from cuda_shim.mapping.rows import FunctionRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cuda_shim.binding.scope import Scope

__all__ = ["SPECIAL", "find_symbols_with"]

_Special = Callable[[Function, Callable[..., Any], "Scope"], Callable[[RawArguments], int]]

_INVALID_INPUT = 3  # NVRTC_ERROR_INVALID_INPUT
_INVALID_VALUE = 1
_PER_THREAD = 2  # CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
_FLAGS = (0, 1, _PER_THREAD)
_LOGS = {
    "CU_JIT_INFO_LOG_BUFFER": "CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES",
    "CU_JIT_ERROR_LOG_BUFFER": "CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES",
}
_MAX_BYTES = 1 << 20  # the size of the longest list of numbers of devices
_DEFAULT_PROGRAM = b"default_program"


def _filled(function: Function, serve: Callable[..., Any], scope: Scope) -> Callable[[RawArguments], int]:
    """nvrtcGetPTX, nvrtcGetCUBIN, nvrtcGetProgramLog: as many bytes as the call beside it gives as the size."""
    size_of: Callable[..., Any] = scope.catalogue.object("nvrtc", f"{function.name}Size")
    program = scope.class_of("nvrtcProgram")

    def fill(arguments: RawArguments) -> int:
        if not arguments[1]:
            return _INVALID_INPUT
        prog = program(arguments[0])
        status, size = size_of(prog)
        if status:
            return int(status)
        room = bytearray(size)
        (status,) = serve(prog, room)
        if not status:
            ctypes.memmove(arguments[1], bytes(room), size)
        return int(status)

    return fill


def _created(function: Function, serve: Callable[..., Any], scope: Scope) -> Callable[[RawArguments], int]:
    """nvrtcCreateProgram, whose name may be NULL."""
    row = _row(function)
    readers = [reader(parameter, at + 1, row, scope) for at, parameter in enumerate(row.inputs)]

    def create(arguments: RawArguments) -> int:
        source, name, *headers = (read(arguments) for read in readers)
        if not arguments[0] or source is None:
            return _INVALID_INPUT
        status, handle = serve(source, name or _DEFAULT_PROGRAM, *headers)
        if not status:
            ctypes.c_void_p.from_address(arguments[0]).value = int(handle)
        return int(status)

    return create


def _destroyed(function: Function, serve: Callable[..., Any], scope: Scope) -> Callable[[RawArguments], int]:
    """nvrtcDestroyProgram, which leaves NULL behind."""
    program = scope.class_of("nvrtcProgram")

    def destroy(arguments: RawArguments) -> int:
        if not arguments[0]:
            return _INVALID_INPUT
        cell = ctypes.c_void_p.from_address(arguments[0])
        (status,) = serve(program(cell.value or 0))
        if not status:
            cell.value = None
        return int(status)

    return destroy


def _architectures(function: Function, serve: Callable[..., Any], scope: Scope) -> Callable[[RawArguments], int]:
    """nvrtcGetSupportedArchs: an array of the length that the call beside it gives."""

    def get(arguments: RawArguments) -> int:
        if not arguments[0]:
            return _INVALID_INPUT
        status, architectures = serve()
        if not status:
            (ctypes.c_int * len(architectures)).from_address(arguments[0])[:] = architectures
        return int(status)

    return get


def _exported(function: Function, serve: Callable[..., Any], scope: Scope) -> Callable[[RawArguments], int]:
    """Serve handles for other processes: a file descriptor, or a handle of 64 bytes."""
    row = _row(function)
    readers = [reader(parameter, at + 1, row, scope) for at, parameter in enumerate(row.inputs)]

    def export(arguments: RawArguments) -> int:
        if not arguments[0]:
            return _INVALID_VALUE
        status, handle = serve(*[read(arguments) for read in readers])
        if not status:
            if isinstance(handle, int):
                ctypes.c_int.from_address(arguments[0]).value = handle
            else:
                ctypes.memmove(arguments[0], handle.getPtr(), type(handle).__struct__.layout.size)
        return int(status)

    return export


def _range_attribute(function: Function, serve: Callable[..., Any], scope: Scope) -> Callable[[RawArguments], int]:
    """cuMemRangeGetAttribute: an int, or the numbers of devices."""
    row = _row(function)
    readers = [reader(parameter, at + 1, row, scope) for at, parameter in enumerate(row.inputs)]

    def get(arguments: RawArguments) -> int:
        if not arguments[0] or not arguments[1] or arguments[1] % 4 or arguments[1] > _MAX_BYTES:
            return _INVALID_VALUE
        status, value = serve(*[read(arguments) for read in readers])
        if not status:
            _put_numbers(arguments[0], arguments[1], value)
        return int(status)

    return get


def _range_attributes(function: Function, serve: Callable[..., Any], scope: Scope) -> Callable[[RawArguments], int]:
    """cuMemRangeGetAttributes: as the single calls, each with a size of its own."""
    constant = element_of(_row(function).inputs[1].base, scope)[1]

    def get(arguments: RawArguments) -> int:
        count = arguments[3]
        if not all(arguments[:4]) or count > 64:
            return _INVALID_VALUE
        places, sizes = ((ctypes.c_size_t * count).from_address(arguments[at]) for at in (0, 1))
        if not all(places) or max(sizes) > _MAX_BYTES:
            return _INVALID_VALUE
        attributes = [constant(arguments[2] + 4 * index) for index in range(count)]
        status, results = serve(list(sizes), attributes, count, arguments[4], arguments[5])
        if not status:
            for place, size, value in zip(places, sizes, results, strict=True):
                _put_numbers(place, size, value)
        return int(status)

    return get


def _put_numbers(place: int, size: int, value: Any) -> None:
    numbers = value if isinstance(value, list) else [int(value)]
    for index, number in enumerate(numbers[: size // 4]):
        ctypes.c_int.from_address(place + 4 * index).value = number


def _with_options(function: Function, serve: Callable[..., Any], scope: Scope) -> Callable[[RawArguments], int]:
    """Serve loading and linking: each option's value is a number or a buffer in the place of a pointer."""
    row = _row(function)
    places = {parameter.name: at for at, parameter in enumerate(row.parameters)}
    values = next(p.name for p in row.inputs if p.name.lower() in ("optionvalues", "jitoptionsvalues"))
    constants = row.inputs[[p.name for p in row.inputs].index(values) - 1].name
    readers = {parameter.name: reader(parameter, places[parameter.name], row, scope) for parameter in row.inputs}
    outputs = [(places[p.name], writer(p, places[p.name], 1, row, scope)) for p in row.outputs]
    members = scope.catalogue.class_of("CUjit_option", "driver").__members__
    buffers = {int(members[buffer]): int(members[size]) for buffer, size in _LOGS.items()}

    def call(arguments: RawArguments) -> int:
        if outputs and not any(arguments[at] for at, _ in outputs):
            return _INVALID_VALUE
        value_of = {name: read(arguments) for name, read in readers.items()}
        options = [int(option) for option in value_of[constants] or ()]
        numbers = dict(zip(options, value_of[values] or (), strict=False))
        if numbers:
            value_of[values] = [_option(option, numbers, buffers) for option in options]
        status, *results = serve(*value_of.values())
        if not status:
            for (_, write), result in zip(outputs, results, strict=True):
                write(arguments, result)
        return int(status)

    return call


def _option(option: int, numbers: dict[int, int], buffers: dict[int, int]) -> Any:
    """Return the value of an option: a log's memory, or the low half of a pointer's bits."""
    number = numbers[option] or 0
    if option in buffers and number:
        room = (numbers.get(buffers[option]) or 0) & 0xFFFFFFFF
        return (ctypes.c_char * room).from_address(number)
    if option in buffers:
        return b""
    low = number & 0xFFFFFFFF
    return low if low < 1 << 31 else low - (1 << 32)


def _row(function: Function) -> FunctionRow:
    row = function.row
    if row is None:
        raise KeyError(function.name)
    return row


def _find_nothing(name: str, version: int, per_thread: bool) -> tuple[int, int]:
    return 0, 1


_find: Callable[[str, int, bool], tuple[int, int]] = _find_nothing


def find_symbols_with(find: Callable[[str, int, bool], tuple[int, int]]) -> None:
    """Have addresses of driver functions found by `find`, which gives an address, or 0, and how the search went."""
    global _find
    _find = find


def _entry_point(function: Function, serve: Callable[..., Any], scope: Scope) -> Callable[[RawArguments], int]:
    """cuGetProcAddress, cudaGetDriverEntryPoint: addresses of the library's own functions."""
    row = _row(function)
    places = {parameter.name: at for at, parameter in enumerate(row.parameters)}
    query = next((at for name, at in places.items() if "tatus" in name), None)
    pointer = next(
        at
        for parameter, at in zip(row.parameters, places.values(), strict=True)
        if parameter.suffix == "*" and parameter.mode == "out"
    )
    version_at = next((at for name, at in places.items() if "ersion" in name), None)
    flags_at = places["flags"]
    newest = driver_version(scope.layout.reported)

    def get(arguments: RawArguments) -> int:
        if not arguments[0] or not arguments[pointer]:
            return _INVALID_VALUE
        name = ctypes.string_at(arguments[0]).decode("ascii", "replace")
        version = ctypes.c_int(arguments[version_at]).value if version_at is not None else newest
        if version > newest or arguments[flags_at] not in _FLAGS:
            return _INVALID_VALUE
        place, how = _find(name, version, arguments[flags_at] == _PER_THREAD)
        ctypes.c_void_p.from_address(arguments[pointer]).value = place or None
        if query is not None and arguments[query]:
            ctypes.c_int.from_address(arguments[query]).value = how
        return 0 if place or query is not None else _NOT_FOUND[function.table]

    return get


_NOT_FOUND = {"driver": 500, "runtime": 500}  # CUDA_ERROR_NOT_FOUND, cudaErrorSymbolNotFound

SPECIAL: dict[str, _Special] = {
    "entry_point.driver": _entry_point,
    "entry_point.runtime": _entry_point,
    "link.add_data": _with_options,
    "link.add_file": _with_options,
    "link.create": _with_options,
    "memory_range.get_attribute": _range_attribute,
    "memory_range.get_attributes": _range_attributes,
    "module.library_load_data": _with_options,
    "module.library_load_file": _with_options,
    "module.load_data_ex": _with_options,
    "nvrtc.create_program": _created,
    "nvrtc.destroy_program": _destroyed,
    "nvrtc.supported_archs": _architectures,
    "nvrtc_outputs.absent": _filled,
    "nvrtc_outputs.code": _filled,
    "nvrtc_outputs.log": _filled,
    "nvrtc_outputs.ptx": _filled,
    "tensor_maps.encode_im2col": tensor_maps.encoded_im2col,
    "tensor_maps.encode_tiled": tensor_maps.encoded_tiled,
    "tensor_maps.replace_address": tensor_maps.replaced_address,
    "virtual_memory.export_handle": _exported,
}
"""By the name of the row's adapter, or of the function."""
