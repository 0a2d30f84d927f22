"""Bridges from a C call to the Python function that serves it.

A row's adapter holds the differences of CUDA and HIP, so a C function whose row has one calls the same function as a
Python program. The bridge is made at the first call: readers for its arguments, writers for its results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda_shim import log
from cuda_shim.binding import objects_of
from cuda_shim.binding.functions import Binding
from cuda_shim.c_level.failures import INVALID, NOT_SUPPORTED, is_of_program, status_of
from cuda_shim.c_level.interface import Function
from cuda_shim.c_level.raw_arguments import RawArguments, Reader, Writer, length_of_text, reader, text_address, writer
from cuda_shim.c_level.special import SPECIAL
from cuda_shim.errors import UnsupportedAPI
from cuda_shim.mapping.rows import FunctionRow

__all__ = ["Bridge", "bridge_to"]

Bridge = Callable[[RawArguments], int]

_LONGEST_TEXT = 1 << 16
# Functions whose only output, an offset, C programs leave out.
_OUTPUT_MAY_BE_NULL = ("cuTexRefSetAddress",)
_NO_ROW = "NVIDIA's own Python modules leave it out, and HIP has no counterpart"


def bridge_to(function: Function) -> tuple[int, Bridge]:
    """Return the number of arguments of a function's C call, and the bridge that answers it."""
    row = function.row
    scope = objects_of(function.layout).scope(function.table)
    if row is None:
        missing = FunctionRow(function.name, (), unsupported=_NO_ROW)
        return 0, _refusing(Binding(missing, scope), function.table)
    count = max(len(function.arguments), sum(p.mode != "spare" for p in row.parameters))
    if row.unsupported is not None:
        return count, _refusing(Binding(row, scope), function.table)
    serve: Callable[..., Any] = scope.catalogue.object(function.table, function.name)
    special = SPECIAL.get(function.name) or SPECIAL.get(row.adapter or row.provided or "")
    if special is not None:
        return count, _guarded(special(function, serve, scope), function)
    return count, _guarded(_served(function, row, serve, scope), function)


def _refusing(binding: Binding, table: str) -> Bridge:
    """Return the bridge of a function that HIP cannot serve: CUDA's status, and the reason once in the log."""
    answer = binding.outcome.unsupported(binding.row.unsupported or "")

    def refuse(_: RawArguments) -> int:
        try:
            return int(answer()[0])
        except UnsupportedAPI as refusal:
            log.logger().error("%s", refusal)
            return NOT_SUPPORTED[table]

    return refuse


def _served(function: Function, row: FunctionRow, serve: Callable[..., Any], scope: Any) -> Bridge:
    own = [parameter for parameter in row.parameters if parameter.mode != "spare"]
    stars = [argument.count("*") for argument in function.arguments]
    places = {parameter.name: at for at, parameter in enumerate(own)}
    row = row.replaced(parameters=tuple(own)) if len(own) < len(row.parameters) else row
    readers: list[Reader] = [reader(parameter, places[parameter.name], row, scope) for parameter in row.inputs]
    for parameter in row.outputs:
        if parameter.base == "char" and not parameter.suffix and stars[places[parameter.name]] == 1:
            at = row.inputs.index(row.parameters[length_of_text(row)])
            readers[at] = _bounded(readers[at])
    outputs = [places[parameter.name] for parameter in row.outputs]
    writer_list = [writer(p, at, stars[at], row, scope) for p, at in zip(row.outputs, outputs, strict=True)]
    # Arrays first: the number of their entries, which is overwritten too, is the room that they have.
    arrays = [parameter.suffix.endswith("[]") for parameter in row.outputs]
    writers: list[tuple[int, Writer]] = sorted(enumerate(writer_list), key=lambda pair: not arrays[pair[0]])
    if row.result is not None:
        return lambda arguments: text_address(serve(*[read(arguments) for read in readers])[-1])
    invalid = INVALID[function.table]
    required = () if row.name in _OUTPUT_MAY_BE_NULL else outputs

    def call(arguments: RawArguments) -> int:
        if required and not any(arguments[at] for at in required):
            return invalid
        status, *results = serve(*[read(arguments) for read in readers])
        if not status:
            for at, write in writers:
                write(arguments, results[at])
        return int(status)

    return call


def _bounded(read: Reader) -> Reader:
    """Return a reader of the room for a text: Python fetches no more than any of them has."""
    return lambda arguments: min(read(arguments), _LONGEST_TEXT)


def _guarded(bridge: Bridge, function: Function) -> Bridge:
    """Return the bridge without the exceptions of the shim, which no C program can catch."""

    def call(arguments: RawArguments) -> int:
        try:
            return bridge(arguments)
        except Exception as error:
            if is_of_program(error):
                raise
            return status_of(error, function)

    return call
